// SPDX-License-Identifier: BSD-3-Clause
// Ranks against cores, node by node (see cores.h).
#include "analyzer/result/cores.h"

#include <stdbool.h>
#include <stddef.h>

struct cores cores_of(const struct result *result)
{
    struct cores cores = {0};
    bool is_known = true;
    for (size_t i = 0; i < result->n_nodes; i++) {
        const struct result_node *node = &result->nodes[i];
        cores.n += node->n_cores;
        is_known = is_known && node->n_cores > 0;
        if (node->n_cores == 0 || node->n_ranks <= node->n_cores)
            continue;
        cores.n_short_ranks += node->n_ranks;
        cores.n_short_cores += node->n_cores;
        cores.n_without_core += node->n_ranks - node->n_cores;
    }
    if (!is_known)
        cores.n = 0;
    return cores;
}
