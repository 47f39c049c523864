// SPDX-License-Identifier: BSD-3-Clause
// Loops of polls, probes and the receives of messages (see steps.h).
#include "analyzer/simulation/steps.h"

#include "analyzer/simulation/change/cut_messages.h"
#include "analyzer/simulation/state.h"

enum { MAX_AHEAD = 4096, MAX_CANDIDATES = 64 }; // events; receives

// --- polls

static bool is_poll(enum mpi_function function)
{
    return function == MPI_FUNCTION_TEST || function == MPI_FUNCTION_IPROBE;
}

/// Whether EVENT is more than the record that a request was looked at.
static bool is_record(const struct event *event)
{
    return event_is_message_record(event) && event->kind != EVENT_REQUEST_TEST;
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

/// Goes on to after the next MPI call; false where something else stands in the way.
static bool pass_to_call(struct walk *walk)
{
    for (;; walk->ahead++) {
        const struct event *event = peek(walk);
        if (!event || is_record(event) || event_is_of_threads(event) || event_is_switch(event))
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
    for (bool is_on = pass_call(&walk) && !walk.has_regions; is_on && pass_to_call(&walk);) {
        bool takes = walk.is_receive || (walk.is_posting && has_seen);
        if (walk.has_records && takes && (walk.depth >= 0 ? may_have_seen : has_seen))
            return true;
        if (walk.depth < 0) // a function that polls may return to one that receives
            break;
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
/// blocking receive takes next, or one posted after a loop.
static bool has_seen_message(struct engine *engine, const struct location_state *location,
                             const struct event *event)
{
    const struct polling *polling = &prediction_of(engine)->locations[location->index].polling;
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
    struct polling *polling = &prediction_of(engine)->locations[location->index].polling;
    const struct prediction *prediction = prediction_of(engine);
    const struct call *call = &location->call;
    polling->of_call_ns = 0;
    if (!prediction->costs->polls_wait || !location->is_master || call->is_bare || call->is_cut ||
        !call->is_test || recorded_is_oversubscribed(prediction->recorded, location->rank))
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
    const struct event *record = call_record_after_probe(location);
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
    const struct message_simulation *times = &prediction_of(engine)->messages[message];
    bool is_arriving = prediction_of(engine)->contention && !times->is_rendezvous;
    uint64_t known_ns = is_arriving ? times->arrived_ns : times->departed_ns;
    return known_ns == PAG_NOT_KNOWN ? NONE : message;
}

// --- receives: matching gives the unmatched messages of a channel to the receives that are
// completed there, call by call, within one call in the order of their posting. MPI gives them to
// those posted first: where the two differ it is not known.

/// A walk through the next events of the receiver of a message.
struct taking {
    struct engine *engine;
    const struct location_state *location; // of the receiver
    const struct channel *channel;
    uint32_t n_before;               // unmatched messages of the channel before this one
    uint32_t n_open;                 // posted receives that may take a message of the channel
    uint32_t closed[MAX_CANDIDATES]; // those of them that are completed in the events read
    uint32_t n_closed;
    uint32_t together[MAX_CANDIDATES]; // that take one in the present call, sorted by posting
    uint32_t n_together, n_later;      // and how many take one that are not posted yet
    bool is_found;
    uint32_t found;         // the receive that takes it; NONE: it is not posted yet
    uint64_t last_sequence; // of those that took a message up to now
};

static bool may_take(const struct taking *taking, const struct receive *receive)
{
    if (receive->communicator == EVENT_NO_INDEX)
        return receive->channel == NONE;
    return receive->is_deferred && receive->communicator == taking->channel->communicator &&
           (receive->source == EVENT_ANY || receive->source == taking->channel->sender) &&
           (receive->tag == EVENT_ANY || receive->tag == taking->channel->tag);
}

/// Counts the posted receives that could take a message of the channel. False when one of them
/// names it: matching gives it a place there at a time that is not looked for.
static bool find_candidates(struct taking *taking)
{
    const struct engine *engine = taking->engine;
    const struct rank_state *receiver = &engine->ranks[taking->channel->receiver];
    const struct mailbox *mailbox = pool_at(&engine->mailboxes, taking->channel->mailbox);
    taking->n_open = receiver->n_unresolved_posts - receiver->n_deferred_posts;
    for (uint32_t i = mailbox->first_deferred; i != NONE; i = receive_at(engine, i)->next) {
        const struct receive *receive = receive_at(engine, i);
        if (!may_take(taking, receive))
            continue;
        if (receive->source != EVENT_ANY && receive->tag != EVENT_ANY)
            return false;
        taking->n_open++;
    }
    return true;
}

/// How many of the next events belong to the call the receiver is in, whose records are known.
static uint32_t skip_call(const struct taking *taking)
{
    const struct call *call = &taking->location->call;
    struct walk walk = {.engine = taking->engine, .location = taking->location};
    if (!call->is_open || simulated_location(taking->engine, taking->location)->is_late)
        return 0;
    if (call->is_bare)
        return 1;
    return pass_call(&walk) ? walk.ahead : MAX_AHEAD;
}

static bool is_of_channel(const struct taking *taking, const struct event *event)
{
    const struct engine *engine = taking->engine;
    return event->index == taking->channel->communicator && event->tag == taking->channel->tag &&
           communicator_peer(&engine->definitions->communicators[event->index],
                             taking->location->rank, event->peer) == taking->channel->sender;
}

/// The candidate that EVENT completes or cancels, which is none from now on; NONE: it is none.
static uint32_t close(struct taking *taking, const struct event *event)
{
    const struct map *requests = &taking->engine->ranks[taking->location->rank].requests;
    uint32_t value;
    if (event->kind == EVENT_RECV || !map_get(requests, event->request, &value) ||
        value % REQUEST_KINDS != REQUEST_RECEIVE)
        return NONE;
    uint32_t receive = value / REQUEST_KINDS;
    if (!may_take(taking, receive_at(taking->engine, receive)))
        return NONE;
    for (uint32_t i = 0; i < taking->n_closed; i++)
        if (taking->closed[i] == receive) // its request is another one's by now
            return NONE;
    taking->closed[taking->n_closed++] = receive;
    return receive;
}

/// RECEIVE (NONE: one not posted yet) takes a message of the channel by the call that is read.
static void take(struct taking *taking, uint32_t receive)
{
    const struct engine *engine = taking->engine;
    if (receive == NONE) {
        taking->n_later++;
        return;
    }
    uint32_t place = taking->n_together++;
    for (; place > 0 && receive_at(engine, taking->together[place - 1])->sequence >
                            receive_at(engine, receive)->sequence;
         place--)
        taking->together[place] = taking->together[place - 1];
    taking->together[place] = receive;
}

/// The next message of the channel goes to RECEIVE. False when one posted later has got one before.
static bool give(struct taking *taking, uint32_t receive)
{
    uint64_t sequence =
        receive == NONE ? UINT64_MAX : receive_at(taking->engine, receive)->sequence;
    if (sequence < taking->last_sequence)
        return false;
    taking->last_sequence = sequence;
    if (taking->n_before == 0 && !taking->is_found) {
        taking->is_found = true;
        taking->found = receive;
    }
    taking->n_before -= taking->n_before > 0;
    return true;
}

/// The call that was read is over.
static bool end_call(struct taking *taking)
{
    for (uint32_t i = 0; i < taking->n_together; i++)
        if (!give(taking, taking->together[i]))
            return false;
    for (; taking->n_later > 0; taking->n_later--)
        give(taking, NONE);
    taking->n_together = 0;
    return true;
}

/// Up to where the message is taken and no candidate is open. False: it is not known.
static bool look_ahead(struct taking *taking)
{
    for (uint32_t ahead = skip_call(taking); ahead < MAX_AHEAD; ahead++) {
        const struct event *event = event_ahead(taking->engine, taking->location, ahead);
        bool is_end = !event || event->kind <= EVENT_LEAVE;
        if (is_end && !end_call(taking))
            return false;
        if (is_end && taking->is_found && taking->n_closed == taking->n_open)
            return true;
        if (!event)
            return false;
        if (event->kind == EVENT_REQUEST_CANCELLED)
            close(taking, event);
        if (event->kind == EVENT_IRECV_REQUEST && (event->flags & EVENT_HAS_ENVELOPE) &&
            event->peer != EVENT_ANY && is_of_channel(taking, event))
            return false;
        if (event->kind != EVENT_RECV && event->kind != EVENT_IRECV)
            continue;
        uint32_t receive = close(taking, event);
        if (is_of_channel(taking, event))
            take(taking, receive);
    }
    return false;
}

enum wildcard_receive wildcard_find_receive(struct engine *engine, uint32_t index,
                                            uint32_t *receive)
{
    const struct message *message = message_at(engine, index);
    const struct rank_state *receiver = &engine->ranks[message->receiver];
    struct taking taking = {.engine = engine,
                            .location = &engine->locations[receiver->first_location],
                            .channel = channel_at(engine, message->channel)};
    if (prediction_of(engine)->entering == taking.location->index)
        return RECEIVE_COMES; // asked again when all of its call is matched
    if (!find_candidates(&taking) || receiver->n_locations > 1 || taking.n_open > MAX_CANDIDATES)
        return RECEIVE_UNKNOWN;
    if (taking.n_open == 0)
        return RECEIVE_COMES;
    for (uint32_t other = taking.channel->first_send; other != index;
         other = message_at(engine, other)->next_in_channel)
        taking.n_before++;
    taking.last_sequence = taking.channel->last_sequence;
    if (!look_ahead(&taking))
        return RECEIVE_UNKNOWN;
    *receive = taking.found;
    return taking.found == NONE ? RECEIVE_COMES : RECEIVE_POSTED;
}
