// SPDX-License-Identifier: BSD-3-Clause
// The receive that will take a message (see wildcard.h): matching gives the unmatched messages of a
// channel to the receives that are completed there, call by call, within one call in the order of
// their posting. MPI gives them to those posted first: where the two differ it cannot be told.
#include "analyzer/simulation/wildcard.h"

#include "analyzer/simulation/state.h"

enum { MAX_AHEAD = 4096, MAX_CANDIDATES = 64 }; // events; receives

/// A walk through the next events of the receiver of a message.
struct walk {
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

static bool may_take(const struct walk *walk, const struct receive *receive)
{
    if (receive->communicator == EVENT_NO_INDEX)
        return receive->channel == NONE;
    return receive->is_deferred && receive->communicator == walk->channel->communicator &&
           (receive->source == EVENT_ANY || receive->source == walk->channel->sender) &&
           (receive->tag == EVENT_ANY || receive->tag == walk->channel->tag);
}

/// Counts the posted receives that could take a message of the channel. False when one of them
/// names it: matching gives it a place there at a time that is not looked for.
static bool find_candidates(struct walk *walk)
{
    const struct engine *engine = walk->engine;
    const struct rank_state *receiver = &engine->ranks[walk->channel->receiver];
    const struct mailbox *mailbox = pool_at(&engine->mailboxes, walk->channel->mailbox);
    walk->n_open = receiver->n_unresolved_posts - receiver->n_deferred_posts;
    for (uint32_t i = mailbox->first_deferred; i != NONE; i = receive_at(engine, i)->next) {
        const struct receive *receive = receive_at(engine, i);
        if (!may_take(walk, receive))
            continue;
        if (receive->source != EVENT_ANY && receive->tag != EVENT_ANY)
            return false;
        walk->n_open++;
    }
    return true;
}

static const struct event *event_at(const struct walk *walk, uint32_t ahead)
{
    return event_ahead(walk->engine, walk->location, ahead);
}

/// How many of the next events belong to the call the receiver is in, whose records are known.
static uint32_t skip_call(const struct walk *walk)
{
    const struct call *call = &walk->location->call;
    uint32_t depth = 0;
    if (!call->is_open || simulation_of(walk->engine)->locations[walk->location->index].is_late)
        return 0;
    if (call->is_bare)
        return 1;
    for (uint32_t ahead = 0; ahead < MAX_AHEAD; ahead++) {
        const struct event *event = event_at(walk, ahead);
        if (!event)
            return ahead;
        if (event->kind == EVENT_ENTER)
            depth++;
        else if (event->kind == EVENT_LEAVE && depth-- == 0)
            return ahead + 1;
    }
    return MAX_AHEAD;
}

static bool is_of_channel(const struct walk *walk, const struct event *event)
{
    const struct engine *engine = walk->engine;
    return event->index == walk->channel->communicator && event->tag == walk->channel->tag &&
           communicator_peer(&engine->definitions->communicators[event->index],
                             walk->location->rank, event->peer) == walk->channel->sender;
}

/// The candidate that EVENT completes or cancels, which is none from now on; NONE: it is none.
static uint32_t close(struct walk *walk, const struct event *event)
{
    const struct map *requests = &walk->engine->ranks[walk->location->rank].requests;
    uint32_t value;
    if (event->kind == EVENT_RECV || !map_get(requests, event->request, &value) ||
        value % REQUEST_KINDS != REQUEST_RECEIVE)
        return NONE;
    uint32_t receive = value / REQUEST_KINDS;
    if (!may_take(walk, receive_at(walk->engine, receive)))
        return NONE;
    for (uint32_t i = 0; i < walk->n_closed; i++)
        if (walk->closed[i] == receive) // its request is another one's by now
            return NONE;
    walk->closed[walk->n_closed++] = receive;
    return receive;
}

/// RECEIVE (NONE: one not posted yet) takes a message of the channel by the call that is read.
static void take(struct walk *walk, uint32_t receive)
{
    const struct engine *engine = walk->engine;
    if (receive == NONE) {
        walk->n_later++;
        return;
    }
    uint32_t place = walk->n_together++;
    for (; place > 0 && receive_at(engine, walk->together[place - 1])->sequence >
                            receive_at(engine, receive)->sequence;
         place--)
        walk->together[place] = walk->together[place - 1];
    walk->together[place] = receive;
}

/// The next message of the channel goes to RECEIVE. False when one posted later has got one before.
static bool give(struct walk *walk, uint32_t receive)
{
    uint64_t sequence = receive == NONE ? UINT64_MAX : receive_at(walk->engine, receive)->sequence;
    if (sequence < walk->last_sequence)
        return false;
    walk->last_sequence = sequence;
    if (walk->n_before == 0 && !walk->is_found) {
        walk->is_found = true;
        walk->found = receive;
    }
    walk->n_before -= walk->n_before > 0;
    return true;
}

/// The call that was read is over.
static bool end_call(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->n_together; i++)
        if (!give(walk, walk->together[i]))
            return false;
    for (; walk->n_later > 0; walk->n_later--)
        give(walk, NONE);
    walk->n_together = 0;
    return true;
}

/// Up to where the message is taken and no candidate is open. False: it cannot be told.
static bool look_ahead(struct walk *walk)
{
    for (uint32_t ahead = skip_call(walk); ahead < MAX_AHEAD; ahead++) {
        const struct event *event = event_at(walk, ahead);
        bool is_end = !event || event->kind <= EVENT_LEAVE;
        if (is_end && !end_call(walk))
            return false;
        if (is_end && walk->is_found && walk->n_closed == walk->n_open)
            return true;
        if (!event)
            return false;
        if (event->kind == EVENT_REQUEST_CANCELLED)
            close(walk, event);
        if (event->kind == EVENT_IRECV_REQUEST && (event->flags & EVENT_HAS_ENVELOPE) &&
            event->peer != EVENT_ANY && is_of_channel(walk, event))
            return false;
        if (event->kind != EVENT_RECV && event->kind != EVENT_IRECV)
            continue;
        uint32_t receive = close(walk, event);
        if (is_of_channel(walk, event))
            take(walk, receive);
    }
    return false;
}

enum wildcard_receive wildcard_find_receive(struct engine *engine, uint32_t index,
                                            uint32_t *receive)
{
    const struct message *message = message_at(engine, index);
    const struct rank_state *receiver = &engine->ranks[message->receiver];
    struct walk walk = {.engine = engine,
                        .location = &engine->locations[receiver->first_location],
                        .channel = channel_at(engine, message->channel)};
    if (simulation_of(engine)->entering == walk.location->index)
        return RECEIVE_COMES; // asked again when all of its call is matched
    if (!find_candidates(&walk) || receiver->n_locations > 1 || walk.n_open > MAX_CANDIDATES)
        return RECEIVE_UNKNOWN;
    if (walk.n_open == 0)
        return RECEIVE_COMES;
    for (uint32_t other = walk.channel->first_send; other != index;
         other = message_at(engine, other)->next_in_channel)
        walk.n_before++;
    walk.last_sequence = walk.channel->last_sequence;
    if (!look_ahead(&walk))
        return RECEIVE_UNKNOWN;
    *receive = walk.found;
    return walk.found == NONE ? RECEIVE_COMES : RECEIVE_POSTED;
}
