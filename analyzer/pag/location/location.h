// SPDX-License-Identifier: BSD-3-Clause
// The state of one location in a replay, all that its own events determine, and what is done to it.
// The files of this folder work on one location and know no other one; what needs the state of
// several is in state.h.
#ifndef PAGODA_PAG_LOCATION_LOCATION_H
#define PAGODA_PAG_LOCATION_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/map.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/reader.h"

#define NONE UINT32_MAX

// --- where the time went

/// The time spent at one call path.
struct path_time {
    uint64_t exclusive_ns;
    uint64_t mark_ns; // exclusive_ns at the mark, if the epoch is that of the times
    uint32_t epoch;
    uint32_t n_moves; // how many times time was moved to it (struct head, lost)
};

/// Times by call path, and which of them grew since a mark: that is all that a mark costs.
struct times {
    struct path_time *paths; // those beyond have had nothing yet
    size_t n_paths;
    uint32_t epoch;    // of the mark, from 1 on
    uint32_t *touched; // paths, since the mark; has room for all
    size_t n_touched;
};

/// CPU samples of an interval (cpu_time.c).
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

/// The open interval outside MPI, with its longest segments (cpu_time.c).
struct without_cpu {
    struct cpu_span span;
    uint64_t begin_ns;
    uint32_t n_segments;
    struct cpu_segment segments[CPU_SEGMENTS];
};

/// A node of a location's call tree. A call path is one node for each place in the source it is
/// called from; names alone tell paths apart only where results are put together.
struct path {
    uint32_t region;  // NONE: the location itself, or a stretch
    uint32_t context; // of an MPI call: where it is in the source, NONE when unknown; the next
                      // node is the stretch before it then
    uint32_t parent;
    uint32_t from;       // the path this one was entered from: its parent, or of a call further out
    uint32_t last_child; // entered from here, or NONE; of a stretch: the call before it, or NONE
    uint32_t next; // entered after this one, both from the same path, or NONE: programs repeat
                   // themselves
    uint64_t visits;
    uint64_t inclusive_ns;
    uint16_t depth;
    bool is_stretch; // time in `parent` that ended with a call of the node before this one;
                     // inclusive_ns is the longest of them
};

struct frame {
    uint32_t path;
    uint32_t region;
    uint64_t enter_ns;
};

/// The call tree of a location, where the location is in it, and where its time went.
struct profile {
    const struct definitions *definitions;
    struct times *times; // by path; not owned
    struct path *paths;
    size_t n_paths, paths_capacity;
    struct frame *stack;
    size_t depth, stack_capacity;
    struct map children; // (path, region) -> path
    struct map calls;    // (path, region, context) -> path
    uint32_t current;    // path
    uint32_t left_call;  // the MPI call that the present stretch began with, NONE when it did not
    uint64_t last_ns;    // time is accounted up to here
    uint64_t noted_ns;   // last event that is no step of the program (a metric, a flush)
    uint64_t n_unbalanced;
    bool is_off; // recording is switched off
    struct without_cpu without_cpu;
    struct excerpt *excerpt; // owned; NULL: the whole run counts
};

