// SPDX-License-Identifier: BSD-3-Clause
// From a scenario to what an archive says of nodes and processors (see out.h).
#include "analyzer/whatif/out.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/rewrite/rewrite.h"

int whatif_out_prepare(const char *directory, struct replay_run *run, struct error *err)
{
    if (rewrite_check(directory, err) != 0)
        return -1;
    char *parent = rewrite_parent(directory);
    int status = replay_run_keep_times(run, parent, err);
    free(parent);
    return status;
}

/// Cores of NODE that its ranks use: those of its groups.
static uint32_t cores_of(const struct scenario *scenario, uint32_t node)
{
    const struct placement *placement = &scenario->placement;
    bool *is_counted = memory_zeroed(scenario->n_groups, sizeof *is_counted);
    uint32_t n_cores = 0;
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++) {
        uint32_t group = scenario->group_of_rank[rank];
        if (placement->node_of_rank[rank] != node || is_counted[group])
            continue;
        is_counted[group] = true;
        n_cores += scenario->groups[group].n_cores;
    }
    free(is_counted);
    // Beyond the number of ranks they are not in the groups.
    return scenario->least_cores == scenario->most_cores ? scenario->most_cores : n_cores;
}

int whatif_out_write(const char *directory, const struct replay_run *run,
                     const struct scenario *scenario, const char *change, struct error *err)
{
    const struct placement *placement = &scenario->placement;
    struct rewrite_node *nodes = memory_zeroed(placement->n_nodes, sizeof *nodes);
    struct rewrite_rank *ranks = memory_zeroed(placement->n_ranks, sizeof *ranks);
    for (uint32_t i = 0; i < placement->n_nodes; i++)
        nodes[i] = (struct rewrite_node){
            .name = placement->node_names[i],
            .n_cores = scenario->knows_cores ? cores_of(scenario, i) : 0,
        };
    for (uint32_t i = 0; i < placement->n_ranks; i++)
        ranks[i] = (struct rewrite_rank){
            .node = placement->node_of_rank[i],
            .processor_speed = scenario->groups[scenario->group_of_rank[i]].speed,
        };
    const struct rewrite_run predicted = {
        .change = change,
        .time_ns = run->replay.time_ns,
        .nodes = nodes,
        .n_nodes = placement->n_nodes,
        .ranks = ranks,
    };
    int status = time_map_finish(run->times, err);
    if (status == 0)
        status = rewrite_archive(directory, run->trace, run->times, &predicted, err);
    free(nodes);
    free(ranks);
    return status;
}
