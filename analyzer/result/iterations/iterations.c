// SPDX-License-Identifier: BSD-3-Clause
// Of the series of calls that ranks repeat equally often, that of the outermost
// loop is taken.
#include "analyzer/result/parts.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

enum { LEAST_ITERATIONS = 4 };
static const double least_ranks = 0.9;    // of those with MPI calls, which iterate
static const double least_coverage = 0.5; // of the judged time
static const double least_usual = 0.02;   // of it, if all took as long as usual

// --- which loop

/// Calls of one path by one rank, and where they are.
struct candidate {
    const struct pag_series *series;
    struct call_place place;
};

static int by_count(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return ORDER_BY(LESS_FIRST(a->series->n_calls, b->series->n_calls),
                    LESS_FIRST(a->place.path, b->place.path),
                    LESS_FIRST(a->place.site, b->place.site), LESS_FIRST(a->series, b->series));
}

static const struct pag_mark *last_mark(const struct pag_series *series)
{
    return &series->marks[series->n_marks - 1];
}

/// The loop: a series of each rank that iterates, by rank; NULL for the others.
struct loop {
    const struct call_tree *tree;
    const struct pag_series **by_rank;
    size_t n_ranks; // that iterate
    const struct pag_series *first;
    struct call_place place; // on most ranks
    uint32_t region;
};

/// Takes N CANDIDATES with equally many calls: of each rank the one at the place that most have.
static void loop_take(struct loop *loop, const struct candidate *candidates, size_t n,
                      const struct result *result)
{
    size_t most = 0;
    memset(loop->by_rank, 0, result->n_ranks * sizeof(const struct pag_series *));
    loop->n_ranks = 0;
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i; next < n && candidates[next].place.path == candidates[i].place.path &&
                       candidates[next].place.site == candidates[i].place.site;)
            next++;
        if (next - i <= most)
            continue;
        most = next - i;
        loop->place = candidates[i].place;
    }
    for (size_t i = 0; i < n; i++) {
        const struct candidate *candidate = &candidates[i];
        const struct pag_series **own = &loop->by_rank[candidate->series->rank];
        bool is_first = !*own;
        loop->n_ranks += is_first;
        if (is_first || (candidate->place.path == loop->place.path &&
                         candidate->place.site == loop->place.site))
            *own = candidate->series;
    }
    loop->first = candidates[0].series;
}

static double window_of(const struct result *result)
{
    uint64_t begin_ns = result->window_begin_ns, end_ns = result->window_end_ns;
    return end_ns > begin_ns ? (double)(end_ns - begin_ns) : (double)result->time_ns;
}

static double coverage_of_loop(const struct loop *loop, const struct result *result)
{
    double sum_ns = 0;
    for (size_t i = 0; i < result->n_ranks; i++)
        if (loop->by_rank[i])
            sum_ns +=
                (double)(last_mark(loop->by_rank[i])->time_ns - loop->by_rank[i]->begin.time_ns);
    return sum_ns / ((double)loop->n_ranks * window_of(result));
}

/// The outermost recorded function around the calls that takes most of the time and is visited once
/// an iteration, RESULT_NONE when there is none.
static uint32_t function_of(const struct loop *loop, const struct result *result)
{
    uint32_t found = RESULT_NONE;
    uint64_t visits = loop->first->n_calls * loop->n_ranks;
    double least_ns = least_coverage * (double)loop->n_ranks * window_of(result);
    for (uint32_t at = loop->place.path; at != RESULT_NONE; at = result->paths[at].parent)
        if (!result->regions[result->paths[at].region].is_mpi &&
            result->paths[at].visits == visits &&
            (double)result->paths[at].inclusive_ns >= least_ns)
            found = result->paths[at].region;
    return found;
}

static struct candidate *find_candidates(const struct loop *loop, const struct result *result,
                                         size_t *n, size_t *n_ranks)
{
    const struct pag_result *replay = loop->tree->replay;
    struct candidate *candidates = memory_new((replay->n_series + 1) * sizeof *candidates);
    uint32_t last = RESULT_NONE;
    *n = *n_ranks = 0;
    for (size_t i = 0; i < replay->n_series; i++) {
        const struct pag_series *series = &replay->series[i];
        struct call_place place = call_tree_place(loop->tree, series->location, series->call_path);
        if (result->ranks[series->rank].is_skipped)
            continue;
        *n_ranks += series->rank != last;
        last = series->rank;
        if (series->n_calls >= LEAST_ITERATIONS && place.path != RESULT_NONE)
            candidates[(*n)++] = (struct candidate){series, place};
    }
    qsort(candidates, *n, sizeof *candidates, by_count);
    return candidates;
}

