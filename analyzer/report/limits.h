// SPDX-License-Identifier: BSD-3-Clause
// Whether runs keep a set of limits: text and JSON.
#ifndef PAGODA_REPORT_LIMITS_H
#define PAGODA_REPORT_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyzer/base/error.h"

/// A limit, and what some runs (repetitions: their mean) have in its place.
struct limit_row {
    char *metric, *unit;
    char *focus;      // in resource normal form, as given; "" for the whole program
    bool is_at_least; // the value must be so large; else it must not be larger
    double limit;
    const char *runs; // how these were called
    size_t n_runs;
    double value;
    bool is_kept;
};

struct limit_page {
    const char *database; // NULL: none
    const char *source;   // the file
    struct limit_row *rows;
    size_t n_rows, capacity;
};

void limit_page_release(struct limit_page *page);
size_t limit_page_count_violations(const struct limit_page *page);

void text_print_limits(const struct limit_page *page, FILE *stream);
/// One line for each limit that is not kept.
void text_print_limit_violations(const struct limit_page *page, FILE *stream);
/// 0, or -1 and ERR; a failed write is left to ferror(STREAM).
int json_print_limits(const struct limit_page *page, const char *version, FILE *stream,
                      struct error *err);

#endif
