// SPDX-License-Identifier: BSD-3-Clause
// Series of measured values, each to be modelled, and the points at which predictions are asked.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/base/map.h"
#include "analyzer/model/model.h"

struct model_series {
    char *name;
    char *shown;  // in texts, where NAME has long names of functions; NULL: NAME
    bool is_part; // its values are of a part of a whole that is a series, too
    size_t n_rows, rows_capacity, n_asked, asked_capacity;
    const char *unit; // of the values: "s", "bytes" or that of a metric; NULL: not known
    double *rows;     // each the values of the parameters, then the measured one
    double *asked;    // points of this series at which a prediction is asked
    // What model_table_fit() finds:
    char *reason; // why there is no model; NULL: there is one
    struct model model;
    char *formula;
    struct model_residual *residuals; // of the model's points
    char **notes; // what limits the model, a sentence each, up to NULL; may be NULL
    struct model_prediction *predictions; // at ASKED, then at those of the table
    // What to measure for the last of them; not of parts, which the same runs tell of.
    struct model_next next;
};

struct model_table {
    char **parameters; // their names
    size_t n_parameters;
    char *unit;    // of a metric
    char *metric;  // of stored trials; NULL: times, means per rank without their waits
    bool has_sums; // the values of the parts sum to that of the whole
    size_t n_trials, n_left_out; // with values of the metric, and without
    struct model_series *series;
    size_t n_series, series_capacity;
    double *asked; // points at which each series is asked for
    size_t n_asked, asked_capacity;
    // What model_table_fit() finds: the sum of all parts at ASKED, and the series, those with the
    // greatest values at the last of these first.
    double *sums;
    size_t *order;
    struct map by_name; // series, by the hashes of their names
};

/// Reads the CSV file PATH: a header with an optional column "series", the parameters, and "value"
/// last; a row without a value asks for a prediction. 0 (TABLE is to be released), or -1 and ERR.
int model_table_read(struct model_table *table, const char *path, struct error *err);

/// Whether formulas can have a parameter called NAME: letters, digits and _, and no function's
/// name.
bool model_parameter_is_name(const char *name);

/// The index of the series called NAME, which is copied; a new one if there is none.
size_t model_table_series(struct model_table *table, const char *name);
/// Appends a row of SERIES.
void model_series_add_row(struct model_series *series, size_t n_parameters, const double *x,
                          double value);

/// Asks all series for the point TEXT, "p=64,n=1000". 0, or -1 and ERR: a parameter is unknown,
/// missing, twice there, or no number.
int model_table_ask(struct model_table *table, const char *text, struct error *err);

/// Asks all series for the point X.
void model_table_ask_at(struct model_table *table, const double *x);
/// Asks SERIES for the point X, before what all series are asked for.
void model_series_ask_at(struct model_series *series, size_t n_parameters, const double *x);

/// The point I of those at which SERIES has predictions.
const double *model_table_asked(const struct model_table *table, const struct model_series *series,
                                size_t i);

/// Fits all series, in threads. Returns how many have a model.
size_t model_table_fit(struct model_table *table);

/// Whether SERIES has a model that its values do not contradict (0.2 rms relative error at most).
bool model_series_fits(const struct model_series *series);

/// A sentence without full stop that names the point which the model of SERIES leaves out; NULL:
/// there is none. The caller frees.
char *model_outlier_text(const struct model_table *table, const struct model_series *series);

void model_table_release(struct model_table *table);
