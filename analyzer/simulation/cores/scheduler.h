// SPDX-License-Identifier: BSD-3-Clause
// Who runs when: processes share the cores of their node fairly, with a vanishing quantum.
//
// A core group is a set of cores whose processes share them: a node (fluid), or one core (sticky).
// With k runnable processes on c cores each works at rate min(1, c/k). Exactly: a group has a
// virtual time V in millionths of a ns. Whenever a process becomes runnable or stops being so, at
// time t, V grows by floor((t - t0) * 10^6 * min(c, k) / k), t0 the time of the last such change
// and k the number since then. Work w begun at t is done when V has reached V(t) + w: at the first
// whole ns at which the formula says so. Work begun in the ns in which the process ended its last
// one starts at that one's end instead of V(t), so that what is lost by rounding does not add up.
// w = floor(work * 10^6 / speed of the group in millionths) + hand-over cost, which is charged
// where a process begins work (more than none) in a group with more processes than cores, not right
// after other work of its own (then it has its core), and the last one to begin or go on there was
// another one. Waiting processes are runnable if waiting is spinning. A
// group with more processes than cores may have slices of time instead (time_slices.h; no hand-over
// cost).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/simulation/cores/time_slices.h"

struct scheduler;

#define SCHEDULER_FULL_SPEED 1000000u

struct core_group {
    uint32_t n_cores;
    uint64_t speed;        // millionths
    uint64_t hand_over_ns; // what it costs when a core changes from one process to another
    uint64_t slice_ns;     // how long a process keeps a shared core; 0: no time at all
};

/// N_LOCATIONS locations that wait for their first event; GROUP_OF[i] is the group of location i.
/// Copies what it needs. The caller frees.
struct scheduler *scheduler_new(const struct core_group *groups, size_t n_groups,
                                const uint32_t *group_of, size_t n_locations, bool spins);
void scheduler_free(struct scheduler *scheduler);

/// LOCATION works from NOW_NS on, within MPI or outside. Times are simulated ns and never go back.
void scheduler_work(struct scheduler *scheduler, uint32_t location, uint64_t now_ns, pag_work work,
                    enum scheduler_turn turn);
/// LOCATION waits in MPI from NOW_NS on, until a time or until it is woken (PAG_NOT_KNOWN), and
/// works WORK then; it is done in the turn of those that leave a call. At the start of the run: it
/// comes to its first event, at UNTIL_NS.
void scheduler_wait(struct scheduler *scheduler, uint32_t location, uint64_t now_ns,
                    uint64_t until_ns, pag_work work);
/// LOCATION, which waits, goes on at UNTIL_NS and works WORK.
void scheduler_wake(struct scheduler *scheduler, uint32_t location, uint64_t until_ns,
                    pag_work work);
/// LOCATION has ended; also the call that takes a location out before its first event.
void scheduler_end(struct scheduler *scheduler, uint32_t location, uint64_t now_ns);
/// The location that is done first, ties: by turn, then the lowest; false when none is, and all
/// others wait.
bool scheduler_next(struct scheduler *scheduler, uint32_t *location, uint64_t *time_ns);
/// LOCATION, which scheduler_next() gave for NOW_NS, has waited in a call. True: it works from now
/// on, and scheduler_next() gives it again; false: it leaves the call.
bool scheduler_works_on(struct scheduler *scheduler, uint32_t location, uint64_t now_ns);
/// Whether beside LOCATION, which scheduler_next() gave for NOW_NS, others may be done at that
/// time.
bool scheduler_has_others(struct scheduler *scheduler, uint32_t location, uint64_t now_ns);

/// Whether LOCATION shares its cores with others in slices of time.
bool scheduler_has_slices(const struct scheduler *scheduler, uint32_t location);

/// The time that scheduler_next() gave last.
uint64_t scheduler_now_ns(const struct scheduler *scheduler);

/// Time that hand-overs of cores have cost so far, summed over all processes.
uint64_t scheduler_hand_over_ns(const struct scheduler *scheduler);