/// The open end of a lineage: `node`, plus what the paths gained since it began, which is the mark.
struct head {
    uint32_t node; // one reference
    struct times times;
    struct times lost;        // in calls, without CPU time, by the paths of these
    int64_t clock_repair_ns;  // not yet in a node
    uint64_t before_start_ns; // not yet in a node
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
    uint32_t region, path;
    uint64_t own_ns;     // with a digest: spent at `path` and not accounted yet
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
    struct cursor *cursor;
    struct digest *digest;  // makes the cursor's events; NULL: the profile is kept here
    struct profile profile; // with a digest `current`, `last_ns`, `is_off`, CPU samples only
    struct head head;
    struct call call;
    struct recent_channel sent, received;
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

// --- CPU time of an interval (cpu_time.c), from the samples in it and the last one before it, and
// --- its longest segments. Measured and simulated replays both use this.

/// The next interval begins.
void cpu_span_begin(struct cpu_span *span);

/// The process had used CPU_NS at AT_NS, inside the interval.
void cpu_span_sample(struct cpu_span *span, uint64_t at_ns, uint64_t cpu_ns);

/// The same where the sample lies before the next interval: in an MPI call.
void cpu_span_see(struct cpu_span *span, uint64_t cpu_ns);

/// CPU time of the whole interval: what the first and last CPU sample say for the time between
/// them (never more than that time: other threads of the process), wall time outside; but up to the
/// last sample at most what the process used since the last one before the interval. Wall time if
/// there is no sample.
uint64_t cpu_span_used_ns(const struct cpu_span *span, uint64_t begin_ns, uint64_t end_ns);

/// What of SEGMENT was lost before TIME_NS.
uint64_t cpu_segment_lost_before(const struct cpu_segment *segment, uint64_t time_ns);

/// A segment of at least CPU_SEGMENT_NS was spent at PATH. Called inside MPI calls as well; what
/// lies there is forgotten when the next interval begins.
void cpu_segment_note(struct without_cpu *account, uint32_t path, uint64_t begin_ns,
                      uint64_t end_ns);

/// Length of SEGMENT.
static inline uint64_t cpu_segment_ns(const struct cpu_segment *segment)
{
    return segment->end_ns - segment->begin_ns;
}

// --- time without CPU time (cpu_time.c)

/// An interval outside MPI begins; it ends and is accounted, or never (threads, recording off).
void without_cpu_begin(struct profile *profile, uint64_t time_ns);

/// The open interval ends at TIME_NS and has CPU samples. Whether it lost time: then its segments
/// say how much, and that has been moved in the profile.
bool without_cpu_outside(struct profile *profile, uint64_t time_ns);

/// The open call has been settled and its time accounted, up to its leave. Whether it lost time:
/// LOST then says when, and it has been moved in the head.
bool without_cpu_in_call(struct location_state *location, struct cpu_segment *lost);

/// The child of PATH for its time without CPU time.
uint32_t without_cpu_path(struct profile *profile, uint32_t path);

// --- times and their mark (profile.c)

void times_init(struct times *times);
void times_release(struct times *times);
/// Makes room for PATH.
void times_reserve(struct times *times, uint32_t path);

/// The mark is now.
static inline void times_mark(struct times *times)
{
    times->n_touched = 0;
    times->epoch++;
}

/// The time of PATH, to be added to.
static inline struct path_time *times_at(struct times *times, uint32_t path)
{
    if (__builtin_expect(path >= times->n_paths, 0))
        times_reserve(times, path);
    struct path_time *time = &times->paths[path];
    if (time->epoch != times->epoch) {
        time->epoch = times->epoch;
        time->mark_ns = time->exclusive_ns;
        times->touched[times->n_touched++] = path;
    }
    return time;
}

/// What PATH, a touched one, got since the mark.
static inline uint64_t times_since(const struct times *times, uint32_t path)
{
    return times->paths[path].exclusive_ns - times->paths[path].mark_ns;
}

/// All that PATH got.
static inline uint64_t times_exclusive(const struct times *times, size_t path)
{
    return path < times->n_paths ? times->paths[path].exclusive_ns : 0;
}

/// Takes up to NS of what FROM got since the mark. What was taken: less if it has not got so much.
uint64_t times_take(struct times *times, uint32_t from, uint64_t ns);

// --- call tree (profile.c)

/// TIMES stays the caller's.
void profile_init(struct profile *profile, const struct definitions *definitions,
                  struct times *times);
void profile_release(struct profile *profile);
void profile_enter(struct profile *profile, uint32_t region, uint64_t time_ns);
/// The child of PARENT for REGION, made if it is new; PARENT itself where there is no room for it.
uint32_t profile_child(struct profile *profile, uint32_t parent, uint32_t region);
/// The same as profile_enter() for an MPI call from CONTEXT: the functions of the context that are
/// not open yet come between, and the time since the location's last event goes to the stretch
/// before the call. The path that time went to.
uint32_t profile_enter_call(struct profile *profile, uint32_t region, uint32_t context,
                            uint64_t time_ns);
/// The path that the time up to such a call goes to, while it is not entered yet.
uint32_t profile_before_call(struct profile *profile, uint32_t region, uint32_t context);
/// Makes the nodes of a new PROFILE those of TREE, the first N_PATHS of a location's.
void profile_grow_as(struct profile *profile, const struct call_path *tree, size_t n_paths);
/// Closes the innermost open instance of REGION (and what was left open inside it).
void profile_leave(struct profile *profile, uint32_t region, uint64_t time_ns);
/// The location ends: closes all that is open.
void profile_end(struct profile *profile);

/// When the last event was, of whatever kind.
static inline uint64_t profile_end_ns(const struct profile *profile)
{
    return profile->noted_ns > profile->last_ns ? profile->noted_ns : profile->last_ns;
}

/// Accounts the time since the location's last event to a path. The hot path of a replay.
static inline void profile_account_to(struct profile *profile, uint32_t path, uint64_t time_ns)
{
    uint64_t passed_ns = time_ns - profile->last_ns;
    struct path_time *time = times_at(profile->times, path);
    if (__builtin_expect(passed_ns >= CPU_SEGMENT_NS, 0))
        cpu_segment_note(&profile->without_cpu, path, profile->last_ns, time_ns);
    time->exclusive_ns += passed_ns;
    profile->last_ns = time_ns;
}

/// The same to its current path.
static inline void profile_account(struct profile *profile, uint64_t time_ns)
{
    profile_account_to(profile, profile->current, time_ns);
}

// --- going on from the middle of a location's events (resume.c)

/// Writes what LOCATION needs for its parts of the run after its next event, or reads that into a
/// new one, of which TREE is the whole call tree; not the open call, nor the place in the trace.
void location_pass(struct location_state *location, const struct pag_location *tree,
                   struct numbers *numbers);
// --- recording off (OTF2's MeasurementOnOff): a gap is a region of its own in the profile
// --- (profile.c)

/// Recording is switched off, or on. Whether that changed anything.
bool profile_switch(struct profile *profile, bool is_off, uint64_t time_ns);
/// profile_leave(); if recording is off and REGION was entered before that, the gap stays open
/// around it.
void profile_leave_around_gap(struct profile *profile, uint32_t region, uint64_t time_ns);

// --- MPI calls, read ahead at their enters (call.c)

/// Reads the call whose enter event is next (or the bare record) ahead to its leave. It is entered
/// at TIME_NS and, as far as is known, lasts as long as recorded; one that is cut, to its last
/// event.
void call_read(struct location_state *location, uint64_t time_ns);
void call_release(struct call *call);

/// The open call is left: accounts its time up to there.
void call_account(struct location_state *location);

/// EVENT, a record of CALL, is left out; call_complete_less(): and counts for what the call costs.
void call_leave_out(struct call *call, const struct event *event);
void call_complete_less(struct call *call, const struct event *event);

// --- parts of the run (excerpt.c), each the same time of all locations or of each location another
// --- one: for every part the profile counts what lies in it, to the nanosecond. One replay serves
// --- all of them. It replays everything, for what matches, or waits, may have begun before a part.

/// The marks for location LOCATION of PARTS (pag_options).
struct excerpt *excerpt_new(const struct pag_part *const *parts, size_t n_parts, size_t location);
void excerpt_free(struct excerpt *excerpt);

/// The next event of LOCATION is at NEXT_NS: keeps its profile at the marks before that.
void excerpt_reach(struct location_state *location, uint64_t next_ns);

/// The time of a location up to now is accounted in PROFILE: puts that up to marks where it
/// belongs.
void excerpt_settle(struct profile *profile);

/// What SEGMENT lost has been moved from its path to TO: does the same where a mark had counted it.
void excerpt_move(const struct profile *profile, const struct cpu_segment *segment, uint32_t to);

/// Whether what counts up to UNTIL_NS is final, but for time without CPU time.
bool excerpt_is_settled(const struct excerpt *excerpt, uint64_t until_ns);

/// The location is at its end: sets the exclusive times and visits of its PATHS to those of PART.
void excerpt_count(const struct excerpt *excerpt, size_t part, struct call_path *paths,
                   size_t n_paths);

#endif
