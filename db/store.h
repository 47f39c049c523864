// SPDX-License-Identifier: BSD-3-Clause
// Stores a replayed run in an experiment database: application, experiment, trial, its resources,
// tuples (metric, focus, interval, value) and property instances.
//
//     struct store_names names = {.experiment = "scaling"};
//     if (store_result("runs.db", &result, &names, &err))
//         log_error("%s", err.text);
#pragma once

#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/result/result.h"
#include "db/names.h"

struct writer;

/// How the run is named and described; NULL and empty texts stand for defaults.
struct store_names {
    const char *application; // default: the program's base name
    const char *experiment;  // default: "default"
    const char *trial;       // default: the trace's name and the date of the run, made unique
    const char *origin;      // "measured" (default), "predicted", "threshold" or "interval"
    // Of the run, such as {"size", "1024"}; a value may end in ":problem" or ":machine", of which
    // it is the size, or in ":free" (the default: of neither).
    const struct result_named *parameters;
    size_t n_parameters;
    size_t n_predicted_only; // the last of these: predictions have them, the measured run has not
    const char *suffix;      // appended to the name of the trial after ": ", NULL for none
    const struct result_named *versions; // in addition to those in the trace
    size_t n_versions;
};

/// The names in PATH, which keeps the texts.
struct store_names store_names_of(const struct trial_path *path);

/// Stores RESULT in the database at PATH, which is created if missing, in one transaction. NAMES
/// may be NULL. 0, or -1 and ERR (nothing stored), also if the experiment has a trial of the given
/// name.
int store_result(const char *path, const struct result *result, const struct store_names *names,
                 struct error *err);

/// A predicted run.
struct store_prediction {
    const struct result *result;
    struct store_names names; // origin stays NULL
    const char *change;       // the what-if options
};

/// Stores PREDICTIONS made from the run MEASURED, each as a trial that refers to it, in one
/// transaction. MEASURED is stored too, under NAMES, unless its experiment has a measured trial of
/// the same trace. REPLAY_ERROR is a share. 0, or -1 and ERR (nothing stored).
int store_predictions(const char *path, const struct result *measured,
                      const struct store_names *names, const struct store_prediction *predictions,
                      size_t n_predictions, double replay_error, struct error *err);

/// Writes RESULT's resources, tuples and property instances through WRITER, whose transaction stays
/// open. Which metric has values at which foci is listed in pagoda-store(5). 0, or -1 and ERR.
int store_values(struct writer *writer, const struct result *result, struct error *err);
