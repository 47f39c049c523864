// SPDX-License-Identifier: BSD-3-Clause
// The best nodes for ranks, or cores of a node: graph partitioning proposes, replays decide, local
// search improves.
#ifndef PAGODA_ADVISE_PLACEMENT_H
#define PAGODA_ADVISE_PLACEMENT_H

#include <stdint.h>

#include "analyzer/advise/replay.h"
#include "analyzer/result/result.h"

/// Where ranks may run.
struct advise_places {
    uint32_t n;               // nodes
    const char *const *names; // of each; NULL: node0, node1, ...
};

/// Ranks on nodes.
struct advise_mapping {
    uint32_t *node_of_rank;
    uint64_t predicted_ns;
};

/// Looks for the placement of the ranks of RESULT on PLACES with the shortest predicted run. Begins
/// with block, cyclic and partitions of the communication graph (partition.h): on all places, and
/// where fewer of them have a core for each rank, on these. Then, where there are few, predicts all
/// placements; else exchanges pairs of ranks, or moves one, as long as that helps. At most
/// MAX_REPLAYS predictions, whose number is added to *N_REPLAYS; among equals the first one is
/// taken. SETTING's words must not say where ranks run. The caller frees node_of_rank.
struct advise_mapping advise_search_placement(const struct advise_setting *setting,
                                              const struct result *result,
                                              const struct advise_places *places,
                                              size_t max_replays, size_t *n_replays);

/// MAPPING as values of --place: "node0=0-3,8", one a node that has ranks. The caller frees each
/// and the array; their number is *N.
char **advise_mapping_words(const struct advise_mapping *mapping, uint32_t n_ranks,
                            const struct advise_places *places, size_t *n);

#endif
