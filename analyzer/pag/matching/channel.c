// SPDX-License-Identifier: BSD-3-Clause
// Channels: a chained hash table by (communicator, receiver, sender, tag). Channels without
// anything queued are swept before the table grows, so that a program that uses every tag once
// does not fill the memory.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/matching/matching.h"

enum { FIRST_BUCKETS = 1024 };

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t hash = (a ^ (b * UINT64_C(0xC2B2AE3D27D4EB4F))) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static uint32_t bucket_of(const struct engine *engine, const struct channel *channel)
{
    uint64_t hash = mix((uint64_t)channel->communicator << 32 | channel->receiver,
                        (uint64_t)channel->sender << 32 | channel->tag);
    return (uint32_t)hash & (engine->n_channel_buckets - 1);
}

static void new_buckets(struct engine *engine, uint32_t n_buckets)
{
    free(engine->channel_buckets);
    engine->n_channel_buckets = n_buckets;
    engine->channel_buckets = memory_new(n_buckets * sizeof(uint32_t));
    memset(engine->channel_buckets, 0xff, n_buckets * sizeof(uint32_t)); // NONE
}

void channel_init(struct engine *engine)
{
    pool_init(&engine->channels, sizeof(struct channel));
    engine->channel_buckets = NULL;
    engine->channel_epoch = 1;
    new_buckets(engine, FIRST_BUCKETS);
}

void channel_release(struct engine *engine)
{
    free(engine->channel_buckets);
    pool_release(&engine->channels);
}

uint32_t channel_mailbox(struct engine *engine, uint32_t communicator, uint32_t receiver)
{
    uint64_t key = (uint64_t)communicator << 32 | receiver;
    uint32_t index;
    if (!map_get(&engine->mailbox_of, key, &index)) {
        index = pool_take(&engine->mailboxes);
        *(struct mailbox *)pool_at(&engine->mailboxes, index) =
            (struct mailbox){NONE, NONE, NONE, NONE};
        map_put(&engine->mailbox_of, key, index);
    }
    return index;
}

static uint32_t message_kind(struct engine *engine, uint32_t communicator, uint32_t tag)
{
    uint64_t key = (uint64_t)communicator << 32 | tag;
    uint32_t index;
    struct pag_result *result = engine->result;
    if (map_get(&engine->message_kind_of, key, &index))
        return index;
    if (result->n_message_kinds >= PAG_MAX_TAGS && tag != PAG_OTHER_TAGS)
        return message_kind(engine, communicator, PAG_OTHER_TAGS);
    index = (uint32_t)result->n_message_kinds++;
    result->message_kinds = array_reserve(result->message_kinds, &engine->message_kind_capacity,
                                          result->n_message_kinds, sizeof(*result->message_kinds));
    result->message_kinds[index] =
        (struct pag_message_kind){.number = index, .communicator = communicator, .tag = tag};
    map_put(&engine->message_kind_of, key, index);
    return index;
}

/// The counters of messages of one kind between two ranks: a message has one place to be counted.
static uint32_t traffic_between(struct engine *engine, uint32_t kind, uint32_t sender,
                                uint32_t receiver)
{
    uint64_t key = ((uint64_t)kind * engine->n_ranks + sender) * engine->n_ranks + receiver;
    uint32_t index;
    struct pag_result *result = engine->result;
    if (!map_get(&engine->traffic_of, key, &index)) {
        index = (uint32_t)result->n_traffic++;
        result->traffic = array_reserve(result->traffic, &engine->traffic_capacity,
                                        result->n_traffic, sizeof(*result->traffic));
        result->traffic[index] =
            (struct pag_traffic){.sender = sender, .receiver = receiver, .kind = kind};
        map_put(&engine->traffic_of, key, index);
    }
    return index;
}

static bool is_idle(const struct channel *channel)
{
    return channel->first_send == NONE && channel->first_receive == NONE;
}

/// Empty channels go, the others move into N_BUCKETS fresh buckets.
static void sweep(struct engine *engine)
{
    uint32_t *old = engine->channel_buckets, n_old = engine->n_channel_buckets;
    engine->channel_buckets = NULL;
    engine->channel_epoch++;
    uint32_t n_kept = 0;
    for (uint32_t bucket = 0; bucket < n_old; bucket++)
        for (uint32_t i = old[bucket]; i != NONE; i = channel_at(engine, i)->next_in_bucket)
            n_kept += !is_idle(channel_at(engine, i));
    uint32_t n_buckets = n_old;
    while (n_kept > n_buckets / 4)
        n_buckets *= 2;
    new_buckets(engine, n_buckets);
    for (uint32_t bucket = 0; bucket < n_old; bucket++) {
        for (uint32_t i = old[bucket]; i != NONE;) {
            struct channel *channel = channel_at(engine, i);
            uint32_t next = channel->next_in_bucket;
            if (is_idle(channel)) {
                pool_give(&engine->channels, i);
            } else {
                uint32_t *place = &engine->channel_buckets[bucket_of(engine, channel)];
                channel->next_in_bucket = *place;
                *place = i;
            }
            i = next;
        }
    }
    free(old);
}

static bool is_same(const struct channel *a, const struct channel *b)
{
    return a->communicator == b->communicator && a->receiver == b->receiver &&
           a->sender == b->sender && a->tag == b->tag;
}

