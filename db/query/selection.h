// SPDX-License-Identifier: BSD-3-Clause
// The trials that fulfil several conditions at once: by name, parameter, date, origin and property.
#ifndef PAGODA_DB_QUERY_SELECTION_H
#define PAGODA_DB_QUERY_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "db/database.h"
#include "db/query/times.h"

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
