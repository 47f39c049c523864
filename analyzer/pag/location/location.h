// SPDX-License-Identifier: BSD-3-Clause
// The state of one location in a replay, all that its own events determine, and what is done to it.
// The files of this folder work on one location and know no other one; what needs the state of
// several is in state.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/location/profile.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/reader.h"

/// The open end of a lineage: `node`, plus what the paths gained since it began, which is the mark.
struct head {
    uint32_t node;      // one reference
    uint64_t since_ns;  // last hand-over from another rank, 0: none
    uint64_t hand_over; // the latest one on its path, where they are kept (struct lineage)
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

/// The enter of a call that gives a lock back; of RANK, whose lineage there is NODE, NONE: not
/// known.
struct awaited_unlock {
    uint64_t time_ns; // 0: none
    uint32_t rank, node;
};

/// Messages of one kind to a location's rank; of no COMMUNICATOR (EVENT_NO_INDEX): none.
struct envelope {
    uint32_t communicator, source, tag; // source is a world rank
};

/// An open MPI call: the outermost MPI region instance, with all its records.
struct call {
    bool is_open;
    bool is_cut;  // its leave was not found: at the end of the location, or too far away
    bool is_bare; // a record outside any MPI region: leave = enter, no event for either
    bool is_test;
    bool is_finalize, is_session_end, is_init, is_file;
    bool is_synchronous, is_standard; // what it sends
    bool has_collectives;             // among its records
    bool attends;                     // it moves messages of others (matching/attendance.c)
    bool gave_up;                     // a partner could not be found within the look-ahead
    bool goes_on_alone;               // no longer waits for operations that need not synchronise
    uint32_t n_nested;                // regions open inside it
    uint32_t n_skip;                  // events to its leave when nothing is nested
    uint32_t region, path;
    uint32_t own_path;   // with a digest: where the location is at the leave: `path`, or further in
    uint64_t own_ns;     // spent there and not accounted yet
    uint32_t enter_node; // own lineage at the enter if the call may wait, NONE
    bool is_cut_late; // instead of that: the lineage stays as it was at the enter up to the leave
    uint64_t enter_ns, leave_ns;
    uint64_t release_ns; // end of its last wait, once it is left; its leave when that is not known
    uint32_t releaser;   // the rank that ended it, once it is left; NONE without, or not known
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
    struct event *accesses; // its records of one-sided communication, in order
    uint32_t n_accesses;
    size_t accesses_capacity;
    bool awaits_lock;      // it may be the one in which a lock is granted (matching/locks.c):
    uint32_t waiter_place; // among those
    struct awaited_unlock unlocks[2]; // in it, the latest one and the latest before that
    struct envelope probed;           // MPI_Probe waits for the next message of this kind
    uint32_t *receives;               // indices of receives completed here, in posting order
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

/// What each event needs comes first: with many locations little of it is in a cache.
struct location_state {
    uint32_t index;
    uint32_t rank; // NONE without
    bool is_master, has_begun, has_ended;
    uint8_t next_turn;        // of the next unread event, among those of its time (engine.c)
    uint32_t lookahead_left;  // events its partners may still be read ahead for its sake
    uint64_t next_ns;         // of the next unread event; UINT64_MAX at the end
    uint64_t recorded_end_ns; // in simulated time: of its last event in the recording; else 0
    struct cursor *cursor;
    struct digest *digest; // makes the cursor's events; NULL: the profile is kept here
    struct trace *trace;
    const struct definitions *definitions;
    struct call call;
    struct head head;
    struct recent_channel sent, received;
    struct {
        uint32_t path;
        uint64_t ns;
    } longest;              // where it was longest since its last call; ns 0: not known
    uint64_t lost_ns;       // without CPU time since then, outside MPI
    struct profile profile; // with a digest `current`, `last_ns`, `is_off`, CPU samples only
    uint64_t first_ns;
    uint64_t team_end_ns; // last EVENT_THREAD_TEAM_END
    // Of a thread of the process whose number, modulo its locations, is this one's: the lineage of
    // the thread that made it, until it begins, or its own at its end, until it is awaited.
    struct {
        uint64_t number, time_ns;
        uint32_t node;
        bool is_over;
    } created;
};

/// The event AHEAD of the next one, NULL after the last; valid until the location is read on.
static inline const struct event *location_peek(const struct location_state *location,
                                                uint32_t ahead)
{
    return trace_peek(location->trace, location->index, location->cursor, ahead);
}

/// LOCATION spent NS in PATH, outside of calls, as its digest or a simulation says.
static inline void location_spend(struct location_state *location, uint32_t path, uint64_t ns)
{
    times_at(location->profile.times, path)->exclusive_ns += ns;
    if (ns > location->longest.ns) {
        location->longest.path = path;
        location->longest.ns = ns;
    }
}

// --- going on from the middle of a location's events (resume.c)

/// Writes what LOCATION needs for its parts of the run after its next event, or reads that into a
/// new one, of which TREE is the whole call tree; not the open call, nor the place in the trace.
void location_pass(struct location_state *location, const struct pag_location *tree,
                   struct numbers *numbers);
// --- MPI calls, read ahead at their enters (call.c)

/// Reads the call whose enter event is next (or the bare record) ahead to its leave. It is entered
/// at TIME_NS and, as far as is known, lasts as long as recorded; one that is cut, to its last
/// event.
void call_read(struct location_state *location, uint64_t time_ns);
void call_release(struct call *call);

/// The record that tells what the open call, a probe whose enter has been read, looked for: the
/// next one of a message or operation, NULL: not known. Other calls may come before it, but not
/// another probe; unless that is the next call, and takes no longer, as it does where a function
/// that receives looks for itself what it gets.
const struct event *call_record_after_probe(const struct location_state *location);

/// Whether CALL is a probe of which is known what it waits for.
static inline bool call_probes(const struct call *call)
{
    return call->probed.communicator != EVENT_NO_INDEX;
}

/// Whether the open call concerns no other rank.
static inline bool call_is_private(const struct call *call)
{
    return call->n_receives + call->n_sends + call->n_parts == 0 && !call->awaits_lock &&
           !call_probes(call);
}

/// The open call is left: accounts its time up to there, unless that was done before.
static inline void call_account(struct location_state *location)
{
    struct call *call = &location->call;
    if (!location->digest) {
        profile_account(&location->profile, call->leave_ns);
    } else if (call->own_ns > 0) {
        times_at(&location->head.times, call->own_path)->exclusive_ns += call->own_ns;
        call->own_ns = 0;
    }
}

/// EVENT, a record of CALL, is left out; call_complete_less(): and counts for what the call costs.
void call_leave_out(struct call *call, const struct event *event);
void call_complete_less(struct call *call, const struct event *event);
