// SPDX-License-Identifier: BSD-3-Clause
// The best nodes for ranks, or cores of a node: graph partitioning proposes, replays decide, local
// search improves.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/result/result.h"
#include "analyzer/whatif/jobs.h"

/// Where ranks may run.
struct search_places {
    uint32_t n;               // nodes
    const char *const *names; // of each; NULL: node0, node1, ...
};

/// Ranks on nodes.
struct mapping {
    uint32_t *node_of_rank;
    uint64_t predicted_ns;
};

/// Looks for the placement of the ranks of RESULT on PLACES with the shortest predicted run. Begins
/// with block, cyclic and partitions of the communication graph (partition.h): on all places, and
/// where fewer of them have a core for each rank, on these. Then, where there are few, predicts all
/// placements; else exchanges pairs of ranks, or moves one, as long as that helps. At most
/// MAX_REPLAYS predictions, whose number is added to *N_REPLAYS; among equals the first one is
/// taken. BATCH's words must not say where ranks run. The caller frees node_of_rank.
struct mapping placement_search(const struct whatif_batch *batch, const struct result *result,
                                const struct search_places *places, size_t max_replays,
                                size_t *n_replays);

/// MAPPING as values of --place: "node0=0-3,8", one a node that has ranks. The caller frees each
/// and the array; their number is *N.
char **mapping_words(const struct mapping *mapping, uint32_t n_ranks,
                     const struct search_places *places, size_t *n);

/// Whether PLAN has --map auto.
bool whatif_plan_searches(const struct whatif_plan *plan);

/// If PLAN, completed for MEASURED, has --map auto, it becomes one with --place of the best
/// placement found under all its other options. *TEXTS, N of them, then belong to PLAN; the caller
/// frees them with the array after it. 0, or -1 and ERR.
int whatif_map_auto(struct whatif_plan *plan, const struct replay_run *measured, char ***texts,
                    size_t *n, struct error *err);
