// SPDX-License-Identifier: BSD-3-Clause
// A growing array of equal items handed out by index and taken back: indices stay valid while the
// array moves, freed places are used again first, nothing is returned to the system before the end.
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

#define POOL_NONE UINT32_MAX

struct pool {
    char *items;
    size_t item_bytes; // at least 4: a free item holds the index of the next free one
    size_t capacity;
    uint32_t n_used; // places handed out at least once
    uint32_t first_free;
    uint32_t n_live;
    uint32_t max_live; // high-water mark
};

static inline void pool_init(struct pool *pool, size_t item_bytes)
{
    assert(item_bytes >= sizeof(uint32_t));
    *pool = (struct pool){.item_bytes = item_bytes, .first_free = POOL_NONE};
}

static inline void pool_release(struct pool *pool)
{
    free(pool->items);
    pool->items = NULL;
}

static inline void *pool_at(const struct pool *pool, uint32_t index)
{
    return pool->items + (size_t)index * pool->item_bytes;
}

/// The same of a pool of TYPE, whose size the compiler knows then.
#define POOL_AT(pool, type, index) ((type *)(void *)(pool)->items + (index))

/// Index of an item with undefined content. Pointers got from pool_at() before are invalid
/// afterwards.
static inline uint32_t pool_take(struct pool *pool)
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

/// Gives the item back; its content is lost.
static inline void pool_give(struct pool *pool, uint32_t index)
{
    assert(pool->n_live > 0 && index < pool->n_used);
    memcpy(pool_at(pool, index), &pool->first_free, sizeof(uint32_t));
    pool->first_free = index;
    pool->n_live--;
}
