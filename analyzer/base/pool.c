// SPDX-License-Identifier: BSD-3-Clause
// Index-based item pool with a free list threaded through the free items (see pool.h).
#include "analyzer/base/pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

void pool_init(struct pool *pool, size_t item_bytes)
{
    assert(item_bytes >= sizeof(uint32_t));
    *pool = (struct pool){.item_bytes = item_bytes, .first_free = POOL_NONE};
}

void pool_release(struct pool *pool)
{
    free(pool->items);
    pool->items = NULL;
}

uint32_t pool_take(struct pool *pool)
{
    uint32_t index = pool->first_free;
    if (index != POOL_NONE) {
        memcpy(&pool->first_free, pool_at(pool, index), sizeof(uint32_t));
    } else {
        index = pool->n_used++;
        pool->items = array_reserve(pool->items, &pool->capacity, pool->n_used, pool->item_bytes);
    }
    if (++pool->n_live > pool->max_live)
        pool->max_live = pool->n_live;
    return index;
}

void pool_give(struct pool *pool, uint32_t index)
{
    assert(pool->n_live > 0 && index < pool->n_used);
    memcpy(pool_at(pool, index), &pool->first_free, sizeof(uint32_t));
    pool->first_free = index;
    pool->n_live--;
}
