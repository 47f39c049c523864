// SPDX-License-Identifier: BSD-3-Clause
// The threads of a result.
#pragma once

#include "analyzer/result/call_tree.h"

/// Fills RESULT's threads, whose ranks and call paths are there. Nothing where no process has
/// several threads.
void threads_collect(const struct call_tree *tree, struct result *result);

/// Which kind of loss threads have most of; RESULT_NONE without any.
uint32_t threads_largest_loss(const struct result *result);

/// The region where most of KIND is lost, over all ranks; RESULT_NONE: unknown.
uint32_t threads_place_of(const struct result *result, uint32_t kind);
