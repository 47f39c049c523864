// SPDX-License-Identifier: BSD-3-Clause
// Stores a replayed run in an experiment database: application, experiment, trial, its resources,
// tuples (metric, focus, interval, value) and property instances.
//
//     struct store_names names = {.experiment = "scaling"};
//     if (store_result("runs.db", &result, &names, &err))
//         log_error("%s", err.text);
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/result/result.h"
#include "db/database.h"
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

// --- past_properties.c
// What the same search for properties found in earlier trials.

/// Fills what SEARCH knows of earlier trials: those of the application that RESULT would be stored
/// in at PATH, with SEARCH's hierarchy and pruning. The last trial is that of the same experiment,
/// else of the application. Nothing where there is no such database. 0, or -1 and ERR.
int store_read_past(const char *path, const struct store_names *names, const struct result *result,
                    struct result_search *search, struct error *err);
/// The same of an open database.
int past_properties_read(struct database *database, const char *application, const char *experiment,
                         const struct result *result, struct result_search *search,
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

/// The module of a region: its file without the directory, so that runs of different checkouts
/// compare.
const char *store_module(const struct result_region *region);

/// Writes RESULT's resources, tuples and property instances through WRITER, whose transaction stays
/// open. Which metric has values at which foci is listed in pagoda-store(5). 0, or -1 and ERR.
int store_values(struct writer *writer, const struct result *result, struct error *err);

/// Whether METRIC is one of Pagoda's own that each stored run is searched for and whose values add
/// up: a run without values has none of it. Counters and metrics that files define must be
/// recorded.
bool store_has_metric(const char *metric);

// --- points
// Points of sweeps that have no trial, with the reason: skipped, failed, or too long. So the
// database shows where an experiment has gaps.

/// A point of a sweep. STATE is NULL if the point has a trial or has not run yet.
struct point_note {
    const char *name;   // as its trial would be called
    const char *state;  // "skipped", "failed" or "too long"
    const char *reason; // one line
    const struct result_named *parameters;
    size_t n_parameters;
};

/// Replaces the notes of these points of a sweep in the database at PATH, and removes those of
/// points that have a trial. APPLICATION NULL stands for that of the experiment's trials; without a
/// trial nothing is noted. 0, or -1 and ERR (nothing changed).
int points_note(const char *path, const char *application, const char *experiment,
                const struct point_note *notes, size_t n_notes, struct error *err);

/// One noted point.
struct point_row {
    char *application, *experiment, *name, *state, *reason;
};

struct point_list {
    struct point_row *rows;
    size_t n_rows, capacity;
};

/// All noted points of an APPLICATION and an EXPERIMENT (NULL: of all), by name. 0 (LIST is to be
/// released), or -1 and ERR.
int points_read(const char *path, const char *application, const char *experiment,
                struct point_list *list, struct error *err);
/// The same of an open database.
int points_select(struct database *database, const char *application, const char *experiment,
                  struct point_list *list, struct error *err);
/// The points with the name SELECTOR: POINT, EXPERIMENT/POINT, or APPLICATION/EXPERIMENT/POINT.
int points_find(struct database *database, const char *selector, struct point_list *list,
                struct error *err);
void point_list_release(struct point_list *list);
/// Moves ROW into LIST unless its point is there already.
void point_list_add(struct point_list *list, struct point_row *row);

/// Removes the note of a point; a transaction is open. 0, or -1 and ERR.
int points_remove(struct database *database, const struct point_row *point, struct error *err);
