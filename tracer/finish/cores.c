// SPDX-License-Identifier: BSD-3-Clause
// The union of affinity masks, see cores.h.
#include "tracer/finish/cores.h"

#include <stddef.h>

#define N_WORDS (SPOOL_CORES / 64)

void node_cores_add(struct node_cores *node, const uint64_t *cores)
{
    bool is_known = false;

    for (size_t i = 0; cores != NULL && i < N_WORDS; i++) {
        node->used[i] |= cores[i];
        is_known = is_known || cores[i] != 0;
    }
    if (!is_known)
        node->is_incomplete = true;
}

uint32_t node_cores_count(const struct node_cores *node)
{
    uint32_t n = 0;

    for (size_t i = 0; !node->is_incomplete && i < N_WORDS; i++)
        n += (uint32_t)__builtin_popcountll(node->used[i]);
    return n;
}
