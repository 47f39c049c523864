// SPDX-License-Identifier: BSD-3-Clause
// Which rank runs on which node, from the begin of the run and from the begin of phases on.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/format/rank_lists.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/definitions.h"

/// Phase 0 is the begin of the run. [phase * n_ranks + rank] is where a rank is from the begin of
/// that phase on; such an index is its *site* in that phase, so a rank is its own first site.
struct placement {
    uint32_t *node_of_rank; // by site
    uint32_t n_ranks;
    char **node_names;
    uint32_t n_nodes;
    char **phase_names; // [0] is NULL
    uint32_t n_phases;  // at least 1
};

/// How many sites there are.
static inline uint32_t placement_n_sites(const struct placement *placement)
{
    return placement->n_phases * placement->n_ranks;
}

/// As the trace says.
void placement_recorded(struct placement *placement, const struct definitions *definitions);

/// N_RANKS ranks on N_NODES nodes: rank r on node floor(r * nodes / ranks), or with IS_CYCLIC on
/// node r modulo nodes.
void placement_map(struct placement *placement, uint32_t n_ranks, uint32_t n_nodes, bool is_cyclic);

/// Whether texts [PHASE:]NODE=RANKS, RANKS such as 0-3,8, can be a placement, of whatever run; a
/// node may be named several times. 0, or -1 and ERR where a text is malformed or a rank is placed
/// twice in a phase.
int placement_check(const char *const *texts, size_t n_texts, struct error *err);

/// From such texts. Ranks that a phase does not name are where they begin: as texts without PHASE
/// say, or, where all have one, as recorded. 0, or -1 and ERR where a rank does not exist, or is
/// not placed.
int placement_read(struct placement *placement, const struct definitions *definitions,
                   const char *const *texts, size_t n_texts, struct error *err);

void placement_release(struct placement *placement);

// --- core_groups.c
// Which ranks share which cores in a predicted run.

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

/// By rank: how many of its threads work at once on the cores of its group, because it is known
/// when they waited (THREADS, by rank) and all threads at work on its node had a core in the
/// recording, as far as that is known. 0: it is not known what they computed. The caller frees.
uint32_t *core_groups_threads(const struct definitions *definitions,
                              const struct pag_rank_threads *threads);

/// The scheduler of a run under SCENARIO. With costs AS_RECORDED the calls of ranks that shared
/// cores contain their hand-overs. THREADS as above; NULL: further threads of a rank, as those of
/// no rank, have cores of their own. The caller frees.
struct scheduler *core_groups_share(const struct scenario *scenario,
                                    const struct definitions *definitions,
                                    const struct pag_rank_threads *threads, bool as_recorded);
