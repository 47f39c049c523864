// SPDX-License-Identifier: BSD-3-Clause
// Ranks against cores, node by node (see cores.h).
#include "analyzer/result/cores.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "analyzer/base/quantity.h"

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

enum lost_kind lost_kind(const struct result *result)
{
    uint64_t shared_ns = 0;
    if ((double)result->no_cpu_ns < little * (double)result->total_ns || result->no_cpu_ns == 0)
        return LOST_NONE;
    for (size_t i = 0; i < result->n_ranks; i++)
        if (result->ranks[i].shares_cores)
            shared_ns += lost_of(&result->ranks[i]);
    return 2 * shared_ns > result->no_cpu_ns ? LOST_CORES_SHARED : LOST_UNKNOWN;
}

bool lost_is_region(const struct result_region *region)
{
    return !strcmp(region->name, RESULT_REGION_NO_CPU);
}

void lost_write_sharing(const struct result *result, FILE *out)
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

void lost_write_rank(const struct result *result, FILE *out)
{
    double lost_ns = (double)result->no_cpu_ns, mean_ns = lost_ns / (double)result->n_ranks;
    for (uint32_t i = 0; i < result->n_ranks; i++) {
        double of_rank_ns = (double)lost_of(&result->ranks[i]);
        if (2 * of_rank_ns > lost_ns && 2 * of_rank_ns > 3 * mean_ns)
            fprintf(out, ", %s of it on rank %u", quantity_part(of_rank_ns, lost_ns).text, i);
    }
}

void lost_write(const struct result *result, FILE *loss, FILE *cause, FILE *change)
{
    enum lost_kind kind = lost_kind(result);
    if (kind == LOST_NONE)
        return;
    bool is_shared = kind == LOST_CORES_SHARED;
    fprintf(loss, "Ranks had no %s for %s of their time (%s", is_shared ? "core" : "CPU time",
            quantity_part((double)result->no_cpu_ns, (double)result->total_ns).text,
            quantity_time(result->no_cpu_ns).text);
    lost_write_rank(result, loss);
    fprintf(loss, is_shared ? "). " : "), and did not wait in MPI meanwhile. ");
    if (is_shared) {
        lost_write_sharing(result, cause);
        fprintf(cause, ". ");
        fprintf(change, "First give each rank a core: use fewer ranks, more nodes, or another "
                        "binding. ");
    } else {
        fprintf(cause, "Other programs used the cores, or the ranks slept or waited for files. ");
        fprintf(change, "First check the load of the nodes and the binding of ranks to cores. ");
    }
}
