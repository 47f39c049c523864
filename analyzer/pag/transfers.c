// SPDX-License-Identifier: BSD-3-Clause
// Messages that are ready to go, one round after the other (see transfers.h).
#include "analyzer/pag/transfers.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/engine.h"

struct transfer {
    uint64_t ready_ns, number; // order of sending
    uint64_t size_bytes;
    uint32_t sender, receiver, message;
};

void transfers_ready(struct engine *engine, uint32_t index)
{
    struct simulation *simulation = engine->simulation;
    const struct message_simulation *times = &simulation->messages[index];
    const struct message *message = message_at(engine, index);
    if (!simulation->clock->transfer || times->departed_ns == PAG_NOT_KNOWN ||
        (times->is_rendezvous && !message->is_matched))
        return;
    bool comes_later = times->is_rendezvous && message->post_enter_ns > times->departed_ns;
    simulation->transfers = array_reserve(simulation->transfers, &simulation->transfer_capacity,
                                          simulation->n_transfers + 1, sizeof(struct transfer));
    simulation->transfers[simulation->n_transfers++] = (struct transfer){
        .ready_ns = comes_later ? message->post_enter_ns : times->departed_ns,
        .number = times->number,
        .size_bytes = times->size_bytes + times->added_bytes,
        .sender = message->sender,
        .receiver = message->receiver,
        .message = index,
    };
}

static int in_order(const void *left, const void *right)
{
    const struct transfer *a = left, *b = right;
    if (a->ready_ns != b->ready_ns)
        return a->ready_ns < b->ready_ns ? -1 : 1;
    if (a->sender != b->sender)
        return a->sender < b->sender ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

bool transfers_begin(struct engine *engine, uint64_t next_ns)
{
    struct simulation *simulation = engine->simulation;
    const struct pag_clock *clock = simulation->clock;
    size_t n = simulation->n_transfers;
    if (n == 0 || next_ns <= simulation->now_ns)
        return false;
    if (n > 1)
        qsort(simulation->transfers, n, sizeof *simulation->transfers, in_order);
    for (size_t i = 0; i < n; i++) {
        const struct transfer *transfer = &simulation->transfers[i];
        struct message_simulation *message = &simulation->messages[transfer->message];
        uint64_t arrived_ns = clock->transfer(clock->context, transfer->sender, transfer->receiver,
                                              transfer->size_bytes, transfer->ready_ns);
        if (message->number == transfer->number) // else its receiver did not wait, and it is gone
            message->arrived_ns = arrived_ns;
    }
    simulation->n_transfers = 0; // nobody departs before the next location goes on
    for (size_t i = 0; i < n; i++) {
        simulation_try_again(engine, simulation->transfers[i].receiver);
        simulation_try_again(engine, simulation->transfers[i].sender);
    }
    return true;
}
