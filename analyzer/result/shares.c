// SPDX-License-Identifier: BSD-3-Clause
// Parts of the critical path and origins of waits: from a location's call paths to regions and
// ranks.
#include "analyzer/result/shares.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

static uint32_t region_named(struct result *result, const char *name)
{
    for (uint32_t i = 0; i < result->n_regions; i++)
        if (!strcmp(result->regions[i].name, name))
            return i;
    result->regions =
        memory_resize(result->regions, result->n_regions + 1, sizeof *result->regions);
    result->regions[result->n_regions] = (struct result_region){.name = memory_copy_text(name),
                                                                .shown = memory_copy_text(name),
                                                                .file = memory_copy_text(""),
                                                                .max_rank = RESULT_NONE};
    return (uint32_t)result->n_regions++;
}

/// Region and rank an entry stands for.
static struct result_path_share path_share(const struct definitions *definitions,
                                           const struct call_tree *tree,
                                           const struct site_table *sites,
                                           const struct pag_path_entry *entry,
                                           struct result *result)
{
    struct result_path_share share = {
        .rank = RESULT_NONE,
        .time_ns = entry->time_ns,
        .site = site_table_at(sites, entry->location, entry->call_path),
    };
    if (entry->location < definitions->n_locations)
        share.rank = definitions->locations[entry->location].rank;
    uint32_t path = call_tree_path(tree, entry->location, entry->call_path);
    if (path != RESULT_NONE)
        share.region = result->paths[path].region;
    else
        share.region =
            region_named(result, entry->call_path == PAG_PATH_CLOCK_REPAIR ? RESULT_REGION_CLOCK
                                                                           : RESULT_REGION_BEFORE);
    return share;
}

struct result_path_share *shares_resolve(const struct definitions *definitions,
                                         const struct call_tree *tree,
                                         const struct site_table *sites,
                                         const struct pag_path_entry *entries, size_t n_entries,
                                         struct result *result)
{
    struct result_path_share *shares = memory_zeroed(n_entries, sizeof *shares);
    for (size_t i = 0; i < n_entries; i++)
        shares[i] = path_share(definitions, tree, sites, &entries[i], result);
    return shares;
}

static int compare_share_keys(const void *left, const void *right)
{
    const struct result_path_share *a = left, *b = right;
    if (a->region != b->region)
        return a->region < b->region ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int compare_share_times(const void *left, const void *right)
{
    const struct result_path_share *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns > b->time_ns ? -1 : 1;
    return compare_share_keys(left, right);
}

static int compare_site_keys(const void *left, const void *right)
{
    const struct result_path_share *a = left, *b = right;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    return compare_share_keys(left, right);
}

static int compare_site_times(const void *left, const void *right)
{
    const struct result_path_share *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns > b->time_ns ? -1 : 1;
    return compare_site_keys(left, right);
}

/// The sum of COUNT parts of one site in one region, which are sorted by rank, and its main rank.
static struct result_path_share sum_of_site(const struct result_path_share *parts, size_t count)
{
    struct result_path_share sum = parts[0];
    uint32_t most_rank = RESULT_NONE;
    int64_t positive_ns = 0, most_ns = 0, rank_ns = 0;
    sum.time_ns = 0;
    for (size_t i = 0; i < count; i++) {
        sum.time_ns += parts[i].time_ns;
        bool is_same_rank = i > 0 && parts[i - 1].rank == parts[i].rank;
        rank_ns = is_same_rank ? rank_ns + parts[i].time_ns : parts[i].time_ns;
        if (parts[i].time_ns > 0)
            positive_ns += parts[i].time_ns;
        if (rank_ns > most_ns) {
            most_ns = rank_ns;
            most_rank = parts[i].rank;
        }
    }
    sum.rank = most_ns > positive_ns / 2 ? most_rank : RESULT_NONE;
    return sum;
}

struct result_path_share *shares_sum(const struct result_path_share *shares, size_t count,
                                     bool by_region, bool by_rank, uint64_t time_ns, size_t *n_sums)
{
    struct result_path_share *sums = memory_zeroed(count, sizeof *sums);
    for (size_t i = 0; i < count; i++) {
        sums[i] = shares[i];
        if (!by_region)
            sums[i].region = RESULT_NONE;
        if (!by_rank)
            sums[i].rank = RESULT_NONE;
        sums[i].site = RESULT_NONE;
    }
    qsort(sums, count, sizeof *sums, compare_share_keys);
    *n_sums = 0;
    for (size_t i = 0; i < count; i++) {
        if (*n_sums > 0 && compare_share_keys(&sums[*n_sums - 1], &sums[i]) == 0)
            sums[*n_sums - 1].time_ns += sums[i].time_ns;
        else
            sums[(*n_sums)++] = sums[i];
    }
    for (size_t i = 0; i < *n_sums; i++)
        sums[i].share = time_ns > 0 ? (double)sums[i].time_ns / (double)time_ns : 0;
    qsort(sums, *n_sums, sizeof *sums, compare_share_times);
    return sums;
}

struct result_path_share *shares_sum_by_site(const struct result_path_share *shares, size_t count,
                                             uint64_t time_ns, size_t *n_sums)
{
    struct result_path_share *parts = memory_zeroed(count, sizeof *parts);
    size_t n_parts = 0;
    for (size_t i = 0; i < count; i++)
        if (shares[i].site != RESULT_NONE)
            parts[n_parts++] = shares[i];
    qsort(parts, n_parts, sizeof *parts, compare_site_keys);
    *n_sums = 0;
    for (size_t i = 0, next; i < n_parts; i = next) {
        for (next = i + 1; next < n_parts && parts[next].site == parts[i].site &&
                           parts[next].region == parts[i].region;)
            next++;
        struct result_path_share sum = sum_of_site(&parts[i], next - i);
        sum.share = time_ns > 0 ? (double)sum.time_ns / (double)time_ns : 0;
        if (sum.time_ns != 0)
            parts[(*n_sums)++] = sum;
    }
    qsort(parts, *n_sums, sizeof *parts, compare_site_times);
    return parts;
}
