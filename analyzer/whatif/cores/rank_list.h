// SPDX-License-Identifier: BSD-3-Clause
// Lists of ranks in options: 0-3,8.
#ifndef PAGODA_WHATIF_CORES_RANK_LIST_H
#define PAGODA_WHATIF_CORES_RANK_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

/// Ranks FIRST to LAST.
struct rank_range {
    uint32_t first, last;
};

/// The next range of the list that begins at *AT and ends before END, of a run with N_RANKS ranks;
/// *AT moves behind it, and is END when it was the last one. 0, or -1 and ERR: no list, or no such
/// rank.
int rank_list_next(const char **at, const char *end, uint32_t n_ranks, struct rank_range *range,
                   struct error *err);

/// Sets IS_MEMBER of all ranks of the list TEXT[0..length).
int rank_list_read(const char *text, size_t length, uint32_t n_ranks, bool *is_member,
                   struct error *err);

#endif
