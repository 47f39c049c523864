// SPDX-License-Identifier: BSD-3-Clause
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
// queue. Several things at one time: who is done goes on (lower turn, then lower location, first),
// then slices end (longest over first, then lower location; where no rank has work last).
// Work is done while having a core, at full speed, and over at the first whole ns; the part of it
// that this is too late counts as done of work begun then. A wait is over when its time has come
// and the process has a core.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"

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
    bool yields;       // who waits leaves
    uint32_t *holders; // locations that have a core
    uint32_t n_holders;
    uint32_t *queue; // a ring
    uint32_t first, n_queued, capacity;
};

/// YIELDS: the scheduler takes who waits out (time_slices_end) and in again (time_slices_begin).
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
/// The slice that time_slices_next() gave is over at TIME_NS.
void time_slices_rotate(struct time_slices *slices, uint64_t time_ns);
