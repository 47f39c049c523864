// SPDX-License-Identifier: BSD-3-Clause
// What is different in a predicted run: where ranks run, and how cores are shared.
#ifndef PAGODA_WHATIF_SCENARIO_H
#define PAGODA_WHATIF_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/definitions.h"
#include "analyzer/whatif/scheduler.h"

struct scenario {
    uint32_t *node_of_rank;  // for the scope of messages
    uint32_t *group_of_rank; // whose cores a rank shares
    size_t n_ranks;
    struct core_group *groups;
    size_t n_groups;
    bool spins; // a waiting process keeps its share of the cores
};

/// The recorded nodes, every rank on a core of its own: what a run looks like when nothing changes.
void scenario_as_recorded(struct scenario *scenario, const struct definitions *definitions);
void scenario_release(struct scenario *scenario);

#endif
