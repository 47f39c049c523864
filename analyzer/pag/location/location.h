// SPDX-License-Identifier: BSD-3-Clause
// The state of one location in a replay: all that its own events determine. Structs only. The files
// of this folder work on one location and know no other one:
//   profile.c      call tree and exclusive times
//   call.c         an MPI call with its records, read ahead at its enter
//   cpu_span.c     CPU time of an interval, from samples
//   without_cpu.c  time that passed without CPU time
//   excerpt.c      profiles where parts of the run begin and end
// What needs the state of other locations is in state.h.
#ifndef PAGODA_PAG_LOCATION_LOCATION_H
#define PAGODA_PAG_LOCATION_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/map.h"
#include "analyzer/trace/reader.h"

#define NONE UINT32_MAX

/// A node of a location's call tree, one cache line. A call path is one node for each place in the
/// source it is called from; names alone tell paths apart only where results are put together.
struct path {
    uint64_t exclusive_ns;
    uint64_t mark_ns; // exclusive_ns when the open leaf of the lineage began (if epoch matches)
    uint32_t epoch;   // of the open leaf that touched this path last
    uint32_t last_child_region; // the child found last, to skip the look-up
    uint32_t last_child_context;
    uint32_t last_child; // of an MPI call with a context perhaps a grandchild
    uint32_t region;     // NONE: the location itself, or a stretch
    uint32_t context;    // of an MPI call: where it is in the source, NONE when unknown; the next
                         // node is the stretch before it then
    uint64_t visits;
    uint64_t inclusive_ns;
    uint32_t parent;
    uint16_t depth;
    bool is_stretch; // time in `parent` that ended with a call of the node before this one;
                     // inclusive_ns is the longest of them, last_child the call before it or NONE
};

struct frame {
    uint32_t path;
    uint32_t region;
    uint64_t enter_ns;
};

struct profile {
    struct path *paths;
    size_t n_paths, paths_capacity;
    struct frame *stack;
    size_t depth, stack_capacity;
    struct map children; // (path, region) -> path
    struct map calls;    // (path, region, context) -> path
    uint32_t current;    // path
    uint32_t left_call;  // the MPI call that the present stretch began with, NONE when it did not
    uint64_t last_ns;    // time is accounted up to here
    uint64_t n_unbalanced;
};

/// The open end of a lineage: `node` plus what the touched paths gained since their marks.
struct head {
    uint32_t node; // one reference
    uint32_t epoch;
    uint32_t *touched; // paths
    size_t n_touched, touched_capacity;
    int64_t clock_repair_ns;  // not yet in a node
    uint64_t before_start_ns; // not yet in a node
};

/// CPU samples of an interval (cpu_span.h).
struct cpu_span {
    bool has_seen;    // in this interval or before:
    uint64_t seen_ns; // the last sample
    bool had;         // before this interval:
    uint64_t had_ns;
    bool has; // in this interval:
    uint64_t first_at_ns, first_ns, last_at_ns, last_ns;
};

/// Time of one call path, of which lost_ns passed without CPU time, evenly spread.
struct cpu_segment {
    uint64_t begin_ns, end_ns, lost_ns;
    uint32_t path;
};

enum { CPU_SEGMENTS = 16, CPU_SEGMENT_NS = 100000 };

/// The open interval outside MPI, with its longest segments (without_cpu.h).
struct without_cpu {
    struct cpu_span span;
    uint64_t begin_ns;
    uint32_t n_segments;
    struct cpu_segment segments[CPU_SEGMENTS];
};

/// One member's part in a collective operation.
struct part {
    uint32_t collective; // index of the instance
    uint32_t member;
};

/// Where a record of a call is: events after its enter, and the begin of a collective before its
/// end, NONE.
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
    bool keeps_places;           // for every call of the location:
    struct record_place *places; // of the records
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

/// The channel a location used last, for sending and for receiving: programs repeat themselves.
struct recent_channel {
    uint32_t channel;
    uint32_t epoch; // of the channel table; 0: none
};

struct location_state {
    uint32_t index;
    uint32_t rank; // NONE without
    bool is_master, has_begun, has_ended, next_is_last;
    uint64_t next_ns; // of the next unread event; UINT64_MAX at the end
    uint64_t first_ns;
    bool is_off;       // recording was switched off (window.h)
    uint64_t noted_ns; // last event that is no step of the program (a metric, a flush)
    struct cursor *cursor;
    struct profile profile;
    struct head head;
    struct without_cpu without_cpu;
    struct call call;
    struct recent_channel sent, received;
    struct excerpt *excerpt; // NULL: the whole run counts
    struct trace *trace;
    const struct definitions *definitions;
    uint32_t lookahead_left; // events its partners may still be read ahead for its sake
    uint64_t team_end_ns;    // last EVENT_THREAD_TEAM_END
};

/// The event AHEAD of the next one, NULL after the last; valid until the location is read on.
static inline const struct event *location_peek(const struct location_state *location,
                                                uint32_t ahead)
{
    return trace_peek(location->trace, location->index, location->cursor, ahead);
}

#endif
