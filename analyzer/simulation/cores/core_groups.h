// SPDX-License-Identifier: BSD-3-Clause
// Which ranks share which cores in a predicted run.
#ifndef PAGODA_SIMULATION_CORES_CORE_GROUPS_H
#define PAGODA_SIMULATION_CORES_CORE_GROUPS_H

#include "analyzer/trace/definitions.h"

struct scenario;
struct scheduler;

/// The groups of cores of SCENARIO, the ranks of which are placed, and all that follows from them:
/// as its settings say, else as recorded.
void core_groups_init(struct scenario *scenario, const struct definitions *definitions);
/// Instead: a core for each rank.
void core_groups_init_alone(struct scenario *scenario, const struct definitions *definitions);

/// The scheduler of a run under SCENARIO. The caller frees.
struct scheduler *core_groups_share(const struct scenario *scenario,
                                    const struct definitions *definitions);

#endif
