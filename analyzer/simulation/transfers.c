// SPDX-License-Identifier: BSD-3-Clause
// Messages that are ready to go, one round after the other (see steps.h).
#include "analyzer/simulation/steps.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/simulation/network/collective_run.h"
#include "analyzer/simulation/network/contention.h"
#include "analyzer/simulation/state.h"

struct arrival {
    struct transfer transfer;
    uint64_t arrived_ns;
    uint32_t ranks[2]; // receiver, sender
};

static bool is_before(const void *left, const void *right)
{
    const struct transfer *a = left, *b = right;
    if (a->ready_ns != b->ready_ns)
        return a->ready_ns < b->ready_ns;
    if (a->sender != b->sender)
        return a->sender < b->sender;
    if (a->is_part != b->is_part)
        return b->is_part;
    return a->number < b->number;
}

/// The first one of all is transfers[0].
static void push(struct prediction *prediction, struct transfer transfer)
{
    prediction->transfers = array_reserve(prediction->transfers, &prediction->transfer_capacity,
                                          prediction->n_transfers + 1, sizeof(struct transfer));
    heap_push(prediction->transfers, prediction->n_transfers++, sizeof transfer, &transfer,
              is_before);
}

static struct transfer pop(struct prediction *prediction)
{
    const struct transfer first = prediction->transfers[0];
    heap_pop(prediction->transfers, prediction->n_transfers--, sizeof first, is_before);
    return first;
}

void transfers_ready(struct engine *engine, uint32_t index)
{
    struct prediction *prediction = prediction_of(engine);
    const struct message_simulation *times = &prediction->messages[index];
    const struct message *message = message_at(engine, index);
    if (!prediction->contention || times->departed_ns == PAG_NOT_KNOWN ||
        (times->is_rendezvous && !message->is_matched && !times->knows_receive))
        return;
    bool comes_later = times->is_rendezvous && message->post_enter_ns > times->departed_ns;
    push(prediction, (struct transfer){
                         .ready_ns = comes_later ? message->post_enter_ns : times->departed_ns,
                         .number = times->number,
                         .size_bytes = times->size_bytes,
                         .sender = message->sender,
                         .receiver = message->receiver,
                         .luck = times->luck,
                         .message = index,
                     });
}

/// Messages that members of collective operations have sent.
static void take_parts(struct prediction *prediction)
{
    struct transfer part;
    while (prediction->collectives && collective_runs_sent(prediction->collectives, &part))
        push(prediction, part);
}

uint32_t transfers_waiting(const struct engine *engine, size_t index, const uint32_t **ranks)
{
    struct prediction *prediction = prediction_of(engine);
    struct arrival *arrival = &prediction->arrived[index];
    if (arrival->transfer.is_part)
        return collective_runs_arrived(prediction->collectives, arrival->transfer.message,
                                       arrival->arrived_ns, ranks);
    *ranks = arrival->ranks;
    return 2;
}

size_t transfers_show(struct engine *engine, uint64_t next_ns)
{
    struct prediction *prediction = prediction_of(engine);
    if (next_ns <= prediction->now_ns)
        return 0;
    take_parts(prediction);
    if (prediction->n_transfers == 0)
        return 0;
    uint64_t until_ns = prediction->transfers[0].ready_ns;
    if (until_ns < prediction->now_ns)
        until_ns = prediction->now_ns;
    if (until_ns >= next_ns)
        return 0;
    size_t n = 0;
    for (; prediction->n_transfers > 0 && prediction->transfers[0].ready_ns <= until_ns; n++) {
        struct transfer transfer = pop(prediction);
        uint64_t arrived_ns =
            contention_transfer(prediction->contention, site_of(prediction, transfer.sender),
                                site_of(prediction, transfer.receiver), transfer.size_bytes,
                                transfer.ready_ns, transfer.luck);
        // Else its receiver did not wait, and it is gone.
        if (!transfer.is_part && prediction->messages[transfer.message].number == transfer.number)
            prediction->messages[transfer.message].arrived_ns = arrived_ns;
        prediction->arrived = array_reserve(prediction->arrived, &prediction->arrived_capacity,
                                            n + 1, sizeof *prediction->arrived);
        prediction->arrived[n] =
            (struct arrival){transfer, arrived_ns, {transfer.receiver, transfer.sender}};
    }
    return n;
}
