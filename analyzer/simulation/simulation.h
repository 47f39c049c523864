// SPDX-License-Identifier: BSD-3-Clause
// The state of a replay in simulated time; what a location does, what it waits for.
#ifndef PAGODA_SIMULATION_SIMULATION_H
#define PAGODA_SIMULATION_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/engine.h"
#include "analyzer/simulation/change/drop_sync.h"
#include "analyzer/simulation/computation.h"
#include "analyzer/simulation/polling.h"
#include "analyzer/simulation/prediction.h"

struct aggregation;
struct arrival;
struct migration;
struct overlap;
struct transfer;

/// What a location does.
enum simulation_phase {
    SIMULATION_BEFORE,  // its first event
    SIMULATION_OUTSIDE, // works outside MPI
    SIMULATION_ENTERED, // works in a call before its messages depart
    SIMULATION_BLOCKED, // in a call, for partners that have not come
    SIMULATION_LEAVING, // in a call, until what it waits for is there and the work after that done
    SIMULATION_ENDED,
};

struct location_simulation {
    enum simulation_phase phase;
    struct computation computation;
    pag_work computation_work;
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
    uint32_t n_late_calls;    // so many of those
    uint64_t n_events;        // before the open call, or before what is outside MPI
    bool has_started;         // took all its time up to MPI_Init
    uint64_t start_wait_ns;   // that long without a core, in the open computation
    bool gives_up;            // on partners that will not come
    bool has_unknown_partner; // that did not come, or cannot be told yet
    uint32_t n_receives_seen, n_sends_seen, n_parts_seen; // conditions of the call found to be met
    uint32_t *departing;                                  // messages sent in the open call
    uint32_t n_departing;
    size_t departing_capacity;
    uint32_t *receivers; // of those that follow no other one (aggregate.h)
    uint32_t n_receivers;
    size_t receivers_capacity;
    pag_work outside_work;
    uint64_t outside_ns, wait_ns, overhead_ns, lost_ns;
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
    uint64_t recorded_send_ns;  // enter of the call that sent it
    uint64_t recorded_since_ns; // begin of what of that was the sender's own (call_condition)
    uint64_t recorded_post_ns;  // of its receive, once matched
    uint64_t departed_ns;       // PAG_NOT_KNOWN: has not departed
    uint64_t arrived_ns;  // PAG_NOT_KNOWN: not known yet, or messages do not hinder each other
    uint64_t number;      // order of sending
    uint64_t size_bytes;  // as the run sends it (cut_messages.h)
    uint64_t added_bytes; // more than that
    uint64_t follows_ns;  // see call_condition
    bool is_rendezvous;
    bool knows_receive; // not matched, but the receive that takes it is known (wildcard.h)
};

struct simulation {
    struct prediction *prediction;
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
    struct left_out_parts *left_out; // of collective operations
    uint32_t n_blocked_sends;        // locations blocked until a receive is posted
    uint32_t entering;               // location whose call is being matched, NONE
    uint64_t n_sent;
    struct transfer *transfers; // messages not yet transferred
    size_t n_transfers, transfer_capacity;
    struct arrival *arrived; // those just shown
    size_t arrived_capacity;
    uint64_t now_ns;
};

static inline struct simulation *simulation_of(const struct engine *engine)
{
    return engine->driver;
}

static inline struct location_simulation *simulated_location(const struct engine *engine,
                                                             const struct location_state *location)
{
    return &simulation_of(engine)->locations[location->index];
}

static inline struct prediction *prediction_of(const struct engine *engine)
{
    return simulation_of(engine)->prediction;
}

/// What matching tells (pag/hooks.h).
extern const struct engine_hooks simulation_hooks;

#endif
