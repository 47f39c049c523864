// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/base/tournament.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

void tournament_init(struct tournament *tournament, uint32_t n_places)
{
    tournament->n_places = n_places > 0 ? n_places : 1;
    size_t n_nodes = 2 * (size_t)tournament->n_places;
    tournament->keys = memory_new(n_nodes * sizeof *tournament->keys);
    for (size_t i = 0; i < n_nodes; i++)
        tournament->keys[i] = TOURNAMENT_NONE;
}

void tournament_release(struct tournament *tournament)
{
    free(tournament->keys);
    *tournament = (struct tournament){0};
}

tournament_key tournament_first_beside(const struct tournament *tournament, uint32_t place)
{
    tournament_key first = TOURNAMENT_NONE;
    for (uint32_t node = tournament->n_places + place; node > 1; node /= 2)
        if (tournament->keys[node ^ 1] < first)
            first = tournament->keys[node ^ 1];
    return first;
}
