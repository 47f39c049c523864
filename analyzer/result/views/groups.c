// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/result/views/groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/order.h"

/// Reads "0,1-4".
static bool read_ranges(const char *text, struct grouping *grouping)
{
    const char *at = text, *end = text + strlen(text);
    struct error ignored = {{0}};
    do {
        size_t n = grouping->n_ranges;
        struct rank_range *range = &grouping->ranges[n];
        if (n == MAX_RANGES || rank_list_next(&at, end, RANK_LIST_ANY_RUN, range, &ignored) != 0 ||
            (n > 0 && range->first <= range[-1].last) || range->last == UINT32_MAX)
            return false;
        grouping->n_ranges++;
    } while (at < end);
    return true;
}

int grouping_read(const char *text, struct grouping *grouping, struct error *err)
{
    struct error ignored = {{0}};
    bool has_ranges = strpbrk(text, ",-") != NULL;
    *grouping = (struct grouping){.by = has_ranges ? GROUP_RANGES : GROUP_RANKS};
    if (strcmp(text, "node") == 0)
        grouping->by = GROUP_NODE;
    else if (strcmp(text, "machine") == 0)
        grouping->by = GROUP_MACHINE;
    else if (strcmp(text, "program") == 0)
        grouping->by = GROUP_PROGRAM;
    else if (has_ranges ? !read_ranges(text, grouping)
                        : option_read_count(text, &grouping->n_ranks, &ignored) != 0 ||
                              grouping->n_ranks == 0)
        return error_set(err,
                         "`%s` is not a group: node, machine, program, a number of ranks from 1 "
                         "on, or ranges of ranks, ascending, such as 0,1-4",
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

static const char *program_of(const struct result *result, uint32_t rank)
{
    const char *program = result->ranks[rank].program;
    return program[0] ? program : "unnamed program";
}

/// The number of the range that has RANK; n_ranges: none.
static uint32_t range_of(const struct grouping *grouping, uint32_t rank)
{
    uint32_t i = 0;
    while (i < grouping->n_ranges && grouping->ranges[i].last < rank)
        i++;
    return i < grouping->n_ranges && grouping->ranges[i].first > rank ? (uint32_t)grouping->n_ranges
                                                                      : i;
}

/// What the group of RANK is called, which is its first.
static char *group_name(const struct grouping *grouping, const struct result *result, uint32_t rank)
{
    const struct result_node *node = &result->nodes[result->ranks[rank].node];
    uint64_t last = rank + grouping->n_ranks - 1;
    uint32_t range = range_of(grouping, rank);
    if (grouping->by == GROUP_NODE || grouping->by == GROUP_MACHINE)
        return memory_copy_text(grouping->by == GROUP_MACHINE ? node->machine : node->name);
    if (grouping->by == GROUP_PROGRAM)
        return memory_copy_text(program_of(result, rank));
    if (grouping->by == GROUP_RANGES && range == grouping->n_ranges)
        return memory_copy_text("other ranks");
    if (grouping->by == GROUP_RANGES)
        last = grouping->ranges[range].last;
    last = last < result->n_ranks ? last : result->n_ranks - 1;
    return last == rank ? memory_format("rank %" PRIu32, rank)
                        : memory_format("ranks %" PRIu32 "-%" PRIu64, rank, last);
}

/// The number of RANK's group so far, RESULT_NONE: it is its first. FIRST: by KEY.
static uint32_t group_so_far(const struct grouping *grouping, const struct result *result,
                             uint32_t rank, const uint32_t *first, uint32_t key)
{
    size_t n = result->groups.n;
    if (grouping->by == GROUP_RANKS)
        return rank % grouping->n_ranks != 0 ? (uint32_t)n - 1 : RESULT_NONE;
    if (grouping->by != GROUP_PROGRAM)
        return first[key];
    size_t i = FIND_BY(result->groups.items, n, name, program_of(result, rank));
    return i < n ? (uint32_t)i : RESULT_NONE;
}

/// The number of RANK's group, which is made where it is its first. FIRST: by node, or by range.
static uint32_t group_of(const struct grouping *grouping, struct result *result, uint32_t rank,
                         uint32_t *first)
{
    bool of_machine = grouping->by == GROUP_MACHINE;
    uint32_t key =
        grouping->by == GROUP_RANGES ? range_of(grouping, rank) : result->ranks[rank].node;
    uint32_t known = group_so_far(grouping, result, rank, first, key);
    if (known != RESULT_NONE)
        return known;
    uint32_t own = (uint32_t)result->groups.n++;
    result->groups.items[own].name = group_name(grouping, result, rank);
    first[key] = own;
    uint32_t leader = of_machine ? first_node(result, key, true) : 0;
    for (uint32_t i = 0; i < result->n_nodes && of_machine; i++)
        if (first_node(result, i, true) == leader)
            first[i] = own;
    return own;
}

/// What a rank does without waiting.
static uint64_t busy_ns(const struct result_rank *rank)
{
    return rank->useful_ns + rank->no_cpu_ns + rank->mpi_ns - rank->wait_ns;
}

/// How many ranks GROUP could do without if its work were divided evenly and its ranks had to be
/// done in PACE_NS; calls of a rank take as long as before.
static uint32_t spare_ranks(const struct result_group *group, uint64_t pace_ns)
{
    uint64_t work_ns = group->useful_ns + group->no_cpu_ns;
    uint64_t of_rank_ns = group->other_mpi_ns / group->n_ranks;
    if (pace_ns <= of_rank_ns)
        return 0;
    uint64_t room_ns = pace_ns - of_rank_ns;
    uint64_t n_needed = (work_ns + room_ns - 1) / room_ns;
    n_needed = n_needed > 0 ? n_needed : 1;
    return n_needed < group->n_ranks ? group->n_ranks - (uint32_t)n_needed : 0;
}

/// Which group limits the rate: no run whose ranks do the same is shorter than its busiest rank is
/// busy. Of the others, how long they wait, and how many ranks they could do without.
static void put_limits(struct result *result)
{
    struct result_group *groups = result->groups.items;
    uint32_t limiting = RESULT_NONE;
    for (uint32_t i = 0; i < result->n_ranks; i++) {
        struct result_group *group = &groups[result->groups.of_rank[i]];
        uint64_t own_ns = result->ranks[i].is_skipped ? 0 : busy_ns(&result->ranks[i]);
        group->busiest_ns = own_ns > group->busiest_ns ? own_ns : group->busiest_ns;
    }
    for (uint32_t i = 0; i < result->groups.n; i++)
        if (limiting == RESULT_NONE || groups[i].busiest_ns > groups[limiting].busiest_ns)
            limiting = i;
    result->groups.limiting = result->groups.n > 1 ? limiting : RESULT_NONE;
    for (uint32_t i = 0; i < result->groups.n; i++) {
        if (i == limiting)
            continue;
        result->groups.others_wait_ns += groups[i].wait_ns;
        groups[i].n_spare = spare_ranks(&groups[i], groups[limiting].busiest_ns);
    }
}

static void put_groups(const struct grouping *grouping, struct result *result)
{
    result->groups.items = memory_zeroed(result->n_ranks + 1, sizeof *result->groups.items);
    result->groups.of_rank = memory_zeroed(result->n_ranks + 1, sizeof *result->groups.of_rank);
    size_t n_keys = result->n_nodes + MAX_RANGES + 1;
    SCOPED uint32_t *first = memory_new(n_keys * sizeof *first);
    memset(first, UINT8_MAX, n_keys * sizeof *first); // RESULT_NONE
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

static void put_traffic(struct result *result)
{
    struct result_traffic *traffic = memory_zeroed(result->n_traffic + 1, sizeof *traffic);
    size_t n = 0;
    for (size_t i = 0; i < result->n_traffic; i++) {
        traffic[i] = result->traffic[i];
        traffic[i].sender = result->groups.of_rank[traffic[i].sender];
        traffic[i].receiver = result->groups.of_rank[traffic[i].receiver];
    }
    SORT_BY(traffic, result->n_traffic, LEAST(sender), LEAST(receiver));
    for (size_t i = 0; i < result->n_traffic; i++) {
        struct result_traffic *last = n > 0 ? &traffic[n - 1] : NULL;
        if (last && last->sender == traffic[i].sender && last->receiver == traffic[i].receiver) {
            last->n_messages += traffic[i].n_messages;
            last->size_bytes += traffic[i].size_bytes;
        } else {
            traffic[n++] = traffic[i];
        }
    }
    result->groups.traffic = traffic;
    result->groups.n_traffic = n;
}

/// Exclusive time of a region in a group.
struct region_group {
    uint32_t region, group;
    uint64_t ns;
};

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
    SORT_BY(times, n, LEAST(region), LEAST(group));
    for (size_t i = 0, next; i < n; i = next) {
        uint64_t sum_ns = 0;
        for (next = i; next < n && times[next].region == times[i].region &&
                       times[next].group == times[i].group;
             next++)
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
    put_limits(result);
    put_traffic(result);
    put_regions(result);
}
