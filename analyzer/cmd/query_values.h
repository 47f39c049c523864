// SPDX-License-Identifier: BSD-3-Clause
// The values that a question finds in the database, and how they are combined.
#pragma once

#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"
#include "analyzer/report/relation.h"
#include "db/database.h"
#include "db/query/query.h"
#include "db/query/selection.h"
#include "db/trials.h"

/// What differs between values that are combined.
enum query_over { OVER_NOTHING, OVER_TRIALS, OVER_RANKS, OVER_INTERVALS };

enum query_aggregate { AGGREGATE_STATISTICS, AGGREGATE_LIST, AGGREGATE_CLUSTER };

struct found_value {
    size_t metric, interval; // indices into the lists below; interval 0 without any
    size_t trial;
    char *part; // path, NULL: the trial
    double value;
};

struct found_metric {
    char *name, *unit;
};

/// A trial with the attributes that are to be shown.
struct found_trial {
    struct trial_summary summary;
    char **attributes; // by number of the attribute, NULL where there is none
    char *shown_name;  // among others; NULL before they are combined
};

struct found_values {
    struct found_metric *metrics;
    size_t n_metrics, metrics_capacity;
    struct found_trial *trials;
    size_t n_trials;
    const char *const *attribute_names;
    size_t n_attributes;
    char **intervals; // with OVER_INTERVALS
    size_t n_intervals;
    struct found_value *values; // by metric, then trial, then part
    size_t n_values, values_capacity;
    const char *part_title; // "process", "call path", ...; NULL: values of trials
};

/// How the values are combined.
struct aggregation {
    enum query_over over;
    enum query_aggregate aggregate;
    double delta;            // of a cluster: its values differ by no more
    const double *quantiles; // fractions
    size_t n_quantiles;
};

/// Makes a row of each value, or of each group of values that differ only in AGGREGATION's `over`.
/// RELATION is empty.
void values_to_rows(struct found_values *found, const struct aggregation *aggregation,
                    struct relation *relation);

void found_values_release(struct found_values *found);

struct query_request {
    struct trial_conditions conditions;
    struct option_list metrics;    // names or patterns
    struct option_list properties; // ids
    const char *focus, *interval;
    enum query_by by;
    enum query_over over;
};

/// Fills FOUND (zeroed except attribute_names; to be released in any case) with the values that
/// REQUEST selects. 0, or -1 and ERR, also if there is no value.
int query_find(struct database *database, const struct query_request *request,
               struct found_values *found, struct error *err);
