// SPDX-License-Identifier: BSD-3-Clause
// Scenarios (see scenario.h).
#include "analyzer/whatif/scenario.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

void scenario_as_recorded(struct scenario *scenario, const struct definitions *definitions)
{
    size_t n = definitions->n_ranks;
    *scenario = (struct scenario){
        .node_of_rank = memory_zeroed(n, sizeof *scenario->node_of_rank),
        .group_of_rank = memory_zeroed(n, sizeof *scenario->group_of_rank),
        .n_ranks = n,
        .groups = memory_zeroed(n, sizeof *scenario->groups),
        .n_groups = n,
    };
    for (size_t rank = 0; rank < n; rank++) {
        scenario->node_of_rank[rank] = definitions->ranks[rank].node;
        scenario->group_of_rank[rank] = (uint32_t)rank;
        scenario->groups[rank] = (struct core_group){1, SCHEDULER_FULL_SPEED};
    }
}

void scenario_release(struct scenario *scenario)
{
    free(scenario->node_of_rank);
    free(scenario->group_of_rank);
    free(scenario->groups);
    *scenario = (struct scenario){0};
}
