// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/rewrite/merge/merge.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/rewrite/new_archive.h"

// ---- identifiers

static bool is_undefined(enum reference kind, uint64_t id)
{
    return id == (kind == REF_Location     ? OTF2_UNDEFINED_LOCATION
                  : kind == REF_IoParadigm ? OTF2_UNDEFINED_IO_PARADIGM
                                           : OTF2_UNDEFINED_UINT32);
}

static bool find_id(const struct merged_world *world, enum reference kind, uint64_t id,
                    uint64_t *new_id)
{
    const struct id_pairs *pairs = &world->ids[kind];
    uint32_t place = id_table_get(&pairs->by_id, id);
    if (place != MERGE_NONE)
        *new_id = pairs->items[place].to;
    return place != MERGE_NONE;
}

void merge_set_id(struct merged_world *world, enum reference kind, uint64_t id, uint64_t new_id)
{
    struct id_pairs *pairs = &world->ids[kind];
    if (id_table_add(&pairs->by_id, id, (uint32_t)pairs->n))
        *ARRAY_NEXT(pairs->items, pairs->n, pairs->capacity) = (struct id_pair){id, new_id};
}

// A definition may be named before it comes, or never come.
uint64_t merge_id(struct merge *merge, enum reference kind, uint64_t id)
{
    uint64_t new_id = id;
    if (is_undefined(kind, id) || find_id(merge->world, kind, id, &new_id))
        return new_id;
    new_id = merge->n_ids[kind]++;
    merge_set_id(merge->world, kind, id, new_id);
    return new_id;
}

OTF2_LocationRef merge_location(struct merge *merge, OTF2_LocationRef id)
{
    return merge_id(merge, REF_Location, id);
}

OTF2_AttributeValue merge_value(struct merge *merge, OTF2_Type type, OTF2_AttributeValue value)
{
    // Types of references are in the order of the tables that map them.
    if (type < OTF2_TYPE_STRING || type > OTF2_TYPE_LOCATION_GROUP)
        return value;
    enum reference kind = (enum reference)(type - OTF2_TYPE_STRING) + REF_String;
    OTF2_AttributeValue mapped = {.uint64 = 0};
    if (type == OTF2_TYPE_LOCATION)
        mapped.locationRef = merge_location(merge, value.locationRef);
    else
        mapped.uint32 = (uint32_t)merge_id(merge, kind, value.uint32);
    return mapped;
}

// ---- keys

static uint32_t number_of_key(struct merge_keys *keys, const void *bytes, size_t n_bytes,
                              bool *is_new)
{
    uint64_t hash = rewrite_hash_bytes(UINT64_C(0xcbf29ce484222325), bytes, n_bytes);
    uint32_t number;
    for (; map_get(&keys->by_hash, hash, &number); hash++) {
        const struct merge_key *key = &keys->items[number];
        *is_new = false;
        if (key->n_bytes == n_bytes && memcmp(key->bytes, bytes, n_bytes) == 0)
            return number;
    }
    struct merge_key key = {.n_bytes = n_bytes, .bytes = memory_new(n_bytes)};
    memcpy(key.bytes, bytes, n_bytes);
    *is_new = true;
    number = (uint32_t)keys->n;
    *ARRAY_NEXT(keys->items, keys->n, keys->capacity) = key;
    map_put(&keys->by_hash, hash, number);
    return number;
}

/// How many definitions of the current world had this key before.
static uint32_t count_alike(struct merged_world *world, uint32_t number)
{
    size_t n_known = world->n_alike_known;
    world->n_alike = array_reserve(world->n_alike, &world->n_alike_known, (size_t)number + 1,
                                   sizeof *world->n_alike);
    for (size_t i = n_known; i < world->n_alike_known; i++)
        world->n_alike[i] = 0;
    return world->n_alike[number]++;
}

