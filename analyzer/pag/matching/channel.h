// SPDX-License-Identifier: BSD-3-Clause
// The queues of one (communicator, receiver, sender, tag), and who exchanged how much.
#ifndef PAGODA_PAG_MATCHING_CHANNEL_H
#define PAGODA_PAG_MATCHING_CHANNEL_H

#include <stdint.h>

struct engine;

/// (communicator, receiver, sender, tag): sends and receives not matched yet, first in first out.
struct channel {
    uint32_t communicator, receiver, sender, tag;
    uint32_t mailbox;
    uint32_t first_send, last_send;
    uint32_t first_receive, last_receive;
    uint32_t traffic;
    uint32_t next_in_bucket;
    uint64_t last_sequence; // of the receive matched or queued last
};

/// The channel a location used last, for sending and for receiving: programs repeat themselves.
struct recent_channel {
    uint32_t channel;
    uint32_t epoch; // of the channel table; 0: none
};

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

#endif
