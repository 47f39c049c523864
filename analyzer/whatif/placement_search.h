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

/// One phase of a program, whose ranks run elsewhere in the others.
struct search_phase {
    const char *name;             // as --place takes it
    const uint32_t *node_of_rank; // where its ranks are today; the search begins there, too
};

/// Looks for the placement of the ranks of RESULT on PLACES with the shortest predicted run. Begins
/// with block, cyclic and partitions of the communication graph (placement_search.h): on all
/// places, and where fewer of them have a core for each rank, on these. Then, where there are few,
/// predicts all placements; else exchanges pairs of ranks, or moves one, as long as that helps. At
/// most MAX_REPLAYS predictions, whose number is added to *N_REPLAYS; among equals the first one is
/// taken. Of all phases (PHASE NULL), and BATCH's words must not say where ranks run, or of one,
/// and they must not say it for that. The caller frees node_of_rank.
struct mapping placement_search(const struct whatif_batch *batch, const struct result *result,
                                const struct search_places *places,
                                const struct search_phase *phase, size_t max_replays,
                                size_t *n_replays);

/// MAPPING as values of --place: "node0=0-3,8", one a node that has ranks, or "PHASE:node0=0-3,8"
/// where PHASE is not NULL. The caller frees each and the array; their number is *N.
char **mapping_words(const struct mapping *mapping, uint32_t n_ranks,
                     const struct search_places *places, const char *phase, size_t *n);

/// Whether PLAN has --map auto.
bool whatif_plan_searches(const struct whatif_plan *plan);

/// If PLAN, completed for MEASURED, has --map auto, it becomes one with --place of the best
/// placement found under all its other options. *TEXTS, N of them, then belong to PLAN; the caller
/// frees them with the array after it. 0, or -1 and ERR.
int whatif_map_auto(struct whatif_plan *plan, const struct replay_run *measured, char ***texts,
                    size_t *n, struct error *err);

// --- partition.c
// Ranks into parts by what they send each other and compute: what is worth a prediction when a
// placement is looked for.

/// Who sends how much to whom, and computes how long.
struct rank_graph {
    uint32_t n_ranks;
    uint64_t *bytes;   // between each two ranks, both ways, [a * n_ranks + b]; 0 with itself
    uint64_t *work_ns; // by rank
};

/// That of RESULT; the caller releases it.
void rank_graph_init(struct rank_graph *graph, const struct result *result);
void rank_graph_release(struct rank_graph *graph);

/// Bytes that RANK exchanges with the ranks of PART, where PART_OF_RANK says who these are.
int64_t rank_graph_bytes_with(const struct rank_graph *graph, const uint32_t *part_of_rank,
                              uint32_t rank, uint32_t part);

/// N_PARTS parts with few bytes between them into PART_OF_RANK, by METIS with this SEED; none has
/// more than MOST ranks, N_PARTS times which are enough for all. Then ranks are moved and exchanged
/// as long as that takes bytes off (Kernighan, Lin 1970). False: METIS could not.
bool partition_by_bytes(const struct rank_graph *graph, uint32_t n_parts, uint32_t most,
                        uint32_t seed, uint32_t *part_of_rank);

/// Parts that compute as long as each other: by METIS, which minds the bytes between them as well.
bool partition_by_work(const struct rank_graph *graph, uint32_t n_parts, uint32_t *part_of_rank);

/// Parts that compute as long as each other: the longest rank first, each to the part with the
/// least work so far (Graham 1969).
void partition_longest_first(const struct rank_graph *graph, uint32_t n_parts,
                             uint32_t *part_of_rank);
