// SPDX-License-Identifier: BSD-3-Clause
// Cells found through a map from (location, call path), those of one call path chained; at the end
// they are carried over to merged call paths, sorted and summed (see wait_sums.h).
#include "analyzer/report/wait_sums.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

struct wait_cell {
    uint32_t pattern, location, call_path, rank;
    uint32_t next; // cell of the same call path, RESULT_NONE
    uint32_t window_epoch;
    uint64_t count, ns, window_ns;
};

struct wait_total {
    uint64_t count, ns;
    double weighted_confidence;
    struct wait worst;
};

void wait_sums_init(struct wait_sums *sums, size_t n_patterns)
{
    *sums = (struct wait_sums){.n_patterns = n_patterns};
    sums->totals = memory_zeroed(n_patterns, sizeof *sums->totals);
    map_init(&sums->first_cell);
    map_init(&sums->cause_of);
}

void wait_sums_release(struct wait_sums *sums)
{
    free(sums->totals);
    free(sums->cells);
    free(sums->causes);
    free(sums->cause_patterns);
    map_release(&sums->first_cell);
    map_release(&sums->cause_of);
    *sums = (struct wait_sums){0};
}

static struct wait_cell *cell_of(struct wait_sums *sums, const struct wait *wait)
{
    uint64_t key = (uint64_t)wait->location << 32 | wait->call_path;
    uint32_t first = RESULT_NONE;
    map_get(&sums->first_cell, key, &first);
    for (uint32_t at = first; at != RESULT_NONE; at = sums->cells[at].next)
        if (sums->cells[at].pattern == wait->pattern)
            return &sums->cells[at];
    sums->cells =
        array_reserve(sums->cells, &sums->cells_capacity, sums->n_cells + 1, sizeof *sums->cells);
    struct wait_cell *cell = &sums->cells[sums->n_cells];
    *cell = (struct wait_cell){
        .pattern = wait->pattern,
        .location = wait->location,
        .call_path = wait->call_path,
        .rank = wait->rank,
        .next = first,
        .window_epoch = sums->window_epoch,
    };
    map_put(&sums->first_cell, key, (uint32_t)sums->n_cells++);
    return cell;
}

static void add_cause(struct wait_sums *sums, const struct wait *wait)
{
    uint64_t key = (uint64_t)wait->pattern << 32 | wait->cause_rank;
    uint32_t index;
    if (!map_get(&sums->cause_of, key, &index)) {
        index = (uint32_t)sums->n_causes++;
        sums->causes = array_reserve(sums->causes, &sums->causes_capacity, sums->n_causes,
                                     sizeof *sums->causes);
        sums->cause_patterns = array_reserve(sums->cause_patterns, &sums->cause_patterns_capacity,
                                             sums->n_causes, sizeof *sums->cause_patterns);
        sums->causes[index] = (struct result_amount){.key = wait->cause_rank};
        sums->cause_patterns[index] = wait->pattern;
        map_put(&sums->cause_of, key, index);
    }
    sums->causes[index].count++;
    sums->causes[index].ns += wait->wait_ns;
}

/// Longest first; of equals the earliest, then the lowest rank.
static bool is_worse(const struct wait *a, const struct wait *b)
{
    if (a->wait_ns != b->wait_ns)
        return a->wait_ns > b->wait_ns;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns;
    return a->rank < b->rank;
}

void wait_sums_add(struct wait_sums *sums, const struct wait *wait)
{
    struct wait_cell *cell = cell_of(sums, wait);
    if (cell->window_epoch != sums->window_epoch) {
        cell->window_epoch = sums->window_epoch;
        cell->window_ns = 0;
    }
    cell->count++;
    cell->ns += wait->wait_ns;
    if (wait->is_in_window)
        cell->window_ns += wait->wait_ns;

    struct wait_total *total = &sums->totals[wait->pattern];
    if (total->count == 0 || is_worse(wait, &total->worst))
        total->worst = *wait;
    total->count++;
    total->ns += wait->wait_ns;
    total->weighted_confidence += wait->confidence * (double)wait->wait_ns;
    if (wait->cause_rank != RESULT_NONE)
        add_cause(sums, wait);
}

void wait_sums_forget_window(struct wait_sums *sums)
{
    sums->window_epoch++;
}

/// A cell with its merged call path.
struct merged_cell {
    uint32_t pattern, path, rank;
    uint64_t count, ns;
};

