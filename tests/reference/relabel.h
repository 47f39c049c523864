// SPDX-License-Identifier: BSD-3-Clause
// The same run with other numbers for its ranks.
#ifndef PAGODA_TESTS_REFERENCE_RELABEL_H
#define PAGODA_TESTS_REFERENCE_RELABEL_H

#include <stdbool.h>
#include <stdint.h>

/// Can the ranks of the run of TEXT be numbered anew? Not with scans over all: their order counts.
bool relabel_is_possible(const char *text);

/// The text trace TEXT in which rank r is NEW_RANK[r]. The caller frees.
char *relabel_text(const char *text, const uint32_t *new_rank, uint32_t n_ranks);

#endif
