// SPDX-License-Identifier: BSD-3-Clause
// The difference of two groups of stored trials: of their run time, and of any metric that adds up
// over the parts of a run.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/compare/difference.h"
#include "db/database.h"
#include "db/query/figures.h"
#include "db/query/query.h"
#include "db/query/resource_map.h"

/// Which trials are compared: A and B as in trial_group_to_compare().
struct difference_choice {
    const char *a, *b;
    bool wants_newest_a;            // of several git revisions
    const struct resource_map *map; // NULL: resources keep their names
    struct difference_thresholds thresholds;
};

struct difference_run {
    int64_t id;
    struct trial_time trial;
    enum difference_group group;
};

/// The trials of both groups, those of A first.
struct difference_runs {
    struct difference_run *list;
    size_t n, capacity;
};

/// What a report about the difference of run times is made from.
struct difference_page {
    const char *database; // NULL: none
    struct difference_runs runs;
    struct difference_thresholds thresholds;
    struct difference_table tables[N_DIFFERENCE_BY];
    struct difference_table top_down; // see difference_descend()
    struct difference *difference;    // which the tables refer to
};

/// Reads and compares stored trials. 0, or -1 and ERR; PAGE is to be released in either case.
int difference_page_read(struct database *database, const struct difference_choice *choice,
                         struct difference_page *page, struct error *err);
void difference_page_release(struct difference_page *page);

/// How many of the run time and its parts by call path and wait state got worse.
size_t difference_count_worse(const struct difference_page *page);

/// What a report about the difference of one metric is made from: from the whole down to the parts,
/// in each hierarchy of resources in which the metric has values (the performance difference of
/// Karavanic and Miller, "Experiment Management Support for Performance Tuning", SC 1997).
/// Rows and totals have values of the metric, summed over a run, in their fields called _ns.
struct metric_difference {
    const char *database; // NULL: none
    char *metric, *unit;
    struct difference_runs runs;
    struct difference_thresholds thresholds;
    struct metric_hierarchy {
        const char *name; // "Code"
        struct difference *difference;
        struct difference_table table; // of difference_descend()
    } hierarchies[N_QUERY_BY];
    size_t n_hierarchies; // at least 1
};

/// Reads and compares METRIC of stored trials. 0, or -1 and ERR: unknown metric, one whose values
/// do not add up, no value at all. DIFFERENCE is to be released in either case.
int metric_difference_read(struct database *database, const struct difference_choice *choice,
                           const char *metric, struct metric_difference *difference,
                           struct error *err);
void metric_difference_release(struct metric_difference *difference);
