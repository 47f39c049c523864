// SPDX-License-Identifier: BSD-3-Clause
// Which polls belong to a loop that ends, and what a probe waits for (see polling.h).
#include "analyzer/simulation/polling.h"

#include "analyzer/simulation/change/cut_messages.h"
#include "analyzer/simulation/state.h"

enum { MAX_AHEAD = 4096 }; // events to the end of a loop, or to the receive of what is probed

static bool is_poll(enum mpi_function function)
{
    return function == MPI_FUNCTION_TEST || function == MPI_FUNCTION_IPROBE;
}

/// Whether EVENT is more than the record that a request was looked at.
static bool is_record(const struct event *event)
{
    return engine_is_message_record(event) && event->kind != EVENT_REQUEST_TEST;
}

/// A walk over the events to come, one MPI call after the other.
struct walk {
    struct engine *engine;
    const struct location_state *location;
    uint32_t ahead; // of the next event
    int32_t depth;  // regions that are open there and were not open at the begin
    // of the call found last
    enum mpi_function function;
    uint32_t region, context;
    bool found_nothing; // says the trace
    bool has_records, has_regions;
    bool is_receive; // the first of these completes a blocking receive
    bool is_posting; // the first of these posts a receive
};

static const struct event *peek(const struct walk *walk)
{
    if (walk->ahead >= MAX_AHEAD)
        return NULL;
    return event_ahead(walk->engine, walk->location, walk->ahead);
}

/// Goes to the leave of the call whose enter was passed; false when there is none.
static bool pass_call(struct walk *walk)
{
    uint32_t depth = 0;
    walk->has_records = walk->has_regions = walk->is_receive = walk->is_posting = false;
    for (;; walk->ahead++) {
        const struct event *event = peek(walk);
        if (!event)
            return false;
        if (is_record(event)) {
            walk->is_receive = !walk->has_records && event->kind == EVENT_RECV;
            walk->is_posting = !walk->has_records && event->kind == EVENT_IRECV_REQUEST;
            walk->has_records = true;
        } else if (event->kind == EVENT_ENTER) {
            depth++;
            walk->has_regions = true;
        } else if (event->kind == EVENT_LEAVE && depth-- == 0) {
            walk->ahead++;
            return true;
        }
    }
}

/// Goes on to behind the next MPI call; false where something else stands in the way.
static bool pass_to_call(struct walk *walk)
{
    for (;; walk->ahead++) {
        const struct event *event = peek(walk);
        if (!event || is_record(event) ||
            (event->kind >= EVENT_THREAD_FORK && event->kind <= EVENT_THREAD_TEAM_END) ||
            event->kind == EVENT_MEASUREMENT_OFF || event->kind == EVENT_MEASUREMENT_ON)
            return false;
        walk->depth -= event->kind == EVENT_LEAVE;
        if (event->kind != EVENT_ENTER)
            continue;
        walk->function = region_at(walk->engine, event->index)->mpi;
        walk->depth += walk->function == MPI_FUNCTION_NONE;
        if (walk->function == MPI_FUNCTION_NONE)
            continue;
        walk->region = event->index;
        walk->context = event->context;
        walk->found_nothing = (event->flags & EVENT_FOLDED_POLLS) != 0;
        walk->ahead++;
        return pass_call(walk) && walk->function != MPI_FUNCTION_INIT &&
               walk->function != MPI_FUNCTION_FINALIZE;
    }
}

/// Whether calls in these calling contexts are made by one function, called from one place.
static bool is_one_caller(const struct engine *engine, uint32_t a, uint32_t b)
{
    const struct calling_context *contexts = engine->definitions->contexts;
    if (a == EVENT_NO_INDEX || b == EVENT_NO_INDEX)
        return a == b;
    return contexts[a].region == contexts[b].region && contexts[a].parent == contexts[b].parent;
}

