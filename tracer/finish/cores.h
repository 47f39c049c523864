// SPDX-License-Identifier: BSD-3-Clause
// Which cores the ranks of one node may use: the union of their affinity masks, so that ranks
// pinned to the same core count it once; and who shares them with whom.
#ifndef PAGODA_FINISH_CORES_H
#define PAGODA_FINISH_CORES_H

#include "tracer/record.h"

#include <stdbool.h>
#include <stddef.h>

struct node_cores {
    uint64_t used[SPOOL_CORES / 64]; // as struct spool_header.cores
    bool is_incomplete;              // a rank's mask is not known
};

// Adds the mask of a rank; NULL or all zero: not known. A zeroed structure has no ranks.
void node_cores_add(struct node_cores *node, const uint64_t *cores);

// Whether all masks are known, and any two of them the same or without a core in common: then the
// ranks of one mask share its cores among themselves.
bool cores_are_apart(const uint64_t *const *cores, size_t n_ranks);

// The mask as a list such as "0,2-3", which the caller frees.
char *cores_text(const uint64_t *cores);

// The number of cores, 0 if a rank's are not known.
uint32_t node_cores_count(const struct node_cores *node);

#endif
