// SPDX-License-Identifier: BSD-3-Clause
// Index-based item pool with a free list threaded through the free items (see pool.h).
#include "analyzer/base/pool.h"

#include <assert.h>
#include <stdlib.h>

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

void pool_grow(struct pool *pool)
{
    pool->items =
        array_reserve(pool->items, &pool->capacity, (size_t)pool->n_used + 1, pool->item_bytes);
}
