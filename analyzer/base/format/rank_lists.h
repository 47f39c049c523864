// SPDX-License-Identifier: BSD-3-Clause
// Lists of ranks, cores, tags, ...: 0-3,8.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

/// Ranks FIRST to LAST.
struct rank_range {
    uint32_t first, last;
};

/// Instead of a number of ranks: the run is not known yet, only what no run could have is refused.
#define RANK_LIST_ANY_RUN UINT32_MAX

/// The next range of the list that begins at *AT and ends before END, of a run with N_RANKS ranks;
/// *AT moves after it, and is END when it was the last one. 0, or -1 and ERR: no list, or no such
/// rank.
int rank_list_next(const char **at, const char *end, uint32_t n_ranks, struct rank_range *range,
                   struct error *err);

/// Sets IS_MEMBER of all ranks of the list TEXT[0..length).
int rank_list_read(const char *text, size_t length, uint32_t n_ranks, bool *is_member,
                   struct error *err);

/// Whether TEXT[0..length) is a list of ranks, whatever the run: 0, or -1 and ERR.
int rank_list_check(const char *text, size_t length, struct error *err);

/// "0-3,8" with BETWEEN instead of the comma: the N RANKS, ascending, in *N_RANGES ranges, NULL:
/// not asked for. The caller frees.
char *rank_list_join(const uint32_t *ranks, size_t n, const char *between, size_t *n_ranges);

/// The list of those of N ranks that have VALUE in VALUES; "" for none. The caller frees.
char *rank_list_text(const uint32_t *values, uint32_t n, uint32_t value);

/// A rank that is in both of two such lists; false when there is none.
bool rank_lists_meet(const char *a, size_t a_length, const char *b, size_t b_length,
                     uint32_t *rank);
