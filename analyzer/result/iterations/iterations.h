// SPDX-License-Identifier: BSD-3-Clause
// The iterations of a run and those that take longer than usual (result.iterations).
#pragma once

#include <stddef.h>

#include "analyzer/result/call_tree.h"
#include "analyzer/result/result.h"

/// Fills iterations of RESULT, whose call tree is TREE, with its sites, from the replay's series.
void iterations_collect(const struct call_tree *tree, struct result *result);

/// What is different in ODD, as a sentence: "rank 2 computes longer in solve". The caller frees.
char *iterations_why(const struct result *result, const struct result_odd *odd);

/// Its part that fills what is usual and what is odd. BY_RANK: the series of each rank that
/// iterates, NULL for the others.
void odd_iterations_collect(const struct call_tree *tree, const struct pag_series *const *by_rank,
                            struct result *result);

/// What the rank of SERIES used in the items from FIRST up to END; `longest` is empty.
struct pag_mark iterations_used(const struct pag_series *series, size_t first, size_t end);
