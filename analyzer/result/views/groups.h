// SPDX-License-Identifier: BSD-3-Clause
// Ranks in groups: of a node, of a machine, of a program, N with consecutive numbers, or ranges
// (result.groups).
#pragma once

#include "analyzer/base/error.h"
#include "analyzer/result/result.h"
#include "analyzer/simulation/cores/placement.h"

/// How ranks are grouped.
struct grouping {
    enum {
        GROUP_NONE,
        GROUP_NODE,
        GROUP_MACHINE,
        GROUP_PROGRAM,
        GROUP_RANKS,
        GROUP_RANGES,
        MAX_RANGES = 32
    } by;
    uint64_t n_ranks;                     // GROUP_RANKS: in each
    struct rank_range ranges[MAX_RANGES]; // ascending; other ranks are a group, too
    size_t n_ranges;
};

/// Reads "node", "machine", "program", a number of ranks, or ranges such as "0,1-4". 0, or -1 and
/// ERR.
int grouping_read(const char *text, struct grouping *grouping, struct error *err);

/// Fills groups of RESULT, in the order of their first ranks, those of no range last.
void groups_collect(const struct grouping *grouping, struct result *result);
