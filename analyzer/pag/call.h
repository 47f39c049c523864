// SPDX-License-Identifier: BSD-3-Clause
// An MPI call as a unit, read ahead at its enter.
#ifndef PAGODA_PAG_CALL_H
#define PAGODA_PAG_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/event.h"

struct engine;
struct location_state;

/// One member's part in a collective operation.
struct part {
    uint32_t collective; // index of the instance
    uint32_t member;
};

/// Where a record of a call stands: events behind its enter, and the begin of a collective before
/// its end, NONE.
struct record_place {
    uint32_t event, begin;
};

/// An open MPI call: the outermost MPI region instance, with all its records.
struct call {
    bool is_open;
    bool is_cut;  // its leave was not found: at the end of the location, or too far away
    bool is_bare; // a record outside any MPI region: leave = enter, no event for either
    bool is_test;
    bool is_finalize, is_init, is_file;
    bool is_synchronous, is_standard; // what it sends
    bool has_collectives;             // among its records
    bool gave_up;                     // a partner could not be found within the look-ahead
    bool goes_on_alone;               // no longer waits for operations that need not synchronise
    uint32_t n_nested;                // regions open inside it
    uint32_t n_skip;                  // events to its leave when nothing is nested
    uint32_t path;
    uint32_t enter_node; // own lineage at the enter if the call may wait, NONE
    uint64_t enter_ns, leave_ns;
    uint64_t release_ns; // end of its last wait, once it is left; its leave when that is not known
    uint64_t recorded_enter_ns, recorded_leave_ns; // differ with a driver only
    uint64_t before_completion_ns; // recorded time of its last event before the first completion
    bool has_cpu_inside;           // CPU samples are among its events,
    uint64_t cpu_inside_ns;        // the last one
    bool has_cpu_after;            // of a long call: a CPU sample follows soon,
    uint64_t cpu_after_ns;         // this one
    struct event *records;         // the records of the call that matter, in order
    uint32_t n_records;
    uint32_t n_left_out; // of these: messages not sent, operations left out (hooks.h)
    size_t records_capacity;
    struct record_place *places; // of the records; only if listener.changed is told
    size_t places_capacity;
    uint32_t *receives; // indices of receives completed here, in posting order
    uint32_t n_receives;
    size_t receives_capacity;
    uint32_t *sends; // messages this call may wait for: sent or completed here
    uint32_t n_sends;
    size_t sends_capacity;
    struct part *parts; // collective operations completed here
    uint32_t n_parts;
    size_t parts_capacity;
};

/// Reads the call whose enter event is next (or the bare record) ahead to its leave. It is entered
/// at TIME_NS; with a driver its leave is a guess until the driver sets it.
void call_read(struct engine *engine, struct location_state *location, uint64_t time_ns);
void call_release(struct call *call);

/// EVENT, a record of CALL, is left out; call_complete_less(): and counts for what the call costs.
void call_leave_out(struct call *call, const struct event *event);
void call_complete_less(struct call *call, const struct event *event);

#endif
