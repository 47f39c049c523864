// SPDX-License-Identifier: BSD-3-Clause
// Open addressing with linear probing; removal shifts the following slots back (Knuth, The Art of
// Computer Programming 3, section 6.4, algorithm R), so lookups never meet tombstones.
#include "analyzer/base/map.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { FIRST_CAPACITY = 16 };

// The finaliser of MurmurHash3: every bit of the key reaches every bit of the result.
static size_t home_slot(const struct map *map, uint64_t key)
{
    key ^= key >> 33;
    key *= UINT64_C(0xff51afd7ed558ccd);
    key ^= key >> 33;
    key *= UINT64_C(0xc4ceb9fe1a85ec53);
    key ^= key >> 33;
    return (size_t)key & (map->capacity - 1);
}

// The slot that holds KEY, or the free one where it belongs.
static size_t find_slot(const struct map *map, uint64_t key)
{
    size_t slot = home_slot(map, key);
    while (map->slots[slot].is_used && map->slots[slot].key != key)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

static void grow(struct map *map)
{
    struct map old = *map;
    map->capacity = old.capacity ? 2 * old.capacity : FIRST_CAPACITY;
    map->slots = memory_zeroed(map->capacity, sizeof *map->slots);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].is_used)
            map->slots[find_slot(map, old.slots[i].key)] = old.slots[i];
    free(old.slots);
}

void map_init(struct map *map)
{
    *map = (struct map){0};
}

void map_release(struct map *map)
{
    free(map->slots);
    map_init(map);
}

bool map_get(const struct map *map, uint64_t key, uint32_t *value)
{
    if (map->capacity == 0)
        return false;
    const struct map_slot *slot = &map->slots[find_slot(map, key)];
    if (slot->is_used && value)
        *value = slot->value;
    return slot->is_used;
}

void map_put(struct map *map, uint64_t key, uint32_t value)
{
    if (2 * (map->n_used + 1) > map->capacity)
        grow(map);
    struct map_slot *slot = &map->slots[find_slot(map, key)];
    if (!slot->is_used)
        map->n_used++;
    *slot = (struct map_slot){.key = key, .value = value, .is_used = true};
}

bool map_remove(struct map *map, uint64_t key)
{
    if (map->capacity == 0)
        return false;
    size_t hole = find_slot(map, key);
    if (!map->slots[hole].is_used)
        return false;
    size_t mask = map->capacity - 1;
    for (size_t next = (hole + 1) & mask; map->slots[next].is_used; next = (next + 1) & mask) {
        // A slot may move back into the hole unless its home lies between the hole and itself.
        size_t home = home_slot(map, map->slots[next].key);
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            map->slots[hole] = map->slots[next];
            hole = next;
        }
    }
    map->slots[hole].is_used = false;
    map->n_used--;
    return true;
}
