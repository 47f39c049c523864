// SPDX-License-Identifier: BSD-3-Clause
// The report a person reads: what ran and where the time went in the first lines, then the tables
// behind it, then the conclusion.
#ifndef PAGODA_REPORT_TEXT_H
#define PAGODA_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/result/result.h"

struct text_options {
    uint64_t depth;  // levels of the call tree that are shown
    uint64_t top;    // rows of a table
    size_t width;    // columns of the page
    bool cuts_lines; // rows longer than the page lose the middle of their last column
    bool has_colours;
    bool shows_all; // details of each wait state, however small
};

/// 4 levels, 12 rows, the width of the terminal STREAM is (then lines are cut) or 80.
struct text_options text_options_for(FILE *stream);

void text_print(const struct result *result, const struct text_options *options, FILE *stream);

#endif
