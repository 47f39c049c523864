// SPDX-License-Identifier: BSD-3-Clause
// Parts of ranks (placement_search.h).
#include "analyzer/whatif/placement_search.h"

#include <fcntl.h>
#include <metis.h>
#include <stdio.h>
#include <unistd.h>

#include "analyzer/base/memory.h"

#define NO_RANK UINT32_MAX

enum { MAX_WEIGHT = 1000000, MAX_WORK = 1000 };

// --- the graph

void rank_graph_init(struct rank_graph *graph, const struct result *result)
{
    size_t n = result->n_ranks;
    graph->n_ranks = (uint32_t)n;
    graph->bytes = memory_zeroed(n * n, sizeof *graph->bytes);
    graph->work_ns = memory_zeroed(n, sizeof *graph->work_ns);
    for (size_t i = 0; i < result->n_traffic; i++) {
        const struct result_traffic *traffic = &result->traffic[i];
        uint64_t bytes = traffic->size_bytes + traffic->n_messages; // empty ones count, too
        graph->bytes[traffic->sender * n + traffic->receiver] += bytes;
        graph->bytes[traffic->receiver * n + traffic->sender] += bytes;
    }
    for (size_t i = 0; i < n; i++) {
        graph->bytes[i * n + i] = 0;
        graph->work_ns[i] = result->ranks[i].useful_ns;
    }
}

void rank_graph_release(struct rank_graph *graph)
{
    FREE_ALL(graph->bytes, graph->work_ns);
    *graph = (struct rank_graph){0};
}

int64_t rank_graph_bytes_with(const struct rank_graph *graph, const uint32_t *part_of_rank,
                              uint32_t rank, uint32_t part)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < graph->n_ranks; i++)
        if (part_of_rank[i] == part)
            sum += (int64_t)graph->bytes[(size_t)rank * graph->n_ranks + i];
    return sum;
}

// --- METIS

/// METIS prints what it does not like (few ranks, many nodes) to stdout, where the report goes: not
/// while this holds. What end_silence() needs.
static int silence(void)
{
    fflush(stdout);
    int output = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (output >= 0 && nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    if (nowhere >= 0)
        close(nowhere);
    return output;
}

static void end_silence(int output)
{
    fflush(stdout);
    if (output < 0)
        return;
    dup2(output, STDOUT_FILENO);
    close(output);
}

/// The graph as METIS takes it.
struct metis_graph {
    idx_t n, *begins, *peers, *weights, *work;
};

static void metis_graph_init(struct metis_graph *metis, const struct rank_graph *graph,
                             bool is_by_work)
{
    size_t n = graph->n_ranks, n_edges = 0;
    uint64_t most_bytes = 1, most_ns = 1;
    for (size_t i = 0; i < n * n; i++) {
        n_edges += graph->bytes[i] > 0;
        most_bytes = graph->bytes[i] > most_bytes ? graph->bytes[i] : most_bytes;
    }
    for (size_t i = 0; i < n; i++)
        most_ns = graph->work_ns[i] > most_ns ? graph->work_ns[i] : most_ns;
    *metis = (struct metis_graph){
        .n = (idx_t)n,
        .begins = memory_zeroed(n + 1, sizeof *metis->begins),
        .peers = memory_zeroed(n_edges + 1, sizeof *metis->peers),
        .weights = memory_zeroed(n_edges + 1, sizeof *metis->weights),
        .work = memory_zeroed(n, sizeof *metis->work),
    };
    idx_t edge = 0;
    for (size_t a = 0; a < n; a++) {
        metis->begins[a] = edge;
        for (size_t b = 0; b < n; b++) {
            uint64_t bytes = graph->bytes[a * n + b];
            if (bytes == 0)
                continue;
            metis->peers[edge] = (idx_t)b;
            metis->weights[edge++] =
                1 + (idx_t)((double)bytes / (double)most_bytes * (MAX_WEIGHT - 1));
        }
        double share = (double)graph->work_ns[a] / (double)most_ns;
        metis->work[a] = is_by_work ? 1 + (idx_t)(share * MAX_WORK) : 1;
    }
    metis->begins[n] = edge;
}

static void metis_graph_release(struct metis_graph *metis)
{
    FREE_ALL(metis->begins, metis->peers, metis->weights, metis->work);
}

static bool run_metis(const struct rank_graph *graph, uint32_t n_parts, bool is_by_work,
                      uint32_t seed, uint32_t *part_of_rank)
{
    SCOPED_BY(metis_graph_release) struct metis_graph metis;
    metis_graph_init(&metis, graph, is_by_work);
    idx_t n_constraints = 1, n = (idx_t)n_parts, cut, options[METIS_NOPTIONS];
    SCOPED idx_t *parts = memory_zeroed(graph->n_ranks, sizeof *parts);
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)seed;
    options[METIS_OPTION_NUMBERING] = 0;
    int output = silence();
    int status =
        METIS_PartGraphRecursive(&metis.n, &n_constraints, metis.begins, metis.peers, metis.work,
                                 NULL, metis.weights, &n, NULL, NULL, options, &cut, parts);
    end_silence(output);
    for (uint32_t i = 0; i < graph->n_ranks; i++)
        part_of_rank[i] = (uint32_t)parts[i];
    return status == METIS_OK;
}

