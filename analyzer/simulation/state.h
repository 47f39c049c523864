// SPDX-License-Identifier: BSD-3-Clause
// The state of a simulated run: structs and access to them. Above this: what changes, cores, costs
// and the network make of it, then steps.h, steps.h, and prediction.h, the loop.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/engine.h"
#include "analyzer/simulation/change/add_latency.h"
#include "analyzer/simulation/cores/scheduler.h"
#include "analyzer/simulation/cost/cost_model.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/simulation/simulated.h"

struct aggregation;
struct attention;
struct arrival;
struct collective_runs;
struct contention;
struct ideal;
struct left_out_parts;
struct migration;
struct overlap;
struct teams;
struct timeless;
struct transfer;
struct work_samples;

/// How far an oversubscribed rank has come: the call it entered last, and where in the recording it
/// had been before that; and what of a call that it entered is its own at most (recorded_costs.c).
struct rank_progress {
    uint64_t enter_ns, recorded_enter_ns, recorded_before_ns;
    uint64_t limited_leave_ns, limit_ns; // the recorded leave of that call
};

/// A simulated run: what differs from the recorded one, and what it goes by.
struct prediction {
    const struct definitions *definitions;
    const struct scenario *scenario;
    const struct recorded *recorded;
    const struct cost_model *costs;
    struct scheduler *scheduler;
    uint32_t *site_of_rank;              // where each is now (placement.h); NULL: none ever moves
    struct contention *contention;       // NULL: messages do not hinder each other
    struct collective_runs *collectives; // carried out message by message; NULL: none is
    bool has_slices;                     // steps of these need a core
    struct attention *attention;         // of ranks that need one to see messages; NULL: none does
    uint64_t hand_over_ns;               // of a core: as given, else as recorded
    bool counts_wall_time;  // the process time outside MPI is its length, whatever CPU samples say
    bool knows_paths;       // regions are named, so call paths have marks and scales
    uint64_t *n_begun;      // visits whose work is set, by kind and location; NULL: none is
    uint64_t *visit_scales; // then: visits_scales()
    struct visits *counted; // that are counted instead; NULL: none are
    struct work_samples *samples;         // of call paths, gathered; NULL: they are not
    struct rank_notes_reader *notes;      // of oversubscribed ranks; NULL: none was
    struct rank_notes_reader *attendance; // when senders' receivers were in MPI; NULL: none waited
    struct rank_progress *progress;       // by rank, with notes and recorded costs
    struct added_latency delay;
    bool is_delayed;
    struct timeless *timeless; // NULL: recorded times count
    struct ideal *ideal;       // with ideal_costs
    uint32_t n_finalized;      // ranks that have entered MPI_Finalize, the last one then
    uint64_t last_finalize_ns;
    struct recorded_use use;
    // While it runs:
    struct location_simulation *locations;
    struct message_simulation *messages;
    struct posting_simulation *postings; // by receive
    struct posted_operation *operations; // by posting
    size_t message_capacity, receive_capacity, operation_capacity;
    struct call_condition *conditions; // of the call being settled
    size_t condition_capacity;
    struct migration *migration;     // NULL: no work is moved
    struct aggregation *aggregation; // NULL: each message on its own
    struct overlap *overlap;         // NULL: calls wait where they are
    struct teams *teams;             // NULL: threads keep their recorded times
    struct left_out_parts *left_out; // of collective operations
    uint32_t *awaited;               // by rank: a location that waits for it to be in MPI, NONE
    uint32_t n_blocked;              // locations in a call that waits for partners,
    uint32_t n_blocked_sends;        // and of these, until a receive is posted
    uint32_t entering;               // location whose call is being matched, NONE
    uint64_t n_sent;
    uint64_t *n_drawn;          // by rank: messages it has sent; with a draw of the noise
    struct transfer *transfers; // messages not yet transferred
    size_t n_transfers, transfer_capacity;
    struct arrival *arrived; // those just shown
    size_t arrived_capacity;
    uint64_t now_ns;
};

// --- outside MPI (computation.c)

/// Visits that are over, and whose work is counted when that of the computation is known.
struct visits_over {
    int32_t kind;
    uint64_t n_visits, wall_ns; // wall time in this computation
    pag_work before;            // work before it
};

