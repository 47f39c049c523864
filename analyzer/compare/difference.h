// SPDX-License-Identifier: BSD-3-Clause
// What the change of run time between two groups of runs consists of. Each rank's time is cut into
// its call paths, and within each into the waits of the wait states and the rest; divided by the
// number of ranks these parts sum to the run time of their run, so that the differences of the
// parts sum to the difference of the run times.
//
//     struct difference *difference = difference_new();
//     size_t run = difference_add_run(difference, DIFFERENCE_A, time_ns, n_ranks);
//     difference_add(difference, run, "/CallPath/main", "/Process/0", "", value_ns);
//     ...
//     struct difference_table table;
//     difference_tabulate(difference, DIFFERENCE_BY_CALL_PATH, &thresholds, &table);
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"
#include "db/query/figures.h"
#include "db/query/query.h"
#include "db/query/resource_map.h"

struct difference;

enum difference_group { DIFFERENCE_A, DIFFERENCE_B };

/// How the parts are put together to rows.
enum difference_by {
    DIFFERENCE_BY_CALL_PATH, // and wait state
    DIFFERENCE_BY_PROCESS,
    DIFFERENCE_BY_WAIT_STATE,
    N_DIFFERENCE_BY,
};

/// All must be fulfilled for a difference to count as a change.
struct difference_thresholds {
    uint64_t absolute_ns; // per rank; DIFFERENCE_DEFAULT: 1 % of the run time of A
    double relative;      // share of the value of A
    double alpha;         // level of the t test, for repeated runs
};
#define DIFFERENCE_DEFAULT UINT64_MAX

struct difference_row {
    const char *call_path; // "" where a row is of all; belong to the difference
    const char *process;
    const char *wait_state;
    bool is_unrecorded; // time before a rank's first and after its last event
    bool is_in_a, is_in_b;
    double a_ns, b_ns; // means per run and rank
    int64_t change_ns; // rounded such that the rows of a table sum to the change of run time
    double
        p; // significance_of_difference(), corrected by Holm for the rows tested; NAN: not tested
    double half_width_ns; // of the confidence interval of the change, NAN: no test
    bool is_change;
};

struct difference_table {
    struct difference_row *rows; // largest change first
    size_t n_rows;
    struct difference_row total; // the run time
};

struct difference *difference_new(void);
void difference_free(struct difference *difference);

/// Adds a run; returns its number.
size_t difference_add_run(struct difference *difference, enum difference_group group,
                          uint64_t time_ns, uint64_t n_ranks);

/// Adds VALUE_NS of a run; values of the same place are summed. WAIT_STATE "" is the time that is
/// no wait. The texts are copied.
void difference_add(struct difference *difference, size_t run, const char *call_path,
                    const char *process, const char *wait_state, int64_t value_ns);

/// The rows of a table, to be released. Both groups must have a run. The p values of the rows are
/// corrected by Holm (Scandinavian Journal of Statistics 6, 1979), so that the chance of a single
/// false change in the table is at most alpha.
void difference_tabulate(struct difference *difference, enum difference_by by,
                         const struct difference_thresholds *thresholds,
                         struct difference_table *table);

/// The performance difference of the two groups from the top down: the time in a call path and all
/// below it, and, only where that is a change, of the call paths right below. In the order of a
/// walk through the tree, of neighbours the one with the larger change first; those that one group
/// lacks are there, and compared as 0 if IS_LACK_ZERO, else not compared. Must come after all
/// difference_add(); the table's rows belong to DIFFERENCE and do not sum.
void difference_descend(struct difference *difference,
                        const struct difference_thresholds *thresholds, bool is_lack_zero,
                        struct difference_table *table);

/// Of values that do not add up: those that changed, the largest change first. The length of a run
/// is its value of the whole; the table's rows belong to DIFFERENCE.
void difference_of_each(struct difference *difference,
                        const struct difference_thresholds *thresholds,
                        struct difference_table *table);

void difference_table_release(struct difference_table *table);

/// Two-sided probability that means of normal values without a difference are as far apart as
/// those of A and B: the t test of unequal variances (Welch, Biometrika 34, 1947). A group of one
/// value is taken as a further measurement of the other group. 1 when nothing differs, 0 when the
/// groups differ and neither scatters, NAN when no group has two values.
double significance_of_difference(const double *a, size_t n_a, const double *b, size_t n_b);

/// Half the width of the confidence interval of the difference of the means, at the level
/// 1 - ALPHA; NAN when no group has two values.
double significance_half_width(const double *a, size_t n_a, const double *b, size_t n_b,
                               double alpha);