// --- by bytes

/// Moves the last ranks of parts that have more than MOST.
static void even_out(const struct rank_graph *graph, uint32_t most, uint32_t *part_of_rank,
                     uint32_t *n_in)
{
    uint32_t free_part = 0;
    for (uint32_t i = graph->n_ranks; i-- > 0;) {
        if (n_in[part_of_rank[i]] <= most)
            continue;
        while (n_in[free_part] >= most)
            free_part++;
        n_in[part_of_rank[i]]--;
        n_in[free_part]++;
        part_of_rank[i] = free_part;
    }
}

/// Parts in the making: bytes of each rank with each part.
struct refining {
    const struct rank_graph *graph;
    uint32_t n_parts, most;
    uint32_t *part, *n_in;
    int64_t *with; // [rank * n_parts + part]
};

static void move(struct refining *refining, uint32_t rank, uint32_t to)
{
    size_t n = refining->graph->n_ranks;
    uint32_t from = refining->part[rank];
    for (size_t i = 0; i < n; i++) {
        int64_t bytes = (int64_t)refining->graph->bytes[i * n + rank];
        refining->with[i * refining->n_parts + from] -= bytes;
        refining->with[i * refining->n_parts + to] += bytes;
    }
    refining->n_in[from]--;
    refining->n_in[to]++;
    refining->part[rank] = to;
}

/// What the move of RANK to a part takes off.
static int64_t saved(const struct refining *refining, uint32_t rank, uint32_t to)
{
    const int64_t *with = refining->with + (size_t)rank * refining->n_parts;
    return with[to] - with[refining->part[rank]];
}

/// Does the exchange or move that takes off most; false when none takes off anything.
static bool refine_once(struct refining *refining)
{
    size_t n = refining->graph->n_ranks;
    int64_t most_saved = 0;
    uint32_t best_a = 0, best_b = NO_RANK, best_to = 0;
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++) {
            if (refining->part[a] == refining->part[b])
                continue;
            int64_t both = saved(refining, a, refining->part[b]) +
                           saved(refining, b, refining->part[a]) -
                           2 * (int64_t)refining->graph->bytes[a * n + b];
            if (both > most_saved)
                most_saved = both, best_a = a, best_b = b;
        }
        for (uint32_t to = 0; to < refining->n_parts; to++) {
            bool has_room = refining->n_in[to] < refining->most && to != refining->part[a];
            if (has_room && saved(refining, a, to) > most_saved)
                most_saved = saved(refining, a, to), best_a = a, best_b = NO_RANK, best_to = to;
        }
    }
    if (most_saved == 0)
        return false;
    uint32_t part_of_a = refining->part[best_a];
    move(refining, best_a, best_b == NO_RANK ? best_to : refining->part[best_b]);
    if (best_b != NO_RANK)
        move(refining, best_b, part_of_a);
    return true;
}

bool partition_by_bytes(const struct rank_graph *graph, uint32_t n_parts, uint32_t most,
                        uint32_t seed, uint32_t *part_of_rank)
{
    if (!run_metis(graph, n_parts, false, seed, part_of_rank))
        return false;
    size_t n = graph->n_ranks;
    struct refining refining = {
        .graph = graph,
        .n_parts = n_parts,
        .most = most,
        .part = part_of_rank,
        .n_in = memory_zeroed(n_parts, sizeof *refining.n_in),
        .with = memory_zeroed(n * n_parts, sizeof *refining.with),
    };
    for (size_t i = 0; i < n; i++)
        refining.n_in[part_of_rank[i]]++;
    even_out(graph, most, part_of_rank, refining.n_in);
    for (uint32_t rank = 0; rank < n; rank++)
        for (uint32_t part = 0; part < n_parts; part++)
            refining.with[(size_t)rank * n_parts + part] =
                rank_graph_bytes_with(graph, part_of_rank, rank, part);
    // Each step takes bytes off, so there is an end; this limit is enough for what METIS leaves.
    for (size_t step = 0; step < 4 * n && refine_once(&refining); step++)
        continue;
    FREE_ALL(refining.n_in, refining.with);
    return true;
}

// --- by work

bool partition_by_work(const struct rank_graph *graph, uint32_t n_parts, uint32_t *part_of_rank)
{
    return run_metis(graph, n_parts, true, 1, part_of_rank);
}

void partition_longest_first(const struct rank_graph *graph, uint32_t n_parts,
                             uint32_t *part_of_rank)
{
    SCOPED uint64_t *work_ns = memory_zeroed(n_parts, sizeof *work_ns);
    SCOPED bool *is_placed = memory_zeroed(graph->n_ranks, sizeof *is_placed);
    for (uint32_t i = 0; i < graph->n_ranks; i++) {
        uint32_t longest = NO_RANK, least = 0;
        for (uint32_t rank = 0; rank < graph->n_ranks; rank++)
            if (!is_placed[rank] &&
                (longest == NO_RANK || graph->work_ns[rank] > graph->work_ns[longest]))
                longest = rank;
        for (uint32_t part = 1; part < n_parts; part++)
            least = work_ns[part] < work_ns[least] ? part : least;
        is_placed[longest] = true;
        part_of_rank[longest] = least;
        work_ns[least] += graph->work_ns[longest];
    }
}
