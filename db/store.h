// SPDX-License-Identifier: BSD-3-Clause
// Keeps a replayed run in an experiment database: application, experiment, trial, its resources,
// tuples (metric, focus, interval, value) and property instances.
//
//     struct store_names names = {.experiment = "scaling"};
//     if (store_result("runs.db", &result, &names, &err))
//         log_error("%s", err.text);
#ifndef PAGODA_DB_STORE_H
#define PAGODA_DB_STORE_H

#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/result/result.h"
#include "db/names.h"

struct writer;

/// What the run is called; everything may be NULL or empty and then has a default.
struct store_names {
    const char *application; // default: the program's base name
    const char *experiment;  // default: "default"
    const char *trial;       // default: the trace's name and the date of the run, made unique
    const char *origin;      // "measured" (default), "predicted", "threshold" or "interval"
    // Of the run, such as {"size", "1024"}; ":problem" or ":machine" behind the value says that it
    // is the size of the problem or of the machine, ":free" that it is neither (as without).
    const struct result_named *parameters;
    size_t n_parameters;
    size_t n_predicted_only; // the last of these, which the run a prediction was made from has not
    const char *suffix;      // put behind the name of the trial with ": ", NULL for none
    const struct result_named *versions; // beside those that the trace tells
    size_t n_versions;
};

/// Names as PATH has them, which keeps the texts.
struct store_names store_names_of(const struct trial_path *path);

/// Stores RESULT in the database at PATH, which is created when it is missing. All in one
/// transaction: whatever happens, the run is there wholly or not at all. NAMES may be NULL. Fails
/// when the experiment already has a trial of that given name. 0, or -1 and ERR.
int store_result(const char *path, const struct result *result, const struct store_names *names,
                 struct error *err);

/// A predicted run.
struct store_prediction {
    const struct result *result;
    struct store_names names; // origin stays NULL
    const char *change;       // the what-if options
};

/// Stores PREDICTIONS made from the run MEASURED, each as a trial that refers to it. MEASURED is
/// stored too, as NAMES says, unless its experiment has a measured trial of the same trace. All in
/// one transaction. REPLAY_ERROR is the share by which the prediction with nothing changed is off.
/// 0, or -1 and ERR.
int store_predictions(const char *path, const struct result *measured,
                      const struct store_names *names, const struct store_prediction *predictions,
                      size_t n_predictions, double replay_error, struct error *err);

/// Writes RESULT's resources, tuples and property instances through WRITER, whose transaction stays
/// open. Which metric has values at which foci is listed in pagoda-store(5). 0, or -1 and ERR.
int store_values(struct writer *writer, const struct result *result, struct error *err);

#endif