/// Whether a row is a change for the worse.
bool difference_is_worse(const struct difference_row *row);

/// What kind of time a row is: the wait state's name, "no wait", "not recorded", or
/// "parallel threads": what threads of one rank recorded at the same time, taken off again.
const char *difference_kind(const struct difference_row *row);

// --- stored_difference.c
// The difference of two groups of stored trials: of their run time, and of other metrics.

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

/// Reads the trials of CHOICE into RUNS, which is zeroed. 0, or -1 and ERR; RUNS is to be released
/// in either case.
int difference_runs_read(struct database *database, const struct difference_choice *choice,
                         struct difference_runs *runs, struct error *err);
void difference_runs_release(struct difference_runs *runs);

/// A finding in the runs of one group.
struct finding_side {
    char *place, *ranks;  // of the first run that has it: "solve (solve.c:56)", "0-3,8"; NULL: none
    bool has_other_ranks; // in a further run
    size_t n_runs;        // that have it
};

enum finding_state { FINDING_NEW, FINDING_GONE, FINDING_CHANGED, FINDING_SAME };
extern const char *const finding_state_names[];

/// A finding in A, B or both (finding_changes.c).
struct finding_change {
    char *kind, *name;
    char *key; // its place without lines of the source
    struct finding_side sides[2];
    double *run_ns;           // by run: its loss per rank
    double a_ns, b_ns;        // the means
    double p;                 // as in struct difference_row, not corrected
    enum finding_state state; // changed: by more than the thresholds, or other ranks cause it
};

/// The largest change first.
struct finding_changes {
    struct finding_change *items;
    size_t n;
    bool is_unsearched[2]; // by group: it has a run without a search (imported); nothing compared
};

/// Whether findings were searched for in all runs, and so compared.
static inline bool finding_changes_are_known(const struct finding_changes *changes)
{
    return !changes->is_unsearched[DIFFERENCE_A] && !changes->is_unsearched[DIFFERENCE_B];
}

/// Reads and compares the findings of RUNS into CHANGES, which is zeroed. 0, or -1 and ERR; the
/// caller releases in either case.
int finding_changes_read(struct database *database, const struct difference_runs *runs,
                         const struct difference_thresholds *thresholds,
                         struct finding_changes *changes, struct error *err);
void finding_changes_release(struct finding_changes *changes);

/// What a report about the difference of run times is made from.
struct difference_page {
    const char *database; // NULL: none
    struct difference_runs runs;
    struct difference_thresholds thresholds;
    struct difference_table tables[N_DIFFERENCE_BY];
    struct difference_table top_down; // see difference_descend()
    struct difference *difference;    // which the tables refer to
    struct finding_changes findings;
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
/// Of a metric that does not add up, such as a ratio, all parts that changed. Rows and totals have
/// values of the metric in their fields called _ns.
struct metric_difference {
    const char *database; // NULL: none
    char *metric, *unit;
    bool adds_up;
    struct difference_runs runs;
    struct difference_thresholds thresholds;
    struct metric_hierarchy {
        const char *name; // "Code"
        struct difference *difference;
        struct difference_table table; // of difference_descend(), or difference_of_each()
    } hierarchies[N_QUERY_BY];         // those in which it has values
    size_t n_hierarchies;
    struct difference_row total;
};

/// Reads and compares METRIC of stored trials. 0, or -1 and ERR: unknown metric, one that adds up
/// over processes only, no value at all. DIFFERENCE is to be released in either case.
int metric_difference_read(struct database *database, const struct difference_choice *choice,
                           const char *metric, struct metric_difference *difference,
                           struct error *err);
void metric_difference_release(struct metric_difference *difference);

// --- trial_trees.c
// The call trees of stored trials side by side, with the times that difference_descend() compares
// of any two of them.

#define TRIAL_TREES_ROOT SIZE_MAX

struct trial_trees {
    int64_t *ids;
    size_t n_trials;
    char **paths;    // that take a thousandth of a trial's run time, above before below
    size_t *parents; // of each the path it is below, or TRIAL_TREES_ROOT
    size_t n_paths;
    double *ns; // [trial][path]: per rank, all below included; NAN: the trial does not have it
};

/// Reads the trials whose numbers stand in TREES, which has nothing else and is to be released in
/// either case. 0, or -1 and ERR.
int trial_trees_read(struct database *database, struct trial_trees *trees, struct error *err);
void trial_trees_release(struct trial_trees *trees);