/// The visit a location is in.
struct visit {
    int32_t kind;     // positive: its work is set; negative: it is counted; 0: none
    size_t depth;     // of the call stack inside it, at least
    uint32_t path;    // where it began
    uint64_t wall_ns; // in this computation
    pag_work before;  // work before this computation
    // Where its work is set: what is set, how much of that was given, what it had in the recording.
    pag_work set, given, recorded;
    uint64_t scale;  // by which its work changes, about, millionths
    bool is_scaled;  // times the scale of its paths
    uint32_t *parts; // of the computation that it has touched
    size_t n_parts, part_capacity;
    struct visits_over *over;
    size_t n_over, over_capacity;
};

/// What one call path had of the recorded computation.
struct computation_part {
    uint32_t path;
    uint64_t recorded_ns;   // but what belongs to visits whose work is set:
    uint64_t visit_ns;      // of the one that is open
    pag_work work;          // set for them
    uint64_t scale;         // millionths
    uint64_t blocked_scale; // the same, of time that it is blocked
    bool is_moved;          // another rank does it (move.h)
};

/// What a call path is known by (region_pattern.h), and how its work is scaled.
struct path_scale {
    uint64_t mark;
    uint64_t scale;         // millionths
    uint64_t blocked_scale; // of time that it is blocked
};

/// The computation a location is in. Its private events are read when it begins; its length is
/// known when its work is done.
struct computation {
    uint64_t begin_ns;              // simulated
    uint64_t recorded_begin_ns;     // the same place in the recording
    uint64_t recorded_now_ns;       // read up to here
    uint64_t left_ps;               // of costs of visits, less than 1 ns
    uint64_t n_events;              // read
    uint64_t record_ps, owed_ps;    // what recording an enter or leave cost, if it is left out; the
                                    // part of that which no time read so far holds
    struct computation_part *parts; // in the order of their first touch
    uint32_t n_parts;
    size_t parts_capacity;
    uint32_t *part_of_path; // index into parts; only where that part names the path
    size_t part_of_path_capacity, n_part_of_path;
    struct path_scale *scales; // of the paths seen so far
    size_t scale_capacity, n_scales;
    struct visit visit;
    bool has_set_work;                // some part has
    uint64_t recorded_ns, process_ns; // its recorded length, its process time; less recording_ns
    pag_work work;                    // what is done, moved here or set for visits included
    pag_work own_work, arrived_work;  // of its parts that are not moved; moved here
    uint32_t arrived_path;            // of the latter
    uint64_t n_arrived;               // visits of that
    bool has_waited;                  // for other threads: the event that they decide on comes
    bool is_stretch_over;             // the computing before the call that is next has been a visit
    // By which its process time is less than its wall time: blocked, which passes without a core
    // and changes with the scale of its paths, and the rest.
    uint64_t blocked_ns, lost_ns;
    uint64_t recording_ns; // left out
    struct cpu_span cpu;
    struct cpu_sample {
        bool is_known;
        uint64_t at_ns, cpu_ns, wait_ns;
    } split; // where it ended between two calls, to go on: what a sample would have said
};

// --- polls and probes (read_ahead.c)

/// Of the polls of a location.
struct polling {
    uint32_t n_known;    // this many of the next polls are known to lead to an end or not
    uint32_t region;     // (of this function)
    bool are_waiting;    // whether their loop has an end
    uint64_t waited_ns;  // in the recording, in polls that took no time now
    uint64_t of_call_ns; // of that, what belongs to the open call
};

/// What a call waits to see; communicator EVENT_NO_INDEX: nothing.
struct probe {
    uint32_t communicator, source, tag; // source: world rank
    bool is_left_out;                   // the message is not sent: nothing to wait for
};

// --- locations and messages

/// What a location does.
enum simulation_phase {
    SIMULATION_BEFORE,  // its first event
    SIMULATION_MOVING,  // to another node (relocation.h)
    SIMULATION_OUTSIDE, // works outside MPI
    SIMULATION_IN_TEAM, // waits there for other threads of its process (steps.h)
    SIMULATION_ENTERED, // works in a call before its messages depart
    SIMULATION_BLOCKED, // in a call, for partners that have not come
    SIMULATION_LEAVING, // in a call, until what it waits for is there and the work after that done
    SIMULATION_ENDED,
};

