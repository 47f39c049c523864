// SPDX-License-Identifier: BSD-3-Clause
// Ranks against cores, node by node (see cores.h).
#include "analyzer/result/cores.h"

#include <stddef.h>
#include <string.h>

#include "analyzer/base/text.h"

struct cores cores_of(const struct result *result)
{
    struct cores cores = {0};
    bool is_known = true;
    for (size_t i = 0; i < result->n_nodes; i++) {
        const struct result_node *node = &result->nodes[i];
        cores.n += node->n_cores;
        is_known = is_known && node->n_cores > 0;
        if (node->n_cores == 0 || node->n_ranks <= node->n_cores)
            continue;
        cores.n_short_ranks += node->n_ranks;
        cores.n_short_cores += node->n_cores;
        cores.n_without_core += node->n_ranks - node->n_cores;
    }
    if (!is_known)
        cores.n = 0;
    return cores;
}

static const double little = 0.02; // of the ranks' time: not worth a sentence

static uint64_t lost_of(const struct result_rank *rank)
{
    return rank->is_skipped ? 0 : rank->no_cpu_ns + rank->no_cpu_mpi_ns;
}

static uint64_t blocked_of(const struct result_rank *rank)
{
    return rank->is_skipped ? 0 : rank->blocked_ns;
}

enum lost_kind lost_kind(const struct result *result)
{
    uint64_t shared_ns = 0;
    if ((double)result->no_cpu_ns < little * (double)result->total_ns || result->no_cpu_ns == 0)
        return LOST_NONE;
    if (2 * result->blocked_ns > result->no_cpu_ns)
        return LOST_BLOCKED;
    for (size_t i = 0; i < result->n_ranks; i++)
        if (result->ranks[i].shares_cores)
            shared_ns += lost_of(&result->ranks[i]);
    return 2 * shared_ns > result->no_cpu_ns ? LOST_CORES_SHARED : LOST_UNKNOWN;
}

bool lost_is_region(const struct result_region *region)
{
    return !strcmp(region->name, RESULT_REGION_NO_CPU) ||
           !strcmp(region->name, RESULT_REGION_BLOCKED);
}

static bool lacks_for_threads(const struct result_node *node)
{
    return node->n_cores > 0 && node->n_ranks <= node->n_cores &&
           node->n_team_threads > node->n_cores;
}

bool cores_lack_for_threads(const struct result *result, uint32_t rank)
{
    return rank < result->n_ranks && result->ranks[rank].node < result->n_nodes &&
           lacks_for_threads(&result->nodes[result->ranks[rank].node]);
}

uint64_t cores_threads_without(const struct result *result)
{
    uint64_t n_without = 0;
    for (uint32_t i = 0; i < result->n_nodes; i++)
        if (lacks_for_threads(&result->nodes[i]))
            n_without += result->nodes[i].n_team_threads - result->nodes[i].n_cores;
    return n_without;
}

bool cores_write_threads(const struct result *result, FILE *out)
{
    uint64_t n_threads = 0, n_ranks = 0, n_cores = 0;
    for (uint32_t i = 0; i < result->n_nodes; i++) {
        if (!lacks_for_threads(&result->nodes[i]))
            continue;
        n_threads += result->nodes[i].n_team_threads;
        n_ranks += result->nodes[i].n_ranks;
        n_cores += result->nodes[i].n_cores;
    }
    if (n_threads > 0)
        fprintf(out, "%s of %s shared %s", quantity_count(n_threads, "thread").text,
                quantity_count(n_ranks, "rank").text, quantity_count(n_cores, "core").text);
    return n_threads > 0;
}

void cores_write_sharing(const struct result *result, FILE *out)
{
    struct cores cores = cores_of(result);
    uint64_t n_sharing = 0;
    for (size_t i = 0; i < result->n_ranks; i++)
        n_sharing += result->ranks[i].shares_cores;
    if (cores.n_short_ranks > 0)
        fprintf(out, "%s shared %s", quantity_count(cores.n_short_ranks, "rank").text,
                quantity_count(cores.n_short_cores, "core").text);
    else
        fprintf(out, "%s were bound to fewer cores", quantity_count(n_sharing, "rank").text);
}

void lost_write(const struct result *result, FILE *out)
{
    bool is_blocked = lost_kind(result) == LOST_BLOCKED;
    double lost_ns = (double)(is_blocked ? result->blocked_ns : result->no_cpu_ns);
    double mean_ns = lost_ns / (double)result->n_ranks;
    fprintf(out, "Ranks %s: %s, %s of their time", is_blocked ? "were blocked" : "had no CPU time",
            quantity_time((uint64_t)lost_ns).text,
            quantity_part(lost_ns, (double)result->total_ns).text);
    for (uint32_t i = 0; i < result->n_ranks; i++) {
        const struct result_rank *rank = &result->ranks[i];
        double of_rank_ns = (double)(is_blocked ? blocked_of(rank) : lost_of(rank));
        if (2 * of_rank_ns > lost_ns && 2 * of_rank_ns > 3 * mean_ns)
            fprintf(out, ", %s of it on rank %u", quantity_part(of_rank_ns, lost_ns).text, i);
    }
}

/// The call path where ranks were blocked for longest, RESULT_NONE where it has no name.
static uint32_t blocked_path(const struct result *result)
{
    uint32_t most = RESULT_NONE;
    for (size_t i = 0; i < result->n_paths; i++) {
        const struct result_path *path = &result->paths[i];
        if (strcmp(result->regions[path->region].name, RESULT_REGION_BLOCKED) == 0 &&
            (most == RESULT_NONE || path->exclusive_ns > result->paths[most].exclusive_ns))
            most = (uint32_t)i;
    }
    return most == RESULT_NONE ? most : result->paths[most].parent;
}

static void write_blocked_place(const struct result *result, FILE *out)
{
    uint32_t path = blocked_path(result);
    if (path != RESULT_NONE)
        fprintf(out, ", most in %s", result->regions[result->paths[path].region].shown);
}

void lost_write_cause(const struct result *result, FILE *out)
{
    enum lost_kind kind = lost_kind(result);
    uint64_t other_ns = result->no_cpu_ns - result->blocked_ns;
    if (kind == LOST_BLOCKED) {
        fprintf(out,
                "They slept, or waited for devices such as disks or for programs they started");
        write_blocked_place(result, out);
        if ((double)other_ns >= little * (double)result->total_ns)
            fprintf(out, "; for another %s they had no core", quantity_time(other_ns).text);
    } else {
        if (kind == LOST_CORES_SHARED)
            cores_write_sharing(result, out);
        else
            fprintf(out, "Other programs used the cores%s",
                    result->blocked_ns > 0 ? "" : ", or ranks slept or waited for files");
        if ((double)result->blocked_ns >= little * (double)result->total_ns) {
            fprintf(out, "; of that time ranks slept or waited for devices for %s",
                    quantity_time(result->blocked_ns).text);
            write_blocked_place(result, out);
        }
    }
    fprintf(out, ". ");
}

const char *lost_change(const struct result *result)
{
    switch (lost_kind(result)) {
    case LOST_CORES_SHARED:
        return "First give each rank a core: use fewer ranks, more nodes, or another binding. ";
    case LOST_BLOCKED:
        return "First shorten what blocks, or let another rank or thread do it meanwhile. ";
    default:
        return "First check the load of the nodes and the binding of ranks to cores. ";
    }
}