/// The loop with the fewest iterations of those that qualify, one of a recorded function before
/// others. False when there is none.
static bool loop_find(struct loop *loop, const struct result *result)
{
    size_t n, n_ranks, chosen = SIZE_MAX, chosen_end = 0;
    SCOPED struct candidate *candidates = find_candidates(loop, result, &n, &n_ranks);
    for (size_t i = 0, next; i < n && loop->region == RESULT_NONE; i = next) {
        for (next = i;
             next < n && candidates[next].series->n_calls == candidates[i].series->n_calls;)
            next++;
        loop_take(loop, candidates + i, next - i, result);
        if ((double)loop->n_ranks < least_ranks * (double)n_ranks ||
            coverage_of_loop(loop, result) < least_coverage)
            continue;
        loop->region = function_of(loop, result);
        if (chosen == SIZE_MAX || loop->region != RESULT_NONE) {
            chosen = i;
            chosen_end = next;
        }
    }
    if (chosen != SIZE_MAX)
        loop_take(loop, candidates + chosen, chosen_end - chosen, result);
    return chosen != SIZE_MAX;
}

// --- its iterations

static void put_item(const struct loop *loop, const struct result *result, size_t index,
                     struct result_iteration *item)
{
    uint64_t n = loop->first->n_calls, stride = loop->first->stride;
    *item = (struct result_iteration){.first = index * stride + 1,
                                      .last = (index + 1) * stride < n ? (index + 1) * stride : n,
                                      .begin_ns = UINT64_MAX,
                                      .slowest_rank = RESULT_NONE};
    for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
        const struct pag_series *series = loop->by_rank[rank];
        if (!series)
            continue;
        const struct pag_mark *begin = index == 0 ? &series->begin : &series->marks[index - 1];
        const struct pag_mark used = iterations_used(series, index, index + 1);
        if (begin->time_ns < item->begin_ns)
            item->begin_ns = begin->time_ns;
        if (series->marks[index].time_ns > item->end_ns)
            item->end_ns = series->marks[index].time_ns;
        item->time_ns += used.time_ns;
        item->useful_ns += used.useful_ns;
        item->no_cpu_ns += used.no_cpu_ns;
        item->wait_ns += used.wait_ns;
        item->other_mpi_ns += used.mpi_ns - used.wait_ns;
        if (item->slowest_rank != RESULT_NONE &&
            used.useful_ns + used.no_cpu_ns <= item->slowest_ns)
            continue;
        item->slowest_rank = rank;
        item->slowest_ns = used.useful_ns + used.no_cpu_ns;
    }
}

static void put_items(const struct loop *loop, struct result *result)
{
    SCOPED uint64_t *n_slowest = memory_zeroed(result->n_ranks + 1, sizeof *n_slowest);
    result->iterations.n = loop->first->n_calls;
    result->iterations.path = loop->place.path;
    result->iterations.site = loop->place.site;
    result->iterations.region = loop->region;
    result->iterations.n_ranks = (uint32_t)loop->n_ranks;
    result->iterations.n_items = loop->first->n_marks;
    result->iterations.items =
        memory_zeroed(result->iterations.n_items, sizeof *result->iterations.items);
    for (size_t i = 0; i < result->iterations.n_items; i++) {
        put_item(loop, result, i, &result->iterations.items[i]);
        n_slowest[result->iterations.items[i].slowest_rank]++;
    }
    for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
        if (n_slowest[rank] <= result->iterations.n_slowest)
            continue;
        result->iterations.n_slowest = n_slowest[rank];
        result->iterations.slowest_rank = rank;
    }
}

/// Calls that a start-up repeats among longer work are no loop.
static void forget_start_up(struct result *result)
{
    double all_ns = (double)result->iterations.usual_ns * (double)result->iterations.n;
    bool is_trend = result->iterations.n_odd > 0 && result->iterations.odd[0].is_trend;
    if (is_trend || all_ns >= least_usual * window_of(result))
        return;
    FREE_ALL(result->iterations.items, result->iterations.odd);
    memset(&result->iterations, 0, sizeof result->iterations);
}

void iterations_collect(const struct call_tree *tree, struct result *result)
{
    struct loop loop = {.tree = tree, .region = RESULT_NONE};
    loop.by_rank = memory_zeroed(result->n_ranks + 1, sizeof(const struct pag_series *));
    if (loop_find(&loop, result)) {
        put_items(&loop, result);
        odd_iterations_collect(tree, loop.by_rank, result);
        forget_start_up(result);
    }
    free(loop.by_rank);
}
