// SPDX-License-Identifier: BSD-3-Clause
// A growing array of equal items handed out by index and taken back: indices stay valid while the
// array moves, freed places are used again first, nothing is returned to the system before the end.
#ifndef PAGODA_BASE_POOL_H
#define PAGODA_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

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

void pool_init(struct pool *pool, size_t item_bytes);
void pool_release(struct pool *pool);

/// Index of an item with undefined content. Pointers got from pool_at() before are invalid
/// afterwards.
uint32_t pool_take(struct pool *pool);

/// Gives the item back; its content is lost.
void pool_give(struct pool *pool, uint32_t index);

static inline void *pool_at(const struct pool *pool, uint32_t index)
{
    return pool->items + (size_t)index * pool->item_bytes;
}

#endif
