// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/result/views/groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/order.h"

int grouping_read(const char *text, struct grouping *grouping, struct error *err)
{
    struct error ignored = {{0}};
    *grouping = (struct grouping){.by = GROUP_RANKS};
    if (strcmp(text, "node") == 0)
        grouping->by = GROUP_NODE;
    else if (strcmp(text, "machine") == 0)
        grouping->by = GROUP_MACHINE;
    else if (option_read_count(text, &grouping->n_ranks, &ignored) != 0 || grouping->n_ranks == 0)
        return error_set(err, "`%s` is not a group: node, machine or a number of ranks from 1 on",
                         text);
    return 0;
}

/// The first node of NODE's machine, or NODE.
static uint32_t first_node(const struct result *result, uint32_t node, bool of_machine)
{
    for (uint32_t i = 0; i < node && of_machine; i++)
        if (strcmp(result->nodes[i].machine, result->nodes[node].machine) == 0)
            return i;
    return node;
}

/// The number of RANK's group, which is made where it is its first. FIRST: by node.
static uint32_t group_of(const struct grouping *grouping, struct result *result, uint32_t rank,
                         uint32_t *first)
{
    bool of_machine = grouping->by == GROUP_MACHINE;
    uint32_t *known = &first[result->ranks[rank].node];
    if (grouping->by == GROUP_RANKS ? rank % grouping->n_ranks != 0 : *known != RESULT_NONE)
        return grouping->by == GROUP_RANKS ? (uint32_t)result->groups.n - 1 : *known;
    const struct result_node *node = &result->nodes[result->ranks[rank].node];
    uint64_t last = rank + grouping->n_ranks - 1;
    last = last < result->n_ranks ? last : result->n_ranks - 1;
    char *name = grouping->by != GROUP_RANKS
                     ? memory_copy_text(of_machine ? node->machine : node->name)
                 : last == rank ? memory_format("rank %" PRIu32, rank)
                                : memory_format("ranks %" PRIu32 "-%" PRIu64, rank, last);
    uint32_t own = (uint32_t)result->groups.n++;
    result->groups.items[own].name = name;
    uint32_t leader = first_node(result, result->ranks[rank].node, of_machine);
    for (uint32_t i = 0; i < result->n_nodes && grouping->by != GROUP_RANKS; i++)
        if (first_node(result, i, of_machine) == leader)
            first[i] = own;
    return own;
}

static void put_groups(const struct grouping *grouping, struct result *result)
{
    result->groups.items = memory_zeroed(result->n_ranks + 1, sizeof *result->groups.items);
    result->groups.of_rank = memory_zeroed(result->n_ranks + 1, sizeof *result->groups.of_rank);
    SCOPED uint32_t *first = memory_new((result->n_nodes + 1) * sizeof *first);
    memset(first, UINT8_MAX, (result->n_nodes + 1) * sizeof *first); // RESULT_NONE
    for (uint32_t i = 0; i < result->n_ranks; i++) {
        const struct result_rank *rank = &result->ranks[i];
        result->groups.of_rank[i] = group_of(grouping, result, i, first);
        struct result_group *group = &result->groups.items[result->groups.of_rank[i]];
        group->n_ranks++;
        if (rank->is_skipped)
            continue;
        group->useful_ns += rank->useful_ns;
        group->no_cpu_ns += rank->no_cpu_ns + rank->no_cpu_mpi_ns;
        group->wait_ns += rank->wait_ns;
        group->other_mpi_ns += rank->mpi_ns - rank->wait_ns - rank->no_cpu_mpi_ns;
    }
    for (size_t i = 0; i < result->critical_path.n_by_rank; i++) {
        const struct result_path_share *share = &result->critical_path.by_rank[i];
        if (share->rank != RESULT_NONE)
            result->groups.items[result->groups.of_rank[share->rank]].critical_path_ns +=
                share->time_ns;
    }
}

static int by_pair(const void *left, const void *right)
{
    const struct result_traffic *a = left, *b = right;
    return ORDER_BY(LESS_FIRST(a->sender, b->sender), LESS_FIRST(a->receiver, b->receiver));
}

static void put_traffic(struct result *result)
{
    struct result_traffic *traffic = memory_zeroed(result->n_traffic + 1, sizeof *traffic);
    size_t n = 0;
    for (size_t i = 0; i < result->n_traffic; i++) {
        traffic[i] = result->traffic[i];
        traffic[i].sender = result->groups.of_rank[traffic[i].sender];
        traffic[i].receiver = result->groups.of_rank[traffic[i].receiver];
    }
    qsort(traffic, result->n_traffic, sizeof *traffic, by_pair);
    for (size_t i = 0; i < result->n_traffic; i++) {
        if (n == 0 || by_pair(&traffic[n - 1], &traffic[i]) != 0) {
            traffic[n++] = traffic[i];
            continue;
        }
        traffic[n - 1].n_messages += traffic[i].n_messages;
        traffic[n - 1].size_bytes += traffic[i].size_bytes;
    }
    result->groups.traffic = traffic;
    result->groups.n_traffic = n;
}

/// Exclusive time of a region in a group.
struct region_group {
    uint32_t region, group;
    uint64_t ns;
};

static int by_region(const void *left, const void *right)
{
    const struct region_group *a = left, *b = right;
    return ORDER_BY(LESS_FIRST(a->region, b->region), LESS_FIRST(a->group, b->group));
}

/// For each region the group whose ranks have most of its exclusive time in the mean.
static void put_regions(struct result *result)
{
    SCOPED struct region_group *times = memory_new((result->n_path_ranks + 1) * sizeof *times);
    size_t n = 0;
    result->groups.of_region = memory_new((result->n_regions + 1) * sizeof(uint32_t));
    result->groups.of_region_ns = memory_zeroed(result->n_regions + 1, sizeof(uint64_t));
    for (size_t i = 0; i < result->n_regions; i++)
        result->groups.of_region[i] = RESULT_NONE;
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        const struct result_path_rank *pair = &result->path_ranks[i];
        if (pair->rank != RESULT_NONE)
            times[n++] =
                (struct region_group){result->paths[pair->path].region,
                                      result->groups.of_rank[pair->rank], pair->exclusive_ns};
    }
    qsort(times, n, sizeof *times, by_region);
    for (size_t i = 0, next; i < n; i = next) {
        uint64_t sum_ns = 0;
        for (next = i; next < n && by_region(&times[i], &times[next]) == 0; next++)
            sum_ns += times[next].ns;
        uint64_t mean_ns = sum_ns / result->groups.items[times[i].group].n_ranks;
        if (mean_ns <= result->groups.of_region_ns[times[i].region])
            continue;
        result->groups.of_region_ns[times[i].region] = mean_ns;
        result->groups.of_region[times[i].region] = times[i].group;
    }
}

void groups_collect(const struct grouping *grouping, struct result *result)
{
    if (grouping->by == GROUP_NONE)
        return;
    put_groups(grouping, result);
    put_traffic(result);
    put_regions(result);
}