struct location_simulation {
    enum simulation_phase phase;
    struct computation computation;
    uint64_t n_call_events; // of the open call, read so far
    pag_work work_after;    // of the open call
    uint64_t ready_ns;      // when the open call has what it waits for
    uint64_t blocked_ns;    // since when the open call waits
    uint64_t call_wait_ns;  // that long
    bool is_waiting;        // it has conditions
    bool is_handle;         // it takes its time, but no core (cost_model.h)
    bool is_late;           // it stands for calls that were put off (overlap.h)
    bool is_put_off;        // it is one of those
    struct probe probe;     // what it waits to see
    struct polling polling;
    uint32_t n_late_calls;          // how many of those
    uint64_t n_events;              // before the open call, or before what is outside MPI
    bool has_started;               // took all its time up to MPI_Init
    bool has_passed;                // the open computation has passed all its time without a core:
    uint64_t outside_wait_ns;       // that long
    uint64_t recorded_attend_ns;    // of the open call (cost_model.h)
    uint32_t awaits, next_awaiting; // it waits for this rank to be in MPI, likewise; NONE
    bool gives_up;                  // on partners that will not come
    bool has_unknown_partner;       // that did not come, or is not known yet
    uint32_t n_receives_seen, n_sends_seen, n_parts_seen; // conditions of the call found to be met
    uint32_t *departing;                                  // messages sent in the open call
    uint32_t n_departing;
    size_t departing_capacity;
    uint32_t *receivers; // sites, of those that follow no other one (aggregate.h)
    uint32_t n_receivers;
    size_t receivers_capacity;
    pag_work outside_work;
    pag_work noisy_work; // of its computations so far, as it would be without noise
    uint64_t outside_ns, wait_ns, overhead_ns, lost_ns, recording_ns;
};

/// The posting of a receive in the recording.
struct posting_simulation {
    uint64_t recorded_ns; // enter of its call
    uint64_t event;       // its number in the location; PAG_NOT_KNOWN: it has none
};

/// The posting of a nonblocking collective operation.
struct posted_operation {
    uint64_t mark;  // of its call path
    uint64_t event; // as above
};

/// Times of a message that measured time needs not; by its pool index.
struct message_simulation {
    uint64_t recorded_send_ns; // enter of the call that sent it
    uint64_t recorded_post_ns; // of its receive, once matched
    uint64_t departed_ns;      // PAG_NOT_KNOWN: has not departed
    uint64_t arrived_ns;       // PAG_NOT_KNOWN: not known yet, or messages do not hinder each other
    uint64_t number;           // order of sending
    uint64_t size_bytes;       // as the run sends it (cut_messages.h), with what moved work adds
    uint32_t sender_site, receiver_site;  // when it departed
    uint64_t follows_ns;                  // see call_condition
    uint32_t luck;                        // likewise
    bool is_rendezvous, needs_attendance; // cost_model.h
    bool is_freed;      // by scenario.eager_bytes its sender waits for its receiver no longer
    bool needs_core;    // its sender waits until its receiver, in MPI, has a core (steps.h)
    uint64_t taken_ns;  // then: when that was so; PAG_NOT_KNOWN: not yet
    bool knows_receive; // not matched, but the receive that takes it is known (read_ahead.c)
};

static inline struct prediction *prediction_of(const struct engine *engine)
{
    return engine->driver;
}

static inline struct location_simulation *simulated_location(const struct engine *engine,
                                                             const struct location_state *location)
{
    return &prediction_of(engine)->locations[location->index];
}

/// Whether the sender of MESSAGE may wait for its receiver.
static inline bool send_waits(const struct engine *engine, uint32_t message)
{
    return prediction_of(engine)->messages[message].is_rendezvous ||
           prediction_of(engine)->messages[message].needs_attendance;
}

/// Where RANK is now (placement.h).
static inline uint32_t site_of(const struct prediction *prediction, uint32_t rank)
{
    return prediction->site_of_rank ? prediction->site_of_rank[rank] : rank;
}

/// The event AHEAD of the next one of LOCATION; NULL: it ends before.
static inline const struct event *event_ahead(const struct engine *engine,
                                              const struct location_state *location, uint32_t ahead)
{
    return trace_peek(engine->trace, location->index, location->cursor, ahead);
}

/// What the run came to so far.
static inline struct simulated *simulated_of(const struct engine *engine)
{
    return engine->result->simulated;
}
