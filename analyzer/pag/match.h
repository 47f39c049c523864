// SPDX-License-Identifier: BSD-3-Clause
// What match.c shares with its neighbours: requests, and the queues of one channel
// (communicator, receiver, sender, tag).
#ifndef PAGODA_PAG_MATCH_H
#define PAGODA_PAG_MATCH_H

#include "analyzer/pag/engine.h"

/// What a request id of a rank stands for.
enum request_kind { REQUEST_SEND, REQUEST_RECEIVE, REQUEST_COLLECTIVE, REQUEST_KINDS };

void match_remember_request(struct engine *engine, struct location_state *location,
                            uint64_t request, uint32_t index, enum request_kind kind);

/// Takes the request out of the rank's table: the index of what it stands for, NONE if it stands
/// for nothing of that kind.
uint32_t match_forget_request(struct engine *engine, struct location_state *location,
                              uint64_t request, enum request_kind kind);

void channel_init(struct engine *engine);
void channel_release(struct engine *engine);

/// The mailbox of a world rank on a communicator, made when it is new.
uint32_t channel_mailbox(struct engine *engine, uint32_t communicator, uint32_t receiver);

/// The channel, made when it is new; then empty ones may go, indices of others stay valid.
/// RECENT is looked at first and updated.
uint32_t channel_find(struct engine *engine, struct recent_channel *recent, uint32_t communicator,
                      uint32_t receiver, uint32_t sender, uint32_t tag);

void channel_count_traffic(struct engine *engine, struct channel *channel, uint64_t size_bytes);

void channel_push_send(struct engine *engine, struct channel *channel, uint32_t message);
void channel_push_receive(struct engine *engine, struct channel *channel, uint32_t receive);

/// First in, NONE when the queue is empty.
uint32_t channel_pop_send(struct engine *engine, struct channel *channel);
uint32_t channel_pop_receive(struct engine *engine, struct channel *channel);

/// Takes an item out of the middle of its channel's queue.
void channel_remove_send(struct engine *engine, uint32_t message);
void channel_remove_receive(struct engine *engine, uint32_t receive);

static inline struct channel *channel_at(const struct engine *engine, uint32_t index)
{
    return pool_at(&engine->channels, index);
}

#endif
