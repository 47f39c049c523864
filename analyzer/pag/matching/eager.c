// SPDX-License-Identifier: BSD-3-Clause
// See eager.h.
#include "analyzer/pag/matching/eager.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/engine.h"

enum { MAX_WAITS = 4096 };

unsigned eager_scope(const struct engine *engine, const struct message *message)
{
    const struct rank *ranks = engine->definitions->ranks;
    const uint32_t *nodes = engine->eager.node_of_rank;
    if (nodes)
        return nodes[message->sender] != nodes[message->receiver];
    return ranks[message->sender].node != ranks[message->receiver].node;
}

void eager_tell(struct engine *engine, struct eager_wait *wait)
{
    window_place(engine, &wait->root, wait->enter_ns);
    if (engine->listener.root)
        engine->listener.root(engine->listener.context, &wait->root);
}

static bool is_none(const struct eager *eager, const struct eager_wait *wait)
{
    return wait->least_limits[0] <= eager->limits[0] && wait->least_limits[1] <= eager->limits[1];
}

/// The I-th wait that is held, the oldest first.
static struct eager_wait *wait_at(const struct eager *eager, size_t i)
{
    return &eager->waits[(eager->oldest + i) % eager->n_waits];
}

/// Forgets the waits that are none now.
static void forget(struct eager *eager)
{
    struct eager_wait *kept = memory_new(eager->n_waits * sizeof *kept);
    size_t n_kept = 0;
    for (size_t i = 0; i < eager->n_waits; i++)
        if (!is_none(eager, wait_at(eager, i)))
            kept[n_kept++] = *wait_at(eager, i);
    free(eager->waits);
    eager->waits = kept;
    eager->capacity = eager->n_waits;
    eager->n_waits = n_kept;
    eager->oldest = 0;
}

void eager_see(struct engine *engine, const struct message *message)
{
    struct eager *eager = &engine->eager;
    uint64_t *limit = &eager->limits[eager_scope(engine, message)];
    if (!message->is_standard || message->sender == message->receiver ||
        message->send_over_ns >= message->post_enter_ns || message->size_bytes < *limit)
        return;
    *limit = message->size_bytes + 1;
    if (eager->n_waits > 0)
        forget(eager);
}

void eager_count(struct engine *engine, const struct eager_wait *wait)
{
    struct eager *eager = &engine->eager;
    struct eager_wait *place;
    if (is_none(eager, wait))
        return;
    if (eager->n_waits < MAX_WAITS) {
        eager->waits =
            array_reserve(eager->waits, &eager->capacity, eager->n_waits + 1, sizeof *eager->waits);
        place = &eager->waits[eager->n_waits++];
    } else {
        place = &eager->waits[eager->oldest];
        eager->oldest = (eager->oldest + 1) % MAX_WAITS;
        eager_tell(engine, place);
    }
    *place = *wait;
}

void eager_finish(struct engine *engine)
{
    struct eager *eager = &engine->eager;
    for (size_t i = 0; i < eager->n_waits; i++)
        eager_tell(engine, wait_at(eager, i));
    free(eager->waits);
    *eager = (struct eager){0};
}
