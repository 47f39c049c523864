// SPDX-License-Identifier: BSD-3-Clause
// `pagoda diff --limits`: trials against a threshold set, a file of limits:
//
//     # metric             limit     focus
//     time_ns              <= 1.5s
//     parallel_efficiency  >= 80 %
//     exclusive_ns         <= 20ms   /CallPath/main/solve
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "db/database.h"

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

/// How many limits are not kept.
size_t limit_page_count_violations(const struct limit_page *page);

/// Compares the trials that each of the N SELECTORS means (db/query/selection.h) with the limits in
/// the file at PATH, or, where there is none, of the trial of that name, whose origin is
/// "threshold". PAGE refers to SELECTORS and PATH. 0 (PAGE is to be released), or -1 and ERR: the
/// file cannot be read or understood, no such trial, metric or resource, or a share that a trial
/// does not have.
int limits_compare(struct database *database, const char *path, char *const *selectors, size_t n,
                   struct limit_page *page, struct error *err);

void limit_page_release(struct limit_page *page);
