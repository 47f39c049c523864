// SPDX-License-Identifier: BSD-3-Clause
// How many cores of a host the ranks of all worlds may use together. Each archive has counted those
// of its own ranks. It says which these are where any two of its ranks share all their cores or
// none. In the new archive ranks are bound only where that is so for the ranks of all worlds.
#include "analyzer/rewrite/merge/merge.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/rank_lists.h"
#include "analyzer/base/memory.h"

enum { MOST_CORES = 4096 };

struct host {
    const char *name;
    bool *is_used; // by core
    const char **masks;
    size_t n_masks, mask_capacity;
    uint32_t n_of_masks; // cores of different masks, added up
    uint32_t n_most;     // that one archive has counted
    bool is_incomplete;  // which cores a rank may use is not known
};

struct merge_cores {
    struct host *hosts;
    size_t n, capacity;
};

static struct host *host_named(struct merge_cores *cores, const char *name)
{
    struct host *host = ITEM_BY(cores->hosts, cores->n, name, name);
    if (host)
        return host;
    host = ARRAY_NEXT(cores->hosts, cores->n, cores->capacity);
    *host = (struct host){.name = name, .is_used = memory_zeroed(MOST_CORES, sizeof(bool))};
    return host;
}

/// Takes a list such as "0,2-3".
static void add_mask(struct host *host, const char *mask)
{
    if (HAS_TEXT(host->masks, host->n_masks, mask))
        return;
    *ARRAY_NEXT(host->masks, host->n_masks, host->mask_capacity) = mask;
    struct rank_range range;
    struct error ignored;
    for (const char *end = strchr(mask, '\0'); mask < end;) {
        if (rank_list_next(&mask, end, MOST_CORES, &range, &ignored) != 0) {
            host->is_incomplete = true;
            return;
        }
        host->n_of_masks += range.last - range.first + 1;
        for (uint32_t core = range.first; core <= range.last; core++)
            host->is_used[core] = true;
    }
}

static void add_world(struct merge_cores *cores, const struct merged_world *world)
{
    const struct definitions *definitions = world->definitions;
    const struct records *records = world->records;
    SCOPED_BY(id_table_release) struct id_table masks; // of locations: the place of the property
    id_table_init(&masks);
    for (size_t i = 0; i < records->n_location_properties; i++) {
        const struct location_property_record *property = &records->location_properties[i];
        if (property->is_text && !strcmp(records_text(records, property->name), "PAGODA::BOUND_TO"))
            id_table_add(&masks, property->location, (uint32_t)i);
    }
    for (size_t i = 0; i < definitions->n_ranks; i++) {
        const struct rank *rank = &definitions->ranks[i];
        const struct node *node = &definitions->nodes[rank->node];
        struct host *host = host_named(cores, node->name);
        uint32_t place = id_table_get(&masks, definitions->locations[rank->master].id);
        if (node->n_cores > host->n_most)
            host->n_most = node->n_cores;
        if (place == MERGE_NONE)
            host->is_incomplete = true;
        else
            add_mask(host, records_text(records,
                                        (OTF2_StringRef)records->location_properties[place].value));
    }
}

struct merge_cores *merge_cores_new(const struct merge *merge)
{
    struct merge_cores *cores = memory_zeroed(1, sizeof *cores);
    for (uint32_t i = 0; i < merge->n_worlds; i++)
        add_world(cores, &merge->worlds[i]);
    return cores;
}

void merge_cores_free(struct merge_cores *cores)
{
    for (size_t i = 0; cores && i < cores->n; i++) {
        FREE_ALL(cores->hosts[i].is_used, cores->hosts[i].masks);
    }
    if (cores)
        free(cores->hosts);
    free(cores);
}

static uint32_t count(const struct host *host)
{
    uint32_t n = 0;
    for (size_t i = 0; i < MOST_CORES; i++)
        n += host->is_used[i];
    return n;
}

uint32_t merge_cores_of(struct merge_cores *cores, const char *name)
{
    const struct host *host = host_named(cores, name);
    uint32_t n_known = count(host);
    return host->is_incomplete && host->n_most > n_known ? host->n_most : n_known;
}

bool merge_cores_are_bound(struct merge_cores *cores, const char *name)
{
    const struct host *host = host_named(cores, name);
    return !host->is_incomplete && count(host) == host->n_of_masks;
}