/// Whether the loop that the poll entered by EVENT belongs to has an end; *N polls without records
/// come before that, or before it is known that there is none.
static bool has_end(struct engine *engine, const struct location_state *location,
                    const struct event *event, uint32_t *n)
{
    struct walk walk = {.engine = engine, .location = location};
    bool may_have_seen = false; // the poll passed last
    // ... which must have, as it would be folded with those right before it otherwise.
    bool has_seen = false, is_folded = (event->flags & EVENT_FOLDED_POLLS) != 0;
    *n = 0;
    for (bool is_on = pass_call(&walk) && !walk.has_regions;
         is_on && pass_to_call(&walk) && walk.depth >= 0;) {
        if (walk.has_records && may_have_seen && (walk.is_receive || (walk.is_posting && has_seen)))
            return true;
        bool is_alike = walk.region == event->index && walk.depth == 0 &&
                        is_one_caller(engine, walk.context, event->context);
        if (walk.has_records) {
            *n += may_have_seen;
            return is_alike && !walk.has_regions;
        }
        has_seen = has_seen && walk.region != event->index;
        if (walk.region != event->index) {
            is_folded = false;
            continue;
        }
        *n += may_have_seen; // it was one of the loop
        if (!is_alike || walk.has_regions)
            return false;
        may_have_seen = walk.function == MPI_FUNCTION_IPROBE && !walk.found_nothing;
        has_seen = may_have_seen && is_folded;
        is_folded = walk.found_nothing;
        *n += !may_have_seen;
    }
    return false;
}

/// Whether the open call of LOCATION, MPI_Iprobe whose enter EVENT was, saw the message that a
/// blocking receive takes next, or one posted behind a loop.
static bool has_seen_message(struct engine *engine, const struct location_state *location,
                             const struct event *event)
{
    const struct polling *polling = &simulation_of(engine)->locations[location->index].polling;
    struct walk walk = {.engine = engine, .location = location};
    if ((event->flags & EVENT_FOLDED_POLLS) || !pass_call(&walk))
        return false;
    bool ends_loop =
        polling->are_waiting && polling->waited_ns > 0 && polling->region == event->index;
    while (pass_to_call(&walk)) {
        if (walk.has_records)
            return walk.is_receive || (walk.is_posting && ends_loop);
        if (is_poll(walk.function) || walk.function == MPI_FUNCTION_PROBE)
            return false;
    }
    return false;
}

bool polling_takes_no_time(struct engine *engine, struct location_state *location,
                           const struct event *event)
{
    struct polling *polling = &simulation_of(engine)->locations[location->index].polling;
    const struct prediction *prediction = prediction_of(engine);
    const struct call *call = &location->call;
    polling->of_call_ns = 0;
    if (!prediction->costs->polls_wait || !location->is_master || call->is_bare || call->is_cut ||
        !call->is_test || recorded_lacked_cores(prediction->recorded, location->rank))
        return false;
    bool has_found = call->n_records > 0;
    if (region_at(engine, event->index)->mpi == MPI_FUNCTION_IPROBE)
        has_found = has_found || has_seen_message(engine, location, event);
    if (has_found) {
        polling->of_call_ns = polling->waited_ns;
        polling->waited_ns = 0;
        return false;
    }
    if (polling->n_known > 0 && polling->region == event->index)
        polling->n_known--;
    else
        polling->are_waiting = has_end(engine, location, event, &polling->n_known);
    polling->region = event->index;
    if (polling->are_waiting)
        polling->waited_ns += call->recorded_leave_ns - call->recorded_enter_ns;
    return polling->are_waiting;
}

// --- probes

static const struct probe nothing = {.communicator = EVENT_NO_INDEX};

/// Whether the call that begins with the event AHEAD of LOCATION is over within LENGTH_NS.
static bool is_over_within(struct engine *engine, const struct location_state *location,
                           uint32_t ahead, uint64_t length_ns)
{
    const struct event *event = event_ahead(engine, location, ahead);
    uint64_t enter_ns = event->time_ns;
    event = event_ahead(engine, location, ahead + 1);
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
        const struct event *event = event_ahead(engine, location, ahead);
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
        const struct event *event = event_ahead(engine, location, ahead);
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
        (function != MPI_FUNCTION_IPROBE || !has_seen_message(engine, location, event)))
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
    uint64_t size_bytes = record->size_bytes;
    if (!message_cuts_sends(prediction_of(engine)->scenario, source, location->rank, record->tag,
                            &size_bytes))
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
