// SPDX-License-Identifier: BSD-3-Clause
// Which ranks share which cores in a predicted run.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/trace/definitions.h"

struct scenario;
struct scenario_settings;
struct scheduler;

/// The groups of cores of SCENARIO, the ranks of which are placed, and all that follows from them:
/// as its settings say, else as recorded.
void core_groups_init(struct scenario *scenario, const struct definitions *definitions);

/// Cores of a node with this name as SETTINGS ask for, 0: they do not.
uint32_t core_groups_given(const struct scenario_settings *settings, const char *node);

/// What a hand-over of a core costs as SETTINGS or their machine say; else 0.
uint64_t core_groups_hand_over(const struct scenario_settings *settings);

/// The scheduler of a run under SCENARIO. With costs AS_RECORDED the calls of ranks that shared
/// cores contain their hand-overs. The caller frees.
struct scheduler *core_groups_share(const struct scenario *scenario,
                                    const struct definitions *definitions, bool as_recorded);
