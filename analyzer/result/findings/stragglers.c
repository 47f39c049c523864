// SPDX-License-Identifier: BSD-3-Clause
// Stragglers: the ranks and nodes that others wait for most, and the iteration with most waiting.
// Waits are charged to their origin (struct result_origins), which also tells what made it late:
// its computing, time without CPU time, or its MPI calls.
#include "analyzer/result/findings/findings.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

enum { MOST_RANKS = 3 };
static const double worth_a_look = 0.01; // all of it, of the ranks' time
static const double least_share = 0.1;   // of a row, of what ranks or nodes are charged
static const double unusual = 1.5;       // times what an even share would be
static const double one_rank = 2.0 / 3;  // of a node: the rank says it all
static const double much_waiting = 2;    // of an iteration, times the others' mean

/// Adds NS that REGION made others wait.
static void add(struct result_straggler *row, const struct result_region *region, uint64_t ns)
{
    uint64_t *part =
        region->is_mpi                                 ? &row->network_ns
        : !strcmp(region->name, RESULT_REGION_NO_CPU)  ? &row->core_ns
        : !strcmp(region->name, RESULT_REGION_BLOCKED) ? &row->blocked_ns
        : !strcmp(region->name, RESULT_REGION_BEFORE) || !strcmp(region->name, RESULT_REGION_CLOCK)
            ? NULL
            : &row->work_ns;
    row->late_ns += ns;
    if (part)
        *part += ns;
}

/// What each rank is charged of waits in the judged part, into ROWS of all ranks; the sum.
static uint64_t charge_ranks(const struct result *result, struct result_straggler *rows)
{
    uint64_t sum_ns = 0;
    for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
        rows[rank].in = (struct result_part)RESULT_PART_ALL;
        rows[rank].in.rank = rank;
    }
    for (size_t i = 0; i < result->n_patterns; i++) {
        const struct result_pattern *pattern = &result->patterns[i];
        const struct result_origins *origins = &pattern->origins;
        if (!pattern->is_top || pattern->window_ns == 0) // then they are of waits outside of it
            continue;
        for (size_t k = 0; k < origins->n_by_region_rank; k++) {
            const struct result_path_share *share = &origins->by_region_rank[k];
            if (share->rank == RESULT_NONE || share->time_ns <= 0)
                continue;
            add(&rows[share->rank], &result->regions[share->region], (uint64_t)share->time_ns);
            sum_ns += (uint64_t)share->time_ns;
        }
    }
    for (size_t i = 0; i < result->iterations.n_items; i++)
        if (result->iterations.items[i].slowest_rank != RESULT_NONE)
            rows[result->iterations.items[i].slowest_rank].slowest_in++;
    return sum_ns;
}

static int by_lateness(const void *a, const void *b)
{
    const struct result_straggler *x = a, *y = b;
    return ORDER_BY(MORE_FIRST(x->late_ns, y->late_ns), LESS_FIRST(x->in.rank, y->in.rank),
                    LESS_FIRST(x->in.node, y->in.node));
}

/// Adds ROW if it is charged much of SUM_NS, of which an EVEN part would be usual.
static void keep(struct result *result, const struct result_straggler *row, uint64_t sum_ns,
                 double even)
{
    double share = part_of((double)row->late_ns, (double)sum_ns);
    if (share < least_share || share < unusual * even)
        return;
    struct result_straggler *kept = ARRAY_EXTEND(result->stragglers, result->n_stragglers);
    *kept = *row;
    kept->share = share;
}

