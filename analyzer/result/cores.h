// SPDX-License-Identifier: BSD-3-Clause
// Had every rank a core? Where a node has fewer cores than ranks, ranks wait for a core, and the
// trace cannot tell that from the calls they happen to be in.
#ifndef PAGODA_RESULT_CORES_H
#define PAGODA_RESULT_CORES_H

#include <stdint.h>

#include "analyzer/result/result.h"

struct cores {
    uint64_t n;              // of all nodes, 0 when those of some node are unknown
    uint64_t n_short_ranks;  // on the nodes with more ranks than cores; 0: there is none
    uint64_t n_short_cores;  // of these nodes
    uint64_t n_without_core; // ranks in excess of the cores of their node
};

/// Compares ranks and cores node by node; a node with unknown cores counts as large enough.
struct cores cores_of(const struct result *result);

#endif
