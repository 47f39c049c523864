// SPDX-License-Identifier: BSD-3-Clause
// Hash map from 64-bit keys to 32-bit values (usually an index into an array of the caller's):
// open addressing with linear probing, at most half full, removal without tombstones. The order of
// its slots means nothing; only what copies a map goes through them, so that no result can depend
// on it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
    uint64_t key;
    uint32_t value;
    bool is_used;
};

struct map {
    struct map_slot *slots;
    size_t capacity; // a power of two, or 0 before the first put
    size_t n_used;
};

/// An empty map holds no memory; map_release() leaves an empty map behind.
void map_init(struct map *map);
void map_release(struct map *map);

/// Finds KEY: true and its value in *VALUE (which may be NULL), or false and *VALUE untouched.
bool map_get(const struct map *map, uint64_t key, uint32_t *value);

/// Sets the value of KEY, which may be new.
void map_put(struct map *map, uint64_t key, uint32_t value);

/// Removes KEY; false when it was not there.
bool map_remove(struct map *map, uint64_t key);
