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
// group with more processes than cores may have slices of time instead (time_slices.c; no hand-over
// cost).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"

// --- time_slices.c
// Cores shared in slices of time, as the system does it: a rank that has a core keeps it until its
// slice is over; a message is noticed only by a process that has a core. A process that waits keeps
// its core, too (MPI libraries that poll without yielding), or ends here for as long and begins
// anew.
//
// Of the processes that have begun and not ended at most n_cores have a core, the others stand in a
// queue. Who begins takes a free core, else the end of the queue. A slice is SLICE_NS long from
// getting the core; when it is over, or was over before, and somebody stands in the queue, the
// first of the queue gets the core and its holder goes to the end. (Where processes that wait
// leave, they look in at the end of each slice, so that slices follow each other from getting the
// core on, and it is over when the next one ends.) Who ends leaves its core to the first of the
// queue. Of what happens at one time, finished work comes first (lower turn, then lower location),
// then slices end (longest over first, then lower location; where no rank has work last).
// Work is done while having a core, at full speed, and over at the first whole ns; the part of it
// that this is too late counts as done of work begun then. A wait is over when its time has come
// and the process has a core.

/// Of several locations done at the same time, those go on first whose turn is lower.
enum scheduler_turn {
    TURN_FIRST,
    TURN_LEAVE, // of an MPI call: all that enter one at this time may have to do with it
    TURN_LAST,  // the join of a team, the end of a location
};

/// A process on such cores; all zero: it has not begun.
struct sliced_process {
    enum scheduler_turn turn; // when it goes on
    bool has_core, is_working;
    pag_work left;     // work: what was left at since_ns
    uint64_t since_ns; // has had its core, or done its work
    uint64_t until_ns; // wait: its end, PAG_NOT_KNOWN
    uint64_t slice_end_ns;
    uint32_t over;    // part of a ns by which done_ns is too late, in millionths
    uint32_t kept;    // of that, what work begun then had no use for
    uint64_t done_ns; // when its last work was done
};

struct time_slices {
    struct sliced_process *processes; // of all groups, by location
    uint32_t n_cores;
    uint64_t slice_ns;
    bool yields;       // a process that waits leaves
    uint32_t *holders; // locations that have a core
    uint32_t n_holders;
    uint32_t *queue; // a ring
    uint32_t first, n_queued, capacity;
};

/// YIELDS: the scheduler takes a process that waits out (time_slices_end) and in again
/// (time_slices_begin).
/// PROCESSES (by location) are the caller's; at most N_PROCESSES of them will be here.
void time_slices_init(struct time_slices *slices, struct sliced_process *processes,
                      uint32_t n_processes, uint32_t n_cores, uint64_t slice_ns, bool yields);
void time_slices_release(struct time_slices *slices);

void time_slices_begin(struct time_slices *slices, uint32_t location, uint64_t now_ns);
void time_slices_end(struct time_slices *slices, uint32_t location, uint64_t now_ns);
void time_slices_work(struct time_slices *slices, uint32_t location, uint64_t now_ns, pag_work work,
                      enum scheduler_turn turn);
/// LOCATION waits until UNTIL_NS (PAG_NOT_KNOWN: until this is called again).
void time_slices_wait(struct time_slices *slices, uint32_t location, uint64_t now_ns,
                      uint64_t until_ns, enum scheduler_turn turn);

/// What is next: LOCATION goes on at TIME_NS, or its slice is over. False: nothing will happen by
/// itself.
bool time_slices_next(const struct time_slices *slices, uint64_t *time_ns, uint32_t *location,
                      bool *is_slice);
/// Slices that ended before NOW_NS while no process had anything to do are over.
void time_slices_catch_up(struct time_slices *slices, uint64_t now_ns);

/// The slice that time_slices_next() gave is over at TIME_NS.
void time_slices_rotate(struct time_slices *slices, uint64_t time_ns);

// --- scheduler.c

struct scheduler;

#define SCHEDULER_FULL_SPEED 1000000u

struct core_group {
    uint32_t n_cores;
    uint64_t speed;        // millionths
    uint64_t hand_over_ns; // what it costs when a core changes from one process to another
    uint64_t slice_ns;     // how long a process keeps a shared core; 0: no time at all
    uint32_t n_processes;  // that may be here some time, if more than those that begin here
    uint32_t n_spare;      // cores that stay idle, for want of ranks (scheduler_new() ignores them)
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
/// LOCATION waits outside MPI from NOW_NS on until it is woken, and needs no core meanwhile, even
/// where waiting is spinning.
void scheduler_sleep(struct scheduler *scheduler, uint32_t location, uint64_t now_ns);
/// LOCATION, which waits, goes on at UNTIL_NS and works WORK.
void scheduler_wake(struct scheduler *scheduler, uint32_t location, uint64_t until_ns,
                    pag_work work);
/// The same with no work, where cores are shared in slices of time; it goes on earlier if that is
/// known already and waiting is spinning.
void scheduler_wake_by(struct scheduler *scheduler, uint32_t location, uint64_t until_ns);
/// LOCATION, which scheduler_next() gave for NOW_NS, leaves its cores for those of GROUP, where it
/// goes on at UNTIL_NS as at its first event.
void scheduler_move(struct scheduler *scheduler, uint32_t location, uint32_t group, uint64_t now_ns,
                    uint64_t until_ns);
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

/// Whether LOCATION, which shares its cores with others in slices of time, waits at NOW_NS and has
/// one of them.
bool scheduler_waits_with_core(struct scheduler *scheduler, uint32_t location, uint64_t now_ns);

/// Whether LOCATION, which shares its cores with others in slices of time, waits.
bool scheduler_is_waiting(const struct scheduler *scheduler, uint32_t location);

/// Whether LOCATION, which scheduler_next() gave, has a core, or need not share one in slices.
bool scheduler_has_core(const struct scheduler *scheduler, uint32_t location);

/// Whether LOCATION shares its cores with others in slices of time.
bool scheduler_has_slices(const struct scheduler *scheduler, uint32_t location);

/// The time that scheduler_next() gave last.
uint64_t scheduler_now_ns(const struct scheduler *scheduler);

/// Time that hand-overs of cores have cost so far, summed over all processes.
uint64_t scheduler_hand_over_ns(const struct scheduler *scheduler);
