// SPDX-License-Identifier: BSD-3-Clause
// What a report about the difference of two groups of runs is made from, and names in it.
#ifndef PAGODA_REPORT_DIFFERENCE_H
#define PAGODA_REPORT_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/compare/difference.h"

struct difference_run {
    const char *name, *origin;
    uint64_t time_ns, n_ranks;
    enum difference_group group;
};

struct difference_page {
    const char *database; // NULL: none
    const struct difference_run *runs;
    size_t n_runs;
    struct difference_thresholds thresholds;
    struct difference_table tables[N_DIFFERENCE_BY];
    struct difference_table top_down; // see difference_descend()
};

/// A resource's path without its hierarchy: "main/MPI_Recv" of "/CallPath/main/MPI_Recv".
const char *difference_short_path(const char *path);

/// A path or a part of one without escapes, as replays write call paths: "main/f(int)" of
/// "main/f\(int\)". The caller frees.
char *difference_plain(const char *path);

/// Whether a row is a change for the worse.
bool difference_is_worse(const struct difference_row *row);

/// How many of the run time and its parts by call path and wait state got worse.
size_t difference_count_worse(const struct difference_page *page);

/// What kind of time a row is: the wait state's name, "no wait", "not recorded", or
/// "parallel threads": what threads of one rank recorded at the same time, taken off again.
const char *difference_kind(const struct difference_row *row);

#endif
