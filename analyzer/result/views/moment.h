// SPDX-License-Identifier: BSD-3-Clause
// What a rank does at a moment, and the chain of causes if it waits then (result.moment).
#pragma once

#include "analyzer/result/call_tree.h"
#include "analyzer/result/result.h"

/// Fills moment of RESULT, whose call tree is TREE, with its sites, from the replay's recent calls.
void moment_collect(const struct call_tree *tree, struct result *result);
