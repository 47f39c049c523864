// SPDX-License-Identifier: BSD-3-Clause
// Ranks in groups: of a node, of a machine, or N with consecutive numbers (result.groups).
#pragma once

#include "analyzer/base/error.h"
#include "analyzer/result/result.h"

/// How ranks are grouped.
struct grouping {
    enum { GROUP_NONE, GROUP_NODE, GROUP_MACHINE, GROUP_RANKS } by;
    uint64_t n_ranks; // GROUP_RANKS: in each
};

/// Reads "node", "machine" or a number of ranks. 0, or -1 and ERR.
int grouping_read(const char *text, struct grouping *grouping, struct error *err);

/// Fills groups of RESULT, in the order of their first ranks.
void groups_collect(const struct grouping *grouping, struct result *result);