uint64_t merge_define(struct merge *merge, enum reference kind, uint64_t self, const void *key,
                      size_t n_bytes, bool *is_new)
{
    uint32_t number = number_of_key(&merge->keys, key, n_bytes, is_new), known;
    uint64_t place = (uint64_t)number << 32 | count_alike(merge->world, number), id;
    bool is_known = map_get(&merge->id_of_key, place, &known);
    bool is_named = find_id(merge->world, kind, self, &id); // before it came
    *is_new = is_named || !is_known;
    if (!is_named)
        id = is_known ? known : merge->n_ids[kind]++;
    if (!is_known)
        map_put(&merge->id_of_key, place, (uint32_t)id);
    merge_set_id(merge->world, kind, self, id);
    return id;
}

bool merge_is_first(struct merge *merge, const void *key, size_t n_bytes)
{
    bool is_new;
    number_of_key(&merge->keys, key, n_bytes, &is_new);
    return is_new;
}

// ---- mapping tables

/// The table of PAIRS, each of another identifier; NULL: all stay what they are.
static const OTF2_IdMap *make_map(struct id_pair *pairs, size_t n)
{
    if (n == 0)
        return NULL;
    SORT_BY(pairs, n, LEAST(from));
    size_t n_changed = 0;
    for (size_t i = 0; i < n; i++)
        n_changed += pairs[i].from != pairs[i].to;
    if (n_changed == 0)
        return NULL;
    bool is_dense = pairs[n - 1].from == n - 1;
    OTF2_IdMap *map = OTF2_IdMap_Create(is_dense ? OTF2_ID_MAP_DENSE : OTF2_ID_MAP_SPARSE,
                                        is_dense ? n : n_changed);
    for (size_t i = 0; map && i < n; i++)
        if (is_dense || pairs[i].from != pairs[i].to)
            OTF2_IdMap_AddIdPair(map, pairs[i].from, pairs[i].to);
    return map;
}

/// Of a location's own table: from identifiers in its events by way of those of its archive.
struct joining {
    const struct merged_world *world;
    enum reference kind;
    struct id_pairs pairs;
};

static void join(uint64_t local_id, uint64_t global_id, void *user_data)
{
    struct joining *joining = user_data;
    uint64_t new_id = global_id;
    find_id(joining->world, joining->kind, global_id, &new_id);
    struct id_pairs *pairs = &joining->pairs;
    if (id_table_add(&pairs->by_id, local_id, (uint32_t)pairs->n))
        *ARRAY_NEXT(pairs->items, pairs->n, pairs->capacity) = (struct id_pair){local_id, new_id};
}

void merge_maps(const struct merged_world *world, const struct local_definitions *own,
                struct local_definitions *new_one)
{
    new_one->owns_maps = true;
    for (enum reference kind = 0; kind < (enum reference)OTF2_MAPPING_MAX; kind++) {
        const struct id_pairs *all = &world->ids[kind];
        struct joining joining = {.world = world, .kind = kind};
        id_table_init(&joining.pairs.by_id);
        if (own->maps[kind])
            OTF2_IdMap_Traverse(own->maps[kind], join, &joining);
        for (size_t i = 0; i < all->n; i++) // what the table leaves as it is
            join(all->items[i].from, all->items[i].from, &joining);
        new_one->maps[kind] = make_map(joining.pairs.items, joining.pairs.n);
        id_table_release(&joining.pairs.by_id);
        free(joining.pairs.items);
    }
}

void merge_ids_release(struct merge *merge)
{
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        struct merged_world *world = &merge->worlds[i];
        for (enum reference kind = 0; kind < REFERENCES; kind++) {
            id_table_release(&world->ids[kind].by_id);
            free(world->ids[kind].items);
        }
        free(world->n_alike);
    }
    FREE_MEMBERS(merge->keys.items, merge->keys.n, bytes);
    free(merge->keys.items);
    map_release(&merge->keys.by_hash);
    map_release(&merge->id_of_key);
}
