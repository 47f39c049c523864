// SPDX-License-Identifier: BSD-3-Clause
// Sparse vectors with small-to-large merging: each entry is moved at most log2(n) times over the
// life of a lineage, which keeps the cost per event constant in practice.
#include "analyzer/pag/tally.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { FIRST_PLACES = 8 };
static const uint64_t FREE_KEY = UINT64_MAX;

static uint32_t place_of(const struct tally *tally, uint64_t key)
{
    uint64_t hash = key * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t mask = tally->n_places - 1;
    uint32_t place = (uint32_t)(hash >> 32) & mask;
    while (tally->entries[place].key != FREE_KEY && tally->entries[place].key != key)
        place = (place + 1) & mask;
    return place;
}

static void resize(struct tally *tally, uint32_t n_places)
{
    struct tally old = *tally;
    tally->n_places = n_places;
    tally->entries = memory_new(n_places * sizeof(*tally->entries));
    for (uint32_t i = 0; i < n_places; i++)
        tally->entries[i] = (struct tally_entry){FREE_KEY, 0};
    for (uint32_t i = 0; i < old.n_places; i++)
        if (old.entries[i].key != FREE_KEY)
            tally->entries[place_of(tally, old.entries[i].key)] = old.entries[i];
    free(old.entries);
}

void tally_add(struct tally *tally, uint64_t key, int64_t ns)
{
    if (tally->n_entries >= tally->n_places / 4 * 3)
        resize(tally, tally->n_places ? tally->n_places * 2 : FIRST_PLACES);
    struct tally_entry *entry = &tally->entries[place_of(tally, key)];
    if (entry->key == FREE_KEY) {
        entry->key = key;
        tally->n_entries++;
    }
    entry->ns = (int64_t)((uint64_t)entry->ns + (uint64_t)ns); // damaged times may wrap around
}

void tally_merge(struct tally *tally, struct tally *small)
{
    if (small->n_entries > tally->n_entries) {
        struct tally swap = *tally;
        *tally = *small;
        *small = swap;
    }
    const struct tally_entry *entry;
    for (uint32_t i = 0; (entry = tally_next(small, &i));)
        tally_add(tally, entry->key, entry->ns);
    tally_release(small);
}

void tally_release(struct tally *tally)
{
    free(tally->entries);
    *tally = (struct tally){0};
}

const struct tally_entry *tally_next(const struct tally *tally, uint32_t *place)
{
    while (*place < tally->n_places) {
        const struct tally_entry *entry = &tally->entries[(*place)++];
        if (entry->key != FREE_KEY)
            return entry;
    }
    return NULL;
}