static int compare_merged_cells(const void *left, const void *right)
{
    const struct merged_cell *a = left, *b = right;
    if (a->pattern != b->pattern)
        return a->pattern < b->pattern ? -1 : 1;
    if (a->path != b->path)
        return a->path < b->path ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int compare_by_key(const void *left, const void *right)
{
    const struct result_amount *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

static int compare_by_ns(const void *left, const void *right)
{
    const struct result_amount *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return compare_by_key(left, right);
}

/// Sorts AMOUNTS by key, adds up equal keys and drops RESULT_NONE; returns how many are left.
static size_t amounts_merge(struct result_amount *amounts, size_t count)
{
    size_t n_merged = 0;
    qsort(amounts, count, sizeof *amounts, compare_by_key);
    for (size_t i = 0; i < count; i++) {
        if (amounts[i].key == RESULT_NONE)
            break;
        if (n_merged > 0 && amounts[n_merged - 1].key == amounts[i].key) {
            amounts[n_merged - 1].count += amounts[i].count;
            amounts[n_merged - 1].ns += amounts[i].ns;
        } else {
            amounts[n_merged++] = amounts[i];
        }
    }
    return n_merged;
}

/// CELLS are all cells of one pattern, sorted by (path, rank).
static void put_pattern_sums(struct result_pattern *pattern, const struct merged_cell *cells,
                             size_t n_cells)
{
    pattern->sums = memory_zeroed(n_cells, sizeof *pattern->sums);
    pattern->by_rank = memory_zeroed(n_cells, sizeof *pattern->by_rank);
    pattern->by_path = memory_zeroed(n_cells, sizeof *pattern->by_path);
    for (size_t i = 0; i < n_cells; i++) {
        const struct merged_cell *cell = &cells[i];
        pattern->by_rank[i] = (struct result_amount){cell->rank, cell->count, cell->ns};
        pattern->by_path[i] = (struct result_amount){cell->path, cell->count, cell->ns};
        struct result_instance_sum *last =
            pattern->n_sums > 0 ? &pattern->sums[pattern->n_sums - 1] : NULL;
        if (last && last->path == cell->path && last->rank == cell->rank) {
            last->count += cell->count;
            last->ns += cell->ns;
        } else {
            pattern->sums[pattern->n_sums++] =
                (struct result_instance_sum){cell->path, cell->rank, cell->count, cell->ns};
        }
    }
    pattern->n_by_rank = amounts_merge(pattern->by_rank, n_cells);
    pattern->n_by_path = amounts_merge(pattern->by_path, n_cells);
    qsort(pattern->by_path, pattern->n_by_path, sizeof *pattern->by_path, compare_by_ns);
}

static void put_causes(const struct wait_sums *sums, uint32_t pattern, struct result_pattern *to)
{
    to->by_cause = memory_zeroed(sums->n_causes, sizeof *to->by_cause);
    for (size_t i = 0; i < sums->n_causes; i++)
        if (sums->cause_patterns[i] == pattern)
            to->by_cause[to->n_by_cause++] = sums->causes[i];
    qsort(to->by_cause, to->n_by_cause, sizeof *to->by_cause, compare_by_ns);
}

static void put_total(const struct wait_sums *sums, const struct call_tree *tree, uint32_t pattern,
                      struct result *result)
{
    const struct wait_total *total = &sums->totals[pattern];
    struct result_pattern *to = &result->patterns[pattern];
    double rank_time = (double)result->n_ranks * (double)result->time_ns;
    to->count = total->count;
    to->total_ns = total->ns;
    to->severity = rank_time > 0 ? (double)total->ns / rank_time : 0;
    to->worst.rank = to->worst.path = to->worst.cause_rank = RESULT_NONE;
    if (total->count == 0)
        return;
    to->confidence = total->weighted_confidence / (double)total->ns;
    to->worst.rank = total->worst.rank;
    to->worst.path = call_tree_path(tree, total->worst.location, total->worst.call_path);
    to->worst.cause_rank = total->worst.cause_rank;
    to->worst.time_ns = total->worst.begin_ns;
    to->worst.wait_ns = total->worst.wait_ns;
}

void wait_sums_put(const struct wait_sums *sums, const struct call_tree *tree,
                   struct result *result)
{
    struct merged_cell *cells = memory_zeroed(sums->n_cells, sizeof *cells);
    for (size_t i = 0; i < sums->n_cells; i++) {
        const struct wait_cell *cell = &sums->cells[i];
        struct result_pattern *pattern = &result->patterns[cell->pattern];
        uint64_t window_ns = cell->window_epoch == sums->window_epoch ? cell->window_ns : 0;
        cells[i] = (struct merged_cell){cell->pattern,
                                        call_tree_path(tree, cell->location, cell->call_path),
                                        cell->rank, cell->count, cell->ns};
        pattern->window_ns += window_ns;
        if (pattern->is_top && cell->rank < result->n_ranks)
            result->ranks[cell->rank].wait_ns += window_ns;
    }
    qsort(cells, sums->n_cells, sizeof *cells, compare_merged_cells);
    for (size_t i = 0, next; i < sums->n_cells; i = next) {
        for (next = i; next < sums->n_cells && cells[next].pattern == cells[i].pattern; next++)
            ;
        put_pattern_sums(&result->patterns[cells[i].pattern], &cells[i], next - i);
    }
    for (uint32_t i = 0; i < sums->n_patterns; i++) {
        put_total(sums, tree, i, result);
        put_causes(sums, i, &result->patterns[i]);
    }
    free(cells);
}
