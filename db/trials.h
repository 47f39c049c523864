// SPDX-License-Identifier: BSD-3-Clause
// The trials of a database as a list, and one of them in detail.
//
// A trial is chosen by its name, by experiment/name, by application/experiment/name, or by its
// number; names take precedence over numbers.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"
#include "db/store.h"

struct trial_summary {
    int64_t id;
    char *application, *experiment, *name;
    char *origin;                 // measured, predicted, threshold, interval
    char *started_at, *stored_at; // UTC, ISO 8601; "" when unknown
    uint64_t n_ranks, time_ns;
    double parallel_efficiency; // NAN when unknown
};

struct trial_list {
    struct trial_summary *trials;
    size_t n_trials, capacity;
};

void trial_list_release(struct trial_list *list);

/// The number of the one trial that SELECTOR chooses. 0, or -1 and ERR: none (with the most similar
/// name), or more than one.
int trials_find(struct database *database, const char *selector, int64_t *id, struct error *err);

/// The trial with that number. 0 (SUMMARY is to be released), or -1 and ERR.
int trial_summary_read(struct database *database, int64_t id, struct trial_summary *summary,
                       struct error *err);
void trial_summary_release(struct trial_summary *summary);

/// The value of the trial's attribute NAME, to be freed; NULL when it has none. Parameters take
/// precedence over versions, these over the environment. 0, or -1 and ERR.
int trial_attribute_read(struct database *database, int64_t id, const char *name, char **value,
                         struct error *err);

/// Which trials a list has; NULL means all.
struct trial_filter {
    const char *application, *experiment;
};

/// The trials of the database at PATH in the order of their numbers. 0 (LIST is to be released), or
/// -1 and ERR.
int trials_read(const char *path, const struct trial_filter *filter, struct trial_list *list,
                struct error *err);
/// The same as one JSON object, with the points of sweeps that have no trial; the caller frees.
int trials_read_json(const char *path, const struct trial_filter *filter, char **json,
                     struct error *err);

/// The same for the history of all of them, in the order of their begin: `judged_ns`, `headline`,
/// `conclusion`, `parameters` and `versions` by name, the five largest `wait_states`, and of
/// predictions what they were made from; `earlier_ns` is the mean of the earlier measured trials
/// with the same ranks and parameters in the experiment, or null.
int trials_history_json(const char *path, const struct trial_filter *filter, char **json,
                        struct error *err);

/// All about the trial that SELECTOR chooses except single values, as one JSON object, which the
/// caller frees. 0, or -1 and ERR as trials_find().
int trial_read_json(const char *path, const char *selector, char **json, struct error *err);

/// Logs a warning for each kind of damage in the trace of a trial. 0, or -1 and ERR.
int damage_warn_of_trial(struct database *database, int64_t trial, struct error *err);

// --- removal
// Removing trials, and notes of points without a trial, from a database; shrinking its file.

/// What was removed, by its names.
struct removal {
    struct trial_list trials;
    struct point_list points;
};

/// Removes the trials chosen by SELECTORS with everything that only they have. A selector that
/// chooses no trial removes the note of a point: POINT, EXPERIMENT/POINT or
/// APPLICATION/EXPERIMENT/POINT. FILTER, unless NULL, chooses all trials and points of an
/// application and experiment, which must exist. All or none: 0 (REMOVED is to be released), or -1
/// and ERR (REMOVED is empty).
int removal_run(const char *path, const struct trial_filter *filter, const char *const *selectors,
                size_t n_selectors, struct removal *removed, struct error *err);
void removal_release(struct removal *removed);

/// Checks the database at PATH, removes resources and foci that no trial has any more, and makes
/// its file as small as possible. SIZES are bytes before and after. 0, or -1 and ERR (nothing
/// changed).
int removal_vacuum(const char *path, uint64_t sizes[2], struct error *err);
