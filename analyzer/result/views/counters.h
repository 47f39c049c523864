// SPDX-License-Identifier: BSD-3-Clause
// What the counters of the archive grew by at each call path on each rank (result.counters).
#pragma once

#include "analyzer/result/call_tree.h"
#include "analyzer/result/result.h"

/// Fills the counters of RESULT, whose call tree is TREE, with those that grew.
void counters_collect(const struct call_tree *tree, struct result *result);
