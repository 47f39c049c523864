// SPDX-License-Identifier: BSD-3-Clause
// Which ranks share which cores in a predicted run.
#ifndef PAGODA_SIMULATION_CORES_CORE_GROUPS_H
#define PAGODA_SIMULATION_CORES_CORE_GROUPS_H

#include "analyzer/trace/definitions.h"

struct scenario;
struct scenario_settings;
struct scheduler;

/// The groups of cores of SCENARIO, the ranks of which are placed, and all that follows from them:
/// as its settings say, else as recorded.
void core_groups_init(struct scenario *scenario, const struct definitions *definitions);

/// Cores of a node with this name as SETTINGS ask for, 0: they do not.
uint32_t core_groups_given(const struct scenario_settings *settings, const char *node);

/// The scheduler of a run under SCENARIO. The caller frees.
struct scheduler *core_groups_share(const struct scenario *scenario,
                                    const struct definitions *definitions);

#endif
