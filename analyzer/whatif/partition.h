// SPDX-License-Identifier: BSD-3-Clause
// Ranks into parts by what they send each other and compute: what is worth a prediction when a
// placement is looked for.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/result/result.h"

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