static uint32_t new_channel(struct engine *engine, struct channel *wanted)
{
    if (engine->channels.n_live >= engine->n_channel_buckets)
        sweep(engine);
    wanted->first_send = wanted->last_send = NONE;
    wanted->first_receive = wanted->last_receive = NONE;
    wanted->mailbox = channel_mailbox(engine, wanted->communicator, wanted->receiver);
    wanted->traffic = NONE;
    if (!definitions_is_window(engine->definitions, wanted->communicator))
        wanted->traffic =
            traffic_between(engine, message_kind(engine, wanted->communicator, wanted->tag),
                            wanted->sender, wanted->receiver);
    uint32_t *bucket = &engine->channel_buckets[bucket_of(engine, wanted)];
    wanted->next_in_bucket = *bucket;
    uint32_t index = pool_take(&engine->channels);
    *channel_at(engine, index) = *wanted;
    *bucket = index;
    return index;
}

static uint32_t look_up(const struct engine *engine, const struct channel *wanted)
{
    uint32_t index = engine->channel_buckets[bucket_of(engine, wanted)];
    while (index != NONE && !is_same(channel_at(engine, index), wanted))
        index = channel_at(engine, index)->next_in_bucket;
    return index;
}

const struct channel *channel_known(const struct engine *engine, uint32_t receiver,
                                    const struct envelope *envelope)
{
    struct channel wanted = {.communicator = envelope->communicator,
                             .receiver = receiver,
                             .sender = envelope->source,
                             .tag = envelope->tag};
    uint32_t index = look_up(engine, &wanted);
    return index == NONE ? NULL : channel_at(engine, index);
}

uint32_t channel_find(struct engine *engine, struct recent_channel *recent, uint32_t communicator,
                      uint32_t receiver, uint32_t sender, uint32_t tag)
{
    if (recent->epoch == engine->channel_epoch) {
        const struct channel *last = channel_at(engine, recent->channel);
        if (last->communicator == communicator && last->receiver == receiver &&
            last->sender == sender && last->tag == tag)
            return recent->channel;
    }
    struct channel wanted = {
        .communicator = communicator, .receiver = receiver, .sender = sender, .tag = tag};
    uint32_t index = look_up(engine, &wanted);
    if (index == NONE)
        index = new_channel(engine, &wanted);
    *recent = (struct recent_channel){index, engine->channel_epoch};
    return index;
}

uint32_t channel_kind(const struct engine *engine, uint32_t channel)
{
    uint32_t traffic = channel_at(engine, channel)->traffic;
    return traffic == NONE ? NONE : engine->result->traffic[traffic].kind;
}

void channel_count_traffic(struct engine *engine, struct channel *channel, uint64_t size_bytes)
{
    if (channel->traffic == NONE) // of a window
        return;
    struct pag_traffic *traffic = &engine->result->traffic[channel->traffic];
    traffic->n_messages++;
    traffic->size_bytes += size_bytes;
    struct pag_size_class *of_size =
        &engine->result->message_sizes[size_bytes == 0 ? 0 : 64 - __builtin_clzll(size_bytes)];
    of_size->n_messages++;
    of_size->size_bytes += size_bytes;
}

static uint32_t *next_send(const struct engine *engine, uint32_t message)
{
    return &message_at(engine, message)->next_in_channel;
}

static uint32_t *next_receive(const struct engine *engine, uint32_t receive)
{
    return &receive_at(engine, receive)->next_in_channel;
}

void channel_push_send(struct engine *engine, struct channel *channel, uint32_t message)
{
    *next_send(engine, message) = NONE;
    if (channel->first_send == NONE)
        channel->first_send = message;
    else
        *next_send(engine, channel->last_send) = message;
    channel->last_send = message;
}

void channel_push_receive(struct engine *engine, struct channel *channel, uint32_t receive)
{
    *next_receive(engine, receive) = NONE;
    if (channel->first_receive == NONE)
        channel->first_receive = receive;
    else
        *next_receive(engine, channel->last_receive) = receive;
    channel->last_receive = receive;
}

uint32_t channel_pop_send(struct engine *engine, struct channel *channel)
{
    uint32_t message = channel->first_send;
    if (message != NONE)
        channel->first_send = *next_send(engine, message);
    return message;
}

uint32_t channel_pop_receive(struct engine *engine, struct channel *channel)
{
    uint32_t receive = channel->first_receive;
    if (receive != NONE)
        channel->first_receive = *next_receive(engine, receive);
    return receive;
}

typedef uint32_t *next_of(const struct engine *engine, uint32_t item);

static void remove_item(const struct engine *engine, uint32_t *first, uint32_t *last, uint32_t item,
                        next_of *next)
{
    uint32_t previous = NONE;
    for (uint32_t i = *first; i != item; i = *next(engine, i)) {
        if (i == NONE)
            return;
        previous = i;
    }
    if (previous == NONE)
        *first = *next(engine, item);
    else
        *next(engine, previous) = *next(engine, item);
    if (*last == item)
        *last = previous;
}

void channel_remove_send(struct engine *engine, uint32_t message)
{
    const struct message *item = message_at(engine, message);
    struct channel *channel = channel_at(engine, item->channel);
    remove_item(engine, &channel->first_send, &channel->last_send, message, next_send);
}

void channel_remove_receive(struct engine *engine, uint32_t receive)
{
    const struct receive *item = receive_at(engine, receive);
    struct channel *channel = channel_at(engine, item->channel);
    remove_item(engine, &channel->first_receive, &channel->last_receive, receive, next_receive);
}
