// SPDX-License-Identifier: BSD-3-Clause
// HTML pages of runs and databases.
#pragma once

#include <stdio.h>

#include "analyzer/base/error.h"

// --- a run
// A run as one HTML file that needs nothing else: report, tables and timeline. What the page does
// with the data is in run_page.html, which the build makes a text of.

struct result;
struct timeline;
struct whatif_report;

struct run_page {
    const struct result *result;
    const struct timeline *timeline; // concluded
    // A single prediction and its timeline, or NULL.
    const struct whatif_report *predicted;
    const struct timeline *predicted_timeline;
};

/// A failed write is left to ferror(STREAM); -1 and ERR only if the data cannot be compressed.
int run_page_print(const struct run_page *page, FILE *stream, struct error *err);

// --- a database
// The runs of a database as one HTML file that needs nothing else: their history, what two of them
// differ by, how they scale, and how right predictions were. What the page does with the data is in
// store_page.html, which the build makes a text of.

struct back_test;
struct scaling_page;
struct trial_trees;

struct store_page {
    const char *trials;           // JSON of trials_history_json()
    const struct back_test *test; // of the predictions
    const struct trial_trees *trees;
    const struct scaling_page *scaling; // NULL: the runs do not differ in their ranks
};

/// A failed write is left to ferror(STREAM).
void store_page_print(const struct store_page *page, FILE *stream);

/// How long the latest run took, and how much longer than earlier ones like it, as a small picture
/// in SVG; its title says it as a sentence. TRIALS: as of the page. -1 and ERR: there is no run.
int badge_print(const char *trials, FILE *stream, struct error *err);
