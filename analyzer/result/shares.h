// SPDX-License-Identifier: BSD-3-Clause
// What the run time and the waits consist of: the critical path, and the activities that made the
// releasing ranks late, by region, rank and place in the source.
#pragma once

#include "analyzer/result/call_tree.h"
#include "analyzer/result/result.h"

/// Fills the critical path of RESULT, whose call tree is TREE. Regions that are none (before the
/// start, clock repair) are added to RESULT.
void critical_path_collect(const struct call_tree *tree, struct result *result);

/// Likewise `origins` of the patterns in RESULT whose waits the engine explains.
void origins_collect(const struct call_tree *tree, struct result *result);

/// "rank 1", "ranks 0, 2-4", "12 ranks": those that share REGION's part of ORIGINS, up to nine
/// tenths of it, the ones with most first. The caller frees.
char *origin_ranks(const struct result_origins *origins, uint32_t region);
