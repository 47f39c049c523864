// SPDX-License-Identifier: BSD-3-Clause
// Which functions are no longer to be recorded, as plain data; text and JSON from it.
#ifndef PAGODA_REPORT_REDUCTION_H
#define PAGODA_REPORT_REDUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"

/// A function that the profile has; means over the ranks.
struct reduction_row {
    char *name;
    char *file; // "" when unknown
    double n_calls, exclusive_us, inclusive_us, percent;
    const char *rule;          // that leaves it out, NULL: it stays
    uint32_t rule_rank;        // the first rank for which it holds, with is_any_rank
    double after_inclusive_us; // in the run without those left out, NAN: not measured
};

/// One way to run the program.
struct reduction_run {
    uint64_t wall_ns;  // of the launch line, the shortest of the repetitions
    uint64_t n_events; // 0: untraced
};

enum { REDUCTION_UNTRACED, REDUCTION_TRACED, REDUCTION_REDUCED, N_REDUCTION_RUNS };

struct reduction_page {
    const char *source;         // the trace, trial or launch line
    uint64_t n_ranks;           // that the means are over
    bool is_any_rank;           // rules hold for single ranks, not for means
    const char *rank;           // the only rank looked at, NULL: all
    struct reduction_row *rows; // inclusive time descending
    size_t n_rows;
    const char *output; // the exclude file, NULL: none was written
    bool is_measured;   // then:
    struct reduction_run runs[N_REDUCTION_RUNS];
    uint64_t n_repetitions;
};

/// How many times as long as the untraced one a run took.
double reduction_dilation(const struct reduction_page *page, size_t run);

/// TOP: how many of the functions that stay are shown.
void text_print_reduction(const struct reduction_page *page, uint64_t top, FILE *stream);

/// All of it as one JSON object and a newline. 0, or -1 and ERR; a failed write is left to
/// ferror(STREAM).
int json_print_reduction(const struct reduction_page *page, const char *version, FILE *stream,
                         struct error *err);

#endif
