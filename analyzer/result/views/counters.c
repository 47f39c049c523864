// SPDX-License-Identifier: BSD-3-Clause
// Sums over the locations of a rank, in the places of result.path_ranks.
#include "analyzer/result/parts.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

static int compare_places(const void *a, const void *b)
{
    const struct result_path_rank *left = a, *right = b;
    return ORDER_BY(LESS_FIRST(left->path, right->path), LESS_FIRST(left->rank, right->rank));
}

/// Adds what the N_COUNTERS counters grew by on LOCATION to SUMS: by path and rank, then counter.
static void add_location(const struct call_tree *tree, uint32_t location, size_t n_counters,
                         const struct result *result, double *sums)
{
    const struct pag_location *from = &tree->replay->locations[location];
    for (size_t i = 0; i * n_counters < from->n_counted; i++) {
        struct result_path_rank key = {call_tree_place(tree, location, (uint32_t)i).path,
                                       tree->definitions->locations[location].rank,
                                       0,
                                       0,
                                       0,
                                       0};
        const struct result_path_rank *place =
            key.path == RESULT_NONE ? NULL
                                    : bsearch(&key, result->path_ranks, result->n_path_ranks,
                                              sizeof key, compare_places);
        for (size_t c = 0; place && c < n_counters; c++)
            sums[(size_t)(place - result->path_ranks) * n_counters + c] +=
                from->counted[i * n_counters + c];
    }
}

void counters_collect(const struct call_tree *tree, struct result *result)
{
    size_t n_counters = tree->definitions->n_counters, n = result->n_path_ranks;
    if (n_counters == 0 || n == 0)
        return;
    SCOPED double *sums = memory_zeroed(n * n_counters, sizeof *sums);
    for (size_t i = 0; i < tree->replay->n_locations; i++)
        add_location(tree, (uint32_t)i, n_counters, result, sums);
    result->counters = memory_zeroed(n_counters, sizeof *result->counters);
    for (size_t c = 0; c < n_counters; c++) {
        const struct counter *defined = &tree->definitions->counters[c];
        struct result_counter *counter = &result->counters[result->n_counters];
        double *values = memory_zeroed(n, sizeof *values), total = 0;
        for (size_t i = 0; i < n; i++)
            total += values[i] = sums[i * n_counters + c];
        if (!(total > 0) || !isfinite(total)) { // or values too large for sums
            free(values);
            continue;
        }
        *counter = (struct result_counter){.name = utf8_clean(defined->name),
                                           .unit = utf8_clean(defined->unit),
                                           .description = utf8_clean(defined->description),
                                           .total = total,
                                           .by_path_rank = values};
        result->n_counters++;
    }
}