/// Adds nodes whose ranks RANKS are late together, not one of them only.
static void keep_nodes(struct result *result, const struct result_straggler *ranks, uint64_t sum_ns)
{
    size_t n = result->n_nodes;
    SCOPED struct result_straggler *rows = memory_zeroed(n, sizeof *rows);
    SCOPED uint64_t *most_ns = memory_zeroed(n, sizeof *most_ns);
    for (uint32_t node = 0; node < n; node++) {
        rows[node].in = (struct result_part)RESULT_PART_ALL;
        rows[node].in.node = node;
    }
    for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
        uint32_t node = result->ranks[rank].node;
        if (node >= n)
            continue;
        rows[node].late_ns += ranks[rank].late_ns;
        rows[node].work_ns += ranks[rank].work_ns;
        rows[node].core_ns += ranks[rank].core_ns;
        rows[node].blocked_ns += ranks[rank].blocked_ns;
        rows[node].network_ns += ranks[rank].network_ns;
        if (ranks[rank].late_ns > most_ns[node])
            most_ns[node] = ranks[rank].late_ns;
    }
    qsort(rows, n, sizeof *rows, by_lateness);
    for (size_t i = 0; i < n && i < MOST_RANKS; i++) {
        uint32_t node = rows[i].in.node;
        if ((double)most_ns[node] < one_rank * (double)rows[i].late_ns)
            keep(result, &rows[i], sum_ns,
                 part_of(result->nodes[node].n_ranks, (double)result->n_ranks));
    }
}

/// Adds the iteration with most waiting, if that is much more than in the others; of what they have
/// more than these in the mean. Not the first one, which may hold what was before the loop, and
/// none where neighbouring ones are kept together.
static void keep_iteration(struct result *result)
{
    const struct result_iteration *items = result->iterations.items, *worst = NULL;
    struct result_iteration others = {0};
    size_t n = result->iterations.n_items;
    for (size_t i = 1; i < n; i++) {
        if (items[i].first != items[i].last)
            return;
        worst = !worst || items[i].wait_ns > worst->wait_ns ? &items[i] : worst;
        others.wait_ns += items[i].wait_ns;
        others.useful_ns += items[i].useful_ns;
        others.no_cpu_ns += items[i].no_cpu_ns;
        others.other_mpi_ns += items[i].other_mpi_ns;
    }
    if (n < 4 || (double)others.wait_ns < worth_a_look * (double)result->total_ns)
        return;
    double share = (double)worst->wait_ns / (double)others.wait_ns;
    uint64_t n_others = n - 2, usual_ns = (others.wait_ns - worst->wait_ns) / n_others;
    if (share < least_share || (double)worst->wait_ns < much_waiting * (double)usual_ns)
        return;
    struct result_straggler *row = ARRAY_EXTEND(result->stragglers, result->n_stragglers);
    *row = (struct result_straggler){
        .in = RESULT_PART_ALL,
        .late_ns = worst->wait_ns,
        .share = share,
        .work_ns = less(worst->useful_ns, (others.useful_ns - worst->useful_ns) / n_others),
        .core_ns = less(worst->no_cpu_ns, (others.no_cpu_ns - worst->no_cpu_ns) / n_others),
        .network_ns =
            less(worst->other_mpi_ns, (others.other_mpi_ns - worst->other_mpi_ns) / n_others)};
    row->in.iteration = (uint32_t)(worst - items);
    // One rank that is longer keeps all others waiting so long. Waits that are longer still are for
    // ranks that had not begun to iterate.
    uint64_t sum_ns = row->work_ns + row->core_ns + row->network_ns;
    if (sum_ns * (result->n_ranks - 1) < row->late_ns / 2)
        row->work_ns = row->core_ns = row->network_ns = 0;
}

void stragglers_collect(struct result *result)
{
    SCOPED struct result_straggler *ranks =
        memory_zeroed(result->n_ranks, sizeof(struct result_straggler));
    uint64_t sum_ns = charge_ranks(result, ranks);
    if ((double)sum_ns >= worth_a_look * (double)result->total_ns && sum_ns > 0) {
        keep_nodes(result, ranks, sum_ns);
        qsort(ranks, result->n_ranks, sizeof *ranks, by_lateness);
        for (size_t i = 0; i < result->n_ranks && i < MOST_RANKS; i++)
            keep(result, &ranks[i], sum_ns, 1.0 / (double)result->n_ranks);
    }
    keep_iteration(result);
}
