// SPDX-License-Identifier: BSD-3-Clause
// The least of many keys, each at a place of its own that keeps changing: a complete binary tree
// whose inner nodes hold the lesser of the two keys below. A change goes from its place up to the
// root, without a branch that depends on keys, so that it costs the same few steps whatever they
// are.
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"

__extension__ typedef unsigned __int128 tournament_key;
#define TOURNAMENT_NONE (~(tournament_key)0) // at a place without key; later than all

struct tournament {
    tournament_key *keys; // node i has i's children 2 i and 2 i + 1; place p is node n_places + p
    uint32_t n_places;
};

/// N_PLACES places (0 is as good as 1) without keys. The caller releases it.
static inline void tournament_init(struct tournament *tournament, uint32_t n_places)
{
    tournament->n_places = n_places > 0 ? n_places : 1;
    size_t n_nodes = 2 * (size_t)tournament->n_places;
    tournament->keys = memory_new(n_nodes * sizeof *tournament->keys);
    for (size_t i = 0; i < n_nodes; i++)
        tournament->keys[i] = TOURNAMENT_NONE;
}

static inline void tournament_release(struct tournament *tournament)
{
    free(tournament->keys);
    *tournament = (struct tournament){0};
}

/// KEY, or TOURNAMENT_NONE, is at PLACE from now on.
static inline void tournament_set(struct tournament *tournament, uint32_t place, tournament_key key)
{
    tournament_key *keys = tournament->keys;
    uint32_t node = tournament->n_places + place;
    keys[node] = key;
    while (node > 1) {
        tournament_key other = keys[node ^ 1];
        key = other < key ? other : key;
        node /= 2;
        keys[node] = key;
    }
}

/// The key at PLACE.
static inline tournament_key tournament_at(const struct tournament *tournament, uint32_t place)
{
    return tournament->keys[tournament->n_places + place];
}

/// The least of all keys.
static inline tournament_key tournament_first(const struct tournament *tournament)
{
    return tournament->keys[1];
}

/// The least of all keys but that at PLACE.
static inline tournament_key tournament_first_beside(const struct tournament *tournament,
                                                     uint32_t place)
{
    tournament_key first = TOURNAMENT_NONE;
    for (uint32_t node = tournament->n_places + place; node > 1; node /= 2)
        if (tournament->keys[node ^ 1] < first)
            first = tournament->keys[node ^ 1];
    return first;
}
