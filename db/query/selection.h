// SPDX-License-Identifier: BSD-3-Clause
// The trials a user means: by one word, or by several conditions at once.
#ifndef PAGODA_DB_QUERY_SELECTION_H
#define PAGODA_DB_QUERY_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"

/// Numbers of trials.
struct trial_group {
    int64_t *ids;
    size_t n_ids, capacity;
};

/// The trials SELECTOR means, in the order of their numbers: one as in trials.h; else all whose
/// name, experiment/name or application/experiment/name matches it as a pattern (* ? [...]); else
/// all with an attribute of that NAME=VALUE; revision=COMMIT means the program's git revision, four
/// digits of it at least, branch=NAME and tag=NAME also what git told of it. 0 (GROUP is to be
/// released), or -1 and ERR.
int trial_group_find(struct database *database, const char *selector, struct trial_group *group,
                     struct error *err);
/// The same for comparisons: where runs and intervals of runs are meant, the runs.
int trial_group_to_compare(struct database *database, const char *selector,
                           struct trial_group *group, struct error *err);
/// Keeps of GROUP the trials of the git revision that the latest of them was run with, or, when
/// that one has none, those without. 0, or -1 and ERR.
int trial_group_newest(struct database *database, struct trial_group *group, struct error *err);
/// All measured trials of an application and experiment (NULL: of any), or, when there are none,
/// the predicted ones; first of all those that have the parameter PARAMETER, unless it is NULL. 0
/// (GROUP is to be released), or -1 and ERR: there is none.
int trial_group_all(struct database *database, const char *application, const char *experiment,
                    const char *parameter, struct trial_group *group, struct error *err);
void trial_group_release(struct trial_group *group);

/// What a trial must be; NULL and 0 mean "any". All conditions must hold.
struct trial_conditions {
    const char *const *selectors; // the trial is meant by one of them (trial_group_find())
    size_t n_selectors;
    const char *application, *experiment; // patterns: * ? [...]
    const char *origin;                   // measured, predicted, threshold, interval
    // First and last day or time of the run (of storing where that is unknown), in UTC:
    // "2026-11-21" or "2026-11-21T05:52"; the last day counts whole.
    const char *since, *until;
    // "NAME", "NAME=VALUE" or another of != < <= > >=: parameters, versions and environment.
    // Numbers compare as numbers.
    const char *const *parameters;
    size_t n_parameters;
    // "ID" or "ID>=SEVERITY": the property was found, and is so severe in the whole program.
    const char *const *properties;
    size_t n_properties;
    bool may_be_none; // that no trial fulfils all conditions is an answer, too
};

/// The trials of DATABASE that fulfil CONDITIONS, in the order of their numbers. 0 (GROUP is to be
/// released), or -1 and ERR: a condition is malformed or names what no trial has, or no trial
/// fulfils them all.
int trial_selection_find(struct database *database, const struct trial_conditions *conditions,
                         struct trial_group *group, struct error *err);

#endif
