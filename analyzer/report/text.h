// SPDX-License-Identifier: BSD-3-Clause
// Reports: as text for people, as JSON, and where noted as CSV and SVG. Printers compute nothing:
// what they print is described where their argument is declared.
//
// JSON is of schema 1: keys may be added, never renamed. Each printer writes one object and a
// newline, the same bytes for the same result in any locale: keys in a fixed order, times as
// integers in ns, null for what is unknown. 0, or -1 and ERR; a failed write is left to
// ferror(STREAM).
#ifndef PAGODA_REPORT_TEXT_H
#define PAGODA_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"

struct advice;
struct calibration_report;
struct difference_page;
struct limit_page;
struct result;
struct scaling_page;
struct structure_page;
struct whatif_report;

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

/// The report on a replay: the conclusion first, then what it rests on.
void text_print(const struct result *result, const struct text_options *options, FILE *stream);

/// Prints REPORT, a prediction from the run MEASURED.
void text_print_whatif(const struct result *measured, const struct whatif_report *report,
                       const struct text_options *options, FILE *stream);

/// A replay and predictions from it (NULL: none), as in pagoda-replay(1).
int json_print(const struct result *result, const struct whatif_report *whatif, const char *version,
               FILE *stream, struct error *err);

/// Prints the best LIMIT candidates of each group.
void text_print_advice(const struct advice *advice, size_t limit, FILE *stream);
int json_print_advice(const struct advice *advice, const char *version, FILE *stream,
                      struct error *err);

void text_print_calibration(const struct calibration_report *report, FILE *stream);
int json_print_calibration(const struct calibration_report *report, const char *version,
                           FILE *stream, struct error *err);

/// Prints the runs, the change of run time, and the TOP rows of each table, the rest of it in sum.
void text_print_difference(const struct difference_page *page, uint64_t top, FILE *stream);
/// Prints a line for the run time and for each call path and wait state that got worse.
void text_print_violations(const struct difference_page *page, FILE *stream);
/// N pages, which have the same A.
int json_print_differences(const struct difference_page *pages, size_t n, const char *version,
                           FILE *stream, struct error *err);

void text_print_limits(const struct limit_page *page, FILE *stream);
/// One line for each limit that is not kept.
void text_print_limit_violations(const struct limit_page *page, FILE *stream);
int json_print_limits(const struct limit_page *page, const char *version, FILE *stream,
                      struct error *err);

/// Prints the runs with their ids, and for each hierarchy how many resources are in all runs, and
/// the tree of those that are not (SHOWS_ALL: of all), each with its sum of run ids.
void text_print_structure(const struct structure_page *page, bool shows_all, FILE *stream);
/// All resources.
int json_print_structure(const struct structure_page *page, const char *version, FILE *stream,
                         struct error *err);

struct scaling_text_options {
    uint64_t top; // rows of the growth table
    size_t width;
    bool has_sparklines;
};
void text_print_scaling(const struct scaling_page *page, const struct scaling_text_options *options,
                        FILE *stream);
/// One line for each number, with a heading: series, parameter, its value, ranks, kind of number,
/// name, value, spread, number of trials.
void csv_print_scaling(const struct scaling_page *page, FILE *stream);
/// A picture of speedup, efficiencies and growing parts, one row of panels a series.
void svg_print_scaling(const struct scaling_page *page, FILE *stream);
int json_print_scaling(const struct scaling_page *page, const char *version, FILE *stream,
                       struct error *err);

#endif
