// SPDX-License-Identifier: BSD-3-Clause
// Sums over the critical path.
#include "analyzer/advise/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

struct named {
    const char *name;
    uint32_t index;
};

/// For each region of DEFINITIONS the lowest one of the same name. The caller frees.
static uint32_t *first_of_name(const struct definitions *definitions)
{
    size_t n = definitions->n_regions;
    SCOPED struct named *named = memory_zeroed(n, sizeof *named);
    uint32_t *first = memory_zeroed(n, sizeof *first);
    for (size_t i = 0; i < n; i++)
        named[i] = (struct named){definitions->regions[i].name, (uint32_t)i};
    SORT_BY(named, n, LEAST(name), LEAST(index));
    for (size_t i = 0; i < n; i++) {
        bool is_same = i > 0 && strcmp(named[i].name, named[i - 1].name) == 0;
        first[named[i].index] = is_same ? first[named[i - 1].index] : named[i].index;
    }
    return first;
}

/// A sum by region in the making.
struct sums {
    const struct definitions *definitions;
    const uint32_t *first;
    uint64_t *ns;   // by region
    uint32_t *seen; // the last entry of the critical path that was counted for it
};

/// Counts ENTRY, number NUMBER from 1 on, for the regions it is inside of, each once.
static void count(struct sums *sums, const struct pag_location *location,
                  const struct pag_path_entry *entry, uint32_t number)
{
    for (uint32_t path = entry->call_path; path != 0; path = location->paths[path].parent) {
        uint32_t region = location->paths[path].region;
        if (region == EVENT_NO_INDEX ||
            sums->definitions->regions[region].mpi != MPI_FUNCTION_NONE ||
            region == sums->definitions->blocked_region) // a part of the region around it
            continue;
        region = sums->first[region];
        if (sums->seen[region] == number)
            continue;
        sums->seen[region] = number;
        sums->ns[region] += (uint64_t)entry->time_ns;
    }
}

static void collect_regions(struct advise_path *path, const struct definitions *definitions,
                            const struct pag_result *replay)
{
    size_t n = definitions->n_regions;
    SCOPED uint32_t *first = first_of_name(definitions);
    struct sums sums = {definitions, first, memory_zeroed(n, sizeof *sums.ns),
                        memory_zeroed(n, sizeof *sums.seen)};
    for (size_t i = 0; i < replay->n_critical_path; i++) {
        const struct pag_path_entry *entry = &replay->critical_path[i];
        if (entry->call_path >= PAG_PATH_BEFORE_START || entry->time_ns <= 0)
            continue;
        const struct pag_location *location = &replay->locations[entry->location];
        uint32_t region = location->paths[entry->call_path].region;
        const struct region *own = region == EVENT_NO_INDEX ? NULL : &definitions->regions[region];
        path->work_ns += (uint64_t)entry->time_ns;
        if (own && own->mpi != MPI_FUNCTION_NONE)
            continue;
        path->computing_ns += (uint64_t)entry->time_ns;
        count(&sums, location, entry, (uint32_t)i + 1);
    }
    path->regions = memory_zeroed(n, sizeof *path->regions);
    for (size_t i = 0; i < n; i++)
        if (sums.ns[i] > 0)
            path->regions[path->n_regions++] =
                (struct advise_region){definitions->regions[i].name, sums.ns[i]};
    SORT_BY(path->regions, path->n_regions, MOST(path_ns), LEAST(name));
    FREE_ALL(sums.ns, sums.seen);
}

void advise_path_collect(struct advise_path *path, const struct definitions *definitions,
                         const struct pag_result *replay)
{
    *path = (struct advise_path){0};
    collect_regions(path, definitions, replay);
    uint64_t busiest_ns = 0;
    for (size_t i = 0; i < replay->n_ranks; i++)
        if (replay->rank_times[i].useful_ns > busiest_ns)
            busiest_ns = replay->rank_times[i].useful_ns;
    path->slack_ns = replay->time_ns > busiest_ns ? replay->time_ns - busiest_ns : 0;
}

void advise_path_release(struct advise_path *path)
{
    free(path->regions);
    *path = (struct advise_path){0};
}
