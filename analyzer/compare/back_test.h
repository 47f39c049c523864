// SPDX-License-Identifier: BSD-3-Clause
// How right predictions were: those that are stored, against the runs that were measured at the
// same parameters, and those that models of the smaller runs make of the larger ones.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"
#include "analyzer/model/model_table.h"
#include "analyzer/result/whatif.h"
#include "db/database.h"

/// A prediction that was measured, in seconds.
struct back_test_case {
    char *kind;     // "--cores", "model, up to 2 x beyond the data"
    char *name;     // of the trial, or of the point
    char *question; // the same for cases that repeat a prediction of the same
    char *machine;  // of the run that was recorded, machine_name(); "": unknown, or of a model
    double predicted, measured; // MEASURED: the mean of repetitions
    double low, high;           // what was said of the prediction's uncertainty; NAN: nothing
    double error;               // predicted over measured, less 1
    double *runs;               // each of the measured values
    size_t n_runs, runs_capacity;
    double scatter; // standard deviation of one measured run, a share; NAN: there is one
};

/// All cases of a kind.
struct back_test_kind {
    const char *kind;
    size_t n;
    double median, median_size, size_90; // of the error, and of its size: its median, 90 % quantile
    double scatter;                      // the median, NAN: none is known
    double within; // share whose measured value lies from LOW to HIGH; NAN: none has these
    // Of a further one, with a probability of COVERAGE: measured over predicted (past_errors.c).
    double coverage, least, most; // COVERAGE 0: there are too few, or nobody asked
};

struct back_test {
    struct back_test_case *cases; // by kind
    size_t n_cases, capacity;
    struct back_test_kind *kinds;
    size_t n_kinds;
    size_t n_stored, n_unmeasured; // predictions that are stored; of them, without a measured run
};

enum back_test_kinds { BACK_TEST_STORED = 1, BACK_TEST_MODELS = 2 };

/// Tests the predictions of an APPLICATION and EXPERIMENT (NULL: of all) in DATABASE. A stored
/// prediction has a confidence interval of its replay error, models one of 95 %. KINDS: bits of
/// enum back_test_kinds. 0 (TEST is to be released), or -1 and ERR.
int back_test_read(struct database *database, const char *application, const char *experiment,
                   unsigned kinds, struct back_test *test, struct error *err);
void back_test_release(struct back_test *test);

/// What a model's prediction at so many times the greatest point of its data is called; NULL: no
/// such prediction is tested.
const char *model_kind(double factor);

/// The options in the words of a change, each once: "--cpu-speed --latency". The caller frees.
char *change_kind(const char *change);
/// What the nodes' names, a line each, have in common without numbers and domains: "node" of
/// node01.site and node02.site. The caller frees.
char *machine_name(const char *nodes);

// --- model_trials.c
// The times of stored trials, or values of a metric, as series to be modelled.

struct model_choice {
    const char *application, *experiment; // NULL: all
    char *const *selectors;               // trials, patterns, attributes; none: all trials
    size_t n_selectors;
    const struct option_list *by; // the parameters; empty: all numeric ones that vary
    bool by_call_path;            // parts are call paths, else regions
    const char *metric;           // its name or pattern; NULL: times
};

/// Reads the trials of DATABASE that CHOICE means into TABLE: the series "time", and one for each
/// region or call path without its waits, and for each wait state; means per rank, in seconds. Of a
/// metric the series are its values in the whole runs and in each region or call path, all ranks
/// together, as query_metric() has them; times are in seconds then, too. Trials of the same
/// parameters are repetitions; such as differ in a parameter that is not a number are in different
/// series. 0 (TABLE is to be released), or -1 and ERR: no trial, no parameter that varies, an
/// unknown one, no value of the metric.
int model_trials_read(struct database *database, const struct model_choice *choice,
                      struct model_table *table, struct error *err);

// --- past_errors.c
// Intervals of new predictions, from the errors of past ones of the same kind.

/// Of what-if predictions of CHANGE, of a run on the machine NODES (machine_name()): of those on
/// this machine if they are enough, else of those on any; for 90 % if they are enough, else 80 %:
/// 2 / (1 - coverage) - 1 different ones, 19 or 9. The caller releases ERRORS.
///
/// The bounds are order statistics of measured over predicted time. So they keep the sign of the
/// errors, no distribution is assumed, and the coverage holds for a further prediction that is
/// exchangeable with these. Repeated cases share the weight of one (Lee, Barber, Willett:
/// "Distribution-free inference with hierarchical data", 2023).
void past_errors_of_change(const struct back_test *test, const char *change, const char *nodes,
                           struct past_errors *errors);

/// Fills the intervals of all kinds, on any machine.
void past_errors_of_kinds(struct back_test *test);

/// Puts intervals by the errors of past models as far beyond their data, for 95 %, in place of
/// those of predictions of TABLE's whole runs; where there are at least 39.
void past_errors_of_models(const struct back_test *test, struct model_table *table);
