// SPDX-License-Identifier: BSD-3-Clause
// Values of one metric at one focus, over trials, whole or by the parts of one hierarchy.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"
#include "db/query/foci.h"

struct query_question {
    const char *metric; // its name, or with `property_value` that of a property
    // NULL, or a column of the property's instances: "severity", "confidence" (its mean), "count",
    // "wait_ns". Instances are stored for the whole program, by call path and by process, not by
    // both.
    const char *property_value;
    const char *focus;    // resource normal form; hierarchies left out are whole; NULL: the program
    const char *interval; // its name; NULL: of each trial the first that its values within the
                          // focus have (the run or the window)
    enum query_by by;
    const int64_t *trials; // numbers of the trials asked
    size_t n_trials;
};

struct query_value {
    int64_t trial_id;
    const char *part;  // path of the resource the value is of, NULL with QUERY_BY_TRIAL
    double value;      // sum of the values found within the focus
    uint64_t n_values; // at least 1
};

/// Calls ANSWER(value, USER) for each trial, in the order given, and within it for each part with
/// values of the metric within the focus, by path (processes by number). Values are added over all
/// resources of the focus or part as far as the metric allows (metric.adds_up_over): one that adds
/// up over processes only needs the exact call path, one that never adds up the exact focus; the
/// hierarchy of the parts is free. A restriction of Machine selects the ranks that ran there. 0, or
/// -1 and ERR: bad focus, unknown metric, resource or interval, unreadable database.
int query_metric(struct database *database, const struct query_question *question,
                 void (*answer)(const struct query_value *value, void *user), void *user,
                 struct error *err);

struct query_metric {
    char *name, *unit, *adds_up_over, *description;
};
#define QUERY_METRIC_LETTERS "cccc"

/// The metrics called PATTERN, or whose names match it (* ? [...]), by name, as rows
/// (database_rows()). NULL and ERR: there is none.
struct query_metric *query_metrics(struct database *database, const char *pattern, size_t *n,
                                   struct error *err);

/// The names of the intervals that some trial has, by number, as rows of the letter c. NULL and
/// ERR.
char **query_intervals(struct database *database, size_t *n, struct error *err);
