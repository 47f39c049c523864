// SPDX-License-Identifier: BSD-3-Clause
// A run as one HTML file that needs nothing else: report, tables and timeline. What the page does
// with the data is in run_page.html, which the build makes a text of.
#pragma once

#include <stdio.h>

#include "analyzer/base/error.h"

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
