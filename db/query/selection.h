// SPDX-License-Identifier: BSD-3-Clause
// The trials that a user chooses, by one word or by several conditions.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"
#include "db/database.h"

/// Numbers of trials.
struct trial_group {
    int64_t *ids;
    size_t n_ids;
};

// A selector chooses one trial as in trials.h; else all whose name, experiment/name or
// application/experiment/name matches it as a pattern (* ? [...]); else all with that attribute
// NAME=VALUE, where revision=COMMIT (four digits at least), branch=NAME and tag=NAME also match the
// program's git revision.

/// What all N SELECTORS choose for a comparison, each trial once: of one that chooses runs and
/// intervals of runs, only the runs. 0 (GROUP is to be released), or -1 and ERR.
int trial_group_to_compare(struct database *database, char *const *selectors, size_t n,
                           struct trial_group *group, struct error *err);
/// Keeps the trials of GROUP with the git revision of the latest one, or those without a revision
/// if it has none. 0, or -1 and ERR.
int trial_group_newest(struct database *database, struct trial_group *group, struct error *err);
/// All measured trials of an application and experiment (NULL: of any) or, if there are none, the
/// predicted ones. If any has the parameter PARAMETER (may be NULL), only such trials. 0 (GROUP is
/// to be released), or -1 and ERR: there is none.
int trial_group_all(struct database *database, const char *application, const char *experiment,
                    const char *parameter, struct trial_group *group, struct error *err);
void trial_group_release(struct trial_group *group);

/// What a trial must be; NULL and empty lists mean "any". All conditions must hold.
struct trial_conditions {
    struct option_list selectors;         // one of them chooses the trial
    const char *application, *experiment; // patterns: * ? [...]
    const char *origin;                   // measured, predicted, threshold, interval
    // First and last day or time of the run (of storing where that is unknown), in UTC:
    // "2026-11-21" or "2026-11-21T05:52"; the last day counts whole.
    const char *since, *until;
    // "NAME", "NAME=VALUE" or another of != < <= > >=: parameters, versions and environment.
    // Numbers compare as numbers.
    struct option_list parameters;
    // "ID" or "ID>=SEVERITY": the property was found, and is so severe in the whole program.
    struct option_list properties;
    bool may_be_none; // that no trial fulfils all conditions is an answer, too
};

/// The trials of DATABASE that fulfil CONDITIONS, in the order of their numbers. 0 (GROUP is to be
/// released), or -1 and ERR: a condition is malformed or names what no trial has, or no trial
/// fulfils them all.
int trial_selection_find(struct database *database, const struct trial_conditions *conditions,
                         struct trial_group *group, struct error *err);
