// SPDX-License-Identifier: BSD-3-Clause
// What the sections of the text report share; for this folder only.
#pragma once

#include <stdio.h>

#include "analyzer/base/text.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"
#include "analyzer/result/result.h"

struct page {
    const struct result *result;
    const struct text_options *options;
    FILE *stream;
    struct time_unit unit; // of all times in tables
    double rank_time_ns;   // run time x ranks: the whole that shares of sums are taken of
    double place_time_ns;  // the same for regions and call paths, see page_place_time_ns()
};

/// TIME_NS in the unit of all times in tables, without its name.
struct quantity page_time(const struct page *page, int64_t time_ns);
/// An empty line and a heading, with an explanation in brackets unless it is "".
void page_heading(const struct page *page, const char *heading, const char *explanation);
/// The same over a table of times: "HEADING in ms (...)".
void page_heading_of_times(const struct page *page, const char *heading, const char *explanation);
/// Prints TABLE, which is released.
void page_table(const struct page *page, struct table *table);
/// "... and 5 further rows (more with --top)" when some were left out.
void page_left_out(const struct page *page, uint64_t n_left_out, const char *noun,
                   const char *option);
/// How many of N rows are shown, by --top.
size_t page_n_shown(const struct page *page, size_t n);
/// Prints TABLE, which is released: it has as many of N rows; and how many NOUNs were left out.
void page_table_of(const struct page *page, struct table *table, size_t n, const char *noun);
/// A paragraph after LABEL (of at most 13 columns), later lines below the first word.
void page_labelled(const struct page *page, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
