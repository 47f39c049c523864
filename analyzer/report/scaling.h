// SPDX-License-Identifier: BSD-3-Clause
// Reports about how runs scale: text, JSON, CSV and a picture from the same page.
#ifndef PAGODA_REPORT_SCALING_H
#define PAGODA_REPORT_SCALING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/compare/scaling.h"

/// A property of the runs of a series together, declared in patterns/experiments.
struct scaling_finding {
    char *id, *subject; // subject: the wait state it is asked of, "" for none
    char *name, *summary, *diagnosis, *condition;
    bool is_evaluated; // false: something it asks for is unknown of a run
    bool holds;
    double severity, confidence; // 0..1; severity 0 where it does not hold
    double threshold;            // severity from which on it is critical
};

/// Runs that differ in the parameter only, and in what follows from it.
struct scaling_series {
    char *name;        // what else they have in common: "app/sweep, size=64"
    char *kind_reason; // why they are taken for strong or weak scaling
    char **trials;     // names, in the order of their numbers
    double *trial_x;   // the parameter of each
    int64_t *trial_ids;
    size_t n_trials;
    struct scaling *scaling;
    struct scaling_finding *findings; // most severe first
    size_t n_findings;
};

struct scaling_page {
    const char *database; // NULL: none
    const char *by;       // the parameter
    bool is_whole_run;    // else the times are of the part between MPI_Init and MPI_Finalize
    double threshold;     // of the efficiency
    bool has_findings;    // properties were asked for
    struct scaling_series *series;
    size_t n_series;
};

struct scaling_text_options {
    uint64_t top; // rows of the growth table
    size_t width;
    bool has_sparklines;
};

/// "parallel_efficiency", ... as in JSON and CSV; "parallel efficiency", ... for people.
extern const char *const scaling_factor_keys[N_FACTORS];
extern const char *const scaling_factor_names[N_FACTORS];
/// "strong", "weak", "parameter".
extern const char *const scaling_kind_names[];

/// What the series shows in a few sentences: where scaling breaks, why, and what comes next. The
/// caller frees.
char *scaling_conclusion(const struct scaling_page *page, const struct scaling_series *series);

/// The law of a growth: "x^0.98", "log2(x)", "constant", "?".
char *scaling_law(const struct growth *growth, const char *by);

void text_print_scaling(const struct scaling_page *page, const struct scaling_text_options *options,
                        FILE *stream);
/// 0, or -1 and ERR; a failed write is left to ferror(STREAM).
int json_print_scaling(const struct scaling_page *page, const char *version, FILE *stream,
                       struct error *err);
/// One line for each number, with a heading: series, parameter, its value, ranks, kind of number,
/// name, value, spread, number of trials.
void csv_print_scaling(const struct scaling_page *page, FILE *stream);
/// A picture of speedup, efficiencies and growing parts, one row of panels a series.
void svg_print_scaling(const struct scaling_page *page, FILE *stream);

#endif
