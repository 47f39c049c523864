// SPDX-License-Identifier: BSD-3-Clause
// Had every rank a core? Where a node has fewer cores than ranks, ranks wait for a core, and the
// trace cannot tell that from the calls they happen to be in.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/result/result.h"

struct cores {
    uint64_t n;              // of all nodes, 0 when those of some node are unknown
    uint64_t n_short_ranks;  // on the nodes with more ranks than cores; 0: there is none
    uint64_t n_short_cores;  // of these nodes
    uint64_t n_without_core; // ranks in excess of the cores of their node
};

/// Compares ranks and cores node by node; a node with unknown cores counts as large enough.
struct cores cores_of(const struct result *result);

enum lost_kind { LOST_NONE, LOST_CORES_SHARED, LOST_BLOCKED, LOST_UNKNOWN };

/// Whether this time is worth a sentence, and what most of it is: blocked, of ranks that shared
/// cores, or of others.
enum lost_kind lost_kind(const struct result *result);

/// Whether REGION stands for this time.
bool lost_is_region(const struct result_region *region);

/// Whether RANK's node has a core for each rank, but not for each thread that works in teams.
bool cores_lack_for_threads(const struct result *result, uint32_t rank);

/// How many threads those of such nodes are more than their cores.
uint64_t cores_threads_without(const struct result *result);

/// "4 threads of 2 ranks shared 2 cores", of such nodes. False: there is none.
bool cores_write_threads(const struct result *result, FILE *out);

/// "4 ranks shared 2 cores".
void cores_write_sharing(const struct result *result, FILE *out);

// What to say where lost_kind() is not LOST_NONE.

/// How much time it is, a sentence without its full stop; and on which rank, where that has more
/// than half, and half as much again as the mean.
void lost_write(const struct result *result, FILE *out);
/// Why, a sentence with a blank after it.
void lost_write_cause(const struct result *result, FILE *out);
/// What to do first, a sentence with a blank after it.
const char *lost_change(const struct result *result);
