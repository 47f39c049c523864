// SPDX-License-Identifier: BSD-3-Clause
// The place of a posted receive. One whose channel is known queues there, in the order of posting,
// or takes the channel's first send. One with a wildcard is deferred until its completion names the
// channel, and so are later ones that compete with it for the same messages.
#include "analyzer/pag/matching/matching.h"

static struct mailbox *mailbox_of(struct engine *engine, const struct receive *receive)
{
    uint32_t index = channel_mailbox(engine, receive->communicator, receive->rank);
    return pool_at(&engine->mailboxes, index);
}

static bool may_take_same(const struct receive *wildcard, const struct receive *other)
{
    return (wildcard->source == EVENT_ANY || wildcard->source == other->source) &&
           (wildcard->tag == EVENT_ANY || wildcard->tag == other->tag);
}

static bool is_wildcard(const struct receive *receive)
{
    return receive->source == EVENT_ANY || receive->tag == EVENT_ANY;
}

/// Whether an older deferred wildcard of the mailbox could take RECEIVE's message; looks at the
/// list from its start up to BEFORE (NONE: to its end).
static bool has_older_rival(const struct engine *engine, const struct mailbox *mailbox,
                            const struct receive *receive, uint32_t before)
{
    for (uint32_t i = mailbox->first_deferred; i != NONE && i != before;
         i = receive_at(engine, i)->next) {
        const struct receive *older = receive_at(engine, i);
        if (is_wildcard(older) && may_take_same(older, receive))
            return true;
    }
    return false;
}

static void queue(struct engine *engine, uint32_t index)
{
    struct receive *receive = receive_at(engine, index);
    uint32_t channel_index =
        channel_find(engine, &engine->locations[receive->location].received, receive->communicator,
                     receive->rank, receive->source, receive->tag);
    struct channel *channel = channel_at(engine, channel_index);
    receive->channel = channel_index;
    if (receive->sequence < channel->last_sequence)
        engine->result->n_ambiguous_receives++;
    else
        channel->last_sequence = receive->sequence;
    uint32_t message = channel_pop_send(engine, channel);
    if (message == NONE)
        channel_push_receive(engine, channel, index);
    else
        match_pair(engine, message, index);
}

static void defer(struct engine *engine, struct mailbox *mailbox, uint32_t index)
{
    struct receive *receive = receive_at(engine, index);
    receive->is_deferred = true;
    receive->previous = mailbox->last_deferred;
    receive->next = NONE;
    if (mailbox->last_deferred == NONE)
        mailbox->first_deferred = index;
    else
        receive_at(engine, mailbox->last_deferred)->next = index;
    mailbox->last_deferred = index;
    engine->ranks[receive->rank].n_unresolved_posts++;
    engine->ranks[receive->rank].n_deferred_posts++;
}

static void undefer(struct engine *engine, struct mailbox *mailbox, uint32_t index)
{
    struct receive *receive = receive_at(engine, index);
    if (receive->previous == NONE)
        mailbox->first_deferred = receive->next;
    else
        receive_at(engine, receive->previous)->next = receive->next;
    if (receive->next == NONE)
        mailbox->last_deferred = receive->previous;
    else
        receive_at(engine, receive->next)->previous = receive->previous;
    receive->is_deferred = false;
    engine->ranks[receive->rank].n_unresolved_posts--;
    engine->ranks[receive->rank].n_deferred_posts--;
}

/// Older receives that are deferred but name the same channel keep their places before RECEIVE.
static void queue_older(struct engine *engine, const struct receive *receive)
{
    struct mailbox *mailbox = mailbox_of(engine, receive);
    uint32_t source = receive->source, tag = receive->tag;
    uint64_t sequence = receive->sequence;
    for (uint32_t i = mailbox->first_deferred; i != NONE;) {
        const struct receive *older = receive_at(engine, i);
        uint32_t next = older->next;
        if (older->sequence < sequence && older->source == source && older->tag == tag) {
            undefer(engine, mailbox, i);
            queue(engine, i);
        }
        i = next;
    }
}

void posted_queue(struct engine *engine, uint32_t index)
{
    const struct receive *receive = receive_at(engine, index);
    if (engine->ranks[receive->rank].n_unresolved_posts > 0)
        queue_older(engine, receive);
    queue(engine, index);
}

/// After a wildcard has left the list: what waited only for it takes its place.
static void release_deferred(struct engine *engine, struct mailbox *mailbox)
{
    for (uint32_t i = mailbox->first_deferred; i != NONE;) {
        const struct receive *receive = receive_at(engine, i);
        uint32_t next = receive->next;
        if (!is_wildcard(receive) && !has_older_rival(engine, mailbox, receive, i)) {
            undefer(engine, mailbox, i);
            queue(engine, i);
        }
        i = next;
    }
}

/// Gives a posted receive with a full or partial envelope its place.
void posted_place(struct engine *engine, uint32_t index)
{
    struct receive *receive = receive_at(engine, index);
    bool has_rivals = engine->ranks[receive->rank].n_unresolved_posts > 0;
    if (is_wildcard(receive) ||
        (has_rivals && has_older_rival(engine, mailbox_of(engine, receive), receive, NONE))) {
        defer(engine, mailbox_of(engine, receive), index);
        return;
    }
    receive->names_channel = true;
    queue(engine, index);
}

void posted_withdraw(struct engine *engine, uint32_t index)
{
    const struct receive *receive = receive_at(engine, index);
    if (receive->is_deferred)
        undefer(engine, mailbox_of(engine, receive), index);
    else
        engine->ranks[receive->rank].n_unresolved_posts--;
}

void posted_release_rivals(struct engine *engine, const struct receive *receive)
{
    bool has_mailbox = receive->communicator != EVENT_NO_INDEX;
    if (has_mailbox && engine->ranks[receive->rank].n_unresolved_posts > 0)
        release_deferred(engine, mailbox_of(engine, receive));
}
