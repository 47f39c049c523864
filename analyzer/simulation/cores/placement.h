// SPDX-License-Identifier: BSD-3-Clause
// Which rank runs on which node.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/trace/definitions.h"

struct placement {
    uint32_t *node_of_rank;
    uint32_t n_ranks;
    char **node_names;
    uint32_t n_nodes;
};

/// As the trace says.
void placement_recorded(struct placement *placement, const struct definitions *definitions);

/// N_RANKS ranks on N_NODES nodes: rank r on node floor(r * nodes / ranks), or with IS_CYCLIC on
/// node r modulo nodes.
void placement_map(struct placement *placement, uint32_t n_ranks, uint32_t n_nodes, bool is_cyclic);

/// Whether texts NODE=RANKS, RANKS such as 0-3,8, can be a placement, of whatever run; a node may
/// be named several times. 0, or -1 and ERR where a text is malformed or a rank is placed twice.
int placement_check(const char *const *texts, size_t n_texts, struct error *err);

/// From such texts. 0, or -1 and ERR where a rank does not exist, or is not placed.
int placement_read(struct placement *placement, uint32_t n_ranks, const char *const *texts,
                   size_t n_texts, struct error *err);

void placement_release(struct placement *placement);
