// SPDX-License-Identifier: BSD-3-Clause
// What a probe waits for (see probe.h).
#include "analyzer/simulation/probe.h"

#include "analyzer/pag/engine.h"
#include "analyzer/simulation/simulation.h"

enum { MAX_AHEAD = 4096 }; // events to the receive

static const struct probe nothing = {.communicator = EVENT_NO_INDEX};

/// Whether the call that begins with the event AHEAD of LOCATION is over within LENGTH_NS.
static bool is_over_within(struct engine *engine, const struct location_state *location,
                           uint32_t ahead, uint64_t length_ns)
{
    const struct event *event = trace_peek(engine->trace, location->index, location->cursor, ahead);
    uint64_t enter_ns = event->time_ns;
    event = trace_peek(engine->trace, location->index, location->cursor, ahead + 1);
    return event && event->kind == EVENT_LEAVE && event->time_ns - enter_ns <= length_ns;
}

/// The next record of a message or operation of LOCATION, whose call's enter has been read. Others
/// may happen between a probe and the receive, but not another probe; unless that is the next call,
/// and takes no longer, as it does where a function that receives looks for itself what it gets.
static const struct event *next_record(struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    uint32_t n_calls = 0;
    for (uint32_t ahead = 0; ahead < MAX_AHEAD; ahead++) {
        const struct event *event =
            trace_peek(engine->trace, location->index, location->cursor, ahead);
        if (!event || engine_is_message_record(event))
            return event;
        enum mpi_function function =
            event->kind == EVENT_ENTER ? region_at(engine, event->index)->mpi : MPI_FUNCTION_NONE;
        uint64_t length_ns = call->recorded_leave_ns - call->recorded_enter_ns;
        if (function == MPI_FUNCTION_PROBE &&
            (n_calls > 0 || !is_over_within(engine, location, ahead, length_ns)))
            return NULL;
        n_calls += function != MPI_FUNCTION_NONE;
    }
    return NULL;
}

/// The message that the receive posted next, with REQUEST, gets; NULL: not within some thousand
/// events.
static const struct event *completion_of(struct engine *engine,
                                         const struct location_state *location, uint64_t request)
{
    for (uint32_t ahead = 0; ahead < MAX_AHEAD; ahead++) {
        const struct event *event =
            trace_peek(engine->trace, location->index, location->cursor, ahead);
        if (!event || (event->kind == EVENT_IRECV && event->request == request))
            return event;
        if (event->kind == EVENT_REQUEST_CANCELLED && event->request == request)
            return NULL;
    }
    return NULL;
}

struct probe probe_of(struct engine *engine, struct location_state *location,
                      const struct event *event)
{
    const struct call *call = &location->call;
    if (call->is_bare || call->is_cut || call->n_records > 0)
        return nothing;
    enum mpi_function function = region_at(engine, event->index)->mpi;
    if (function != MPI_FUNCTION_PROBE &&
        (function != MPI_FUNCTION_IPROBE || !polling_has_seen(engine, location, event)))
        return nothing;
    const struct event *record = next_record(engine, location);
    if (record && record->kind == EVENT_IRECV_REQUEST && function == MPI_FUNCTION_IPROBE)
        record = completion_of(engine, location, record->request);
    else if (record && record->kind != EVENT_RECV)
        record = NULL;
    if (!record)
        return nothing;
    uint32_t source = communicator_peer(&engine->definitions->communicators[record->index],
                                        location->rank, record->peer);
    if (source == NONE)
        return nothing;
    const struct message_cuts *cuts = &prediction_of(engine)->scenario->cuts;
    uint64_t size_bytes = record->size_bytes;
    if (cuts->n > 0 && !message_cuts_sends(cuts, source, location->rank, record->tag, &size_bytes))
        return (struct probe){.communicator = EVENT_NO_INDEX, .is_left_out = true};
    if (engine->ranks[location->rank].n_unresolved_posts > 0)
        return nothing;
    uint32_t channel = channel_find(engine, &location->received, record->index, location->rank,
                                    source, record->tag);
    if (channel_at(engine, channel)->first_receive != NONE)
        return nothing;
    return (struct probe){record->index, source, record->tag, false};
}

uint32_t probe_message(struct engine *engine, struct location_state *location,
                       const struct probe *probe)
{
    uint32_t index = channel_find(engine, &location->received, probe->communicator, location->rank,
                                  probe->source, probe->tag);
    uint32_t message = channel_at(engine, index)->first_send;
    if (message == NONE)
        return NONE;
    const struct message_simulation *times = &simulation_of(engine)->messages[message];
    bool is_arriving = prediction_of(engine)->contention && !times->is_rendezvous;
    uint64_t known_ns = is_arriving ? times->arrived_ns : times->departed_ns;
    return known_ns == PAG_NOT_KNOWN ? NONE : message;
}
