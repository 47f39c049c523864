// SPDX-License-Identifier: BSD-3-Clause
// Values of one metric at one focus, over trials, whole or by the parts of one hierarchy.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "db/database.h"
#include "db/focus.h"

// --- foci.c
// The foci of the database that lie within a given focus.

/// What one answer is about: a whole trial, or a part of one within the focus.
enum query_by {
    QUERY_BY_TRIAL,
    QUERY_BY_PROCESS,
    QUERY_BY_CALL_PATH,
    QUERY_BY_CODE,
    QUERY_BY_MACHINE,
    QUERY_BY_MESSAGE,
    QUERY_BY_SYNC_OBJECT,
    N_QUERY_BY,
};

struct wanted_focus {
    int64_t id, process_id;
    int64_t resource_id; // in the hierarchy of the parts, 0 for none
};

/// Which foci count, so that their values may be added (metric.adds_up_over), and the hierarchy by
/// which the answer is divided.
struct query_rule {
    bool is_exact;           // every hierarchy is exactly as selected
    bool is_call_path_exact; // the call path is
    bool is_process_exact;   // the process is
    enum query_by by;        // here any resource within the selection will do
};

struct query_foci {
    struct wanted_focus *foci; // ascending by id
    size_t n_foci;
};

/// Finds the foci within FOCUS that count under RULE. Restrictions of Machine are ignored, because
/// no stored focus has one. 0 (FOCI is to be released), or -1 and ERR.
int query_foci_find(struct database *database, const struct focus *focus,
                    const struct query_rule *rule, struct query_foci *foci, struct error *err);
void query_foci_release(struct query_foci *foci);

/// Writes SQL that holds for the paths within SELECTION, of the column `path`.
void query_write_selection(FILE *sql, const struct focus_selection *selection, bool is_exact);

/// True when SELECTION is a whole hierarchy.
bool query_is_root(const struct focus_selection *selection);

// --- query.c

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

/// The one metric that NAME names, or that its pattern matches, as query_metrics(). NULL and ERR:
/// there is none, or there are several.
struct query_metric *query_metric_named(struct database *database, const char *name,
                                        struct error *err);

/// 1: TRIAL was measured by METRIC, so that it has none of it where it has no value; 0: it was not;
/// -1 and ERR. So it is for a metric with a value in the trial, for one that all stored runs are
/// searched for (store_has_metric()), and for those of a wait state that was searched for.
int query_trial_has(struct database *database, int64_t trial, const char *metric,
                    struct error *err);

/// The names of the intervals that some trial has, by number, as rows of the letter c. NULL and
/// ERR.
char **query_intervals(struct database *database, size_t *n, struct error *err);

// --- sql.c
// Runs one SQL query of the user, which can only read.

enum sql_kind { SQL_NULL, SQL_TEXT, SQL_INTEGER, SQL_NUMBER };

struct sql_value {
    enum sql_kind kind;
    const char *text; // SQL_TEXT; of a blob its bytes in hexadecimal digits
    int64_t integer;
    double number;
};

/// Receives the answer: the names of the columns once, then each row.
struct sql_consumer {
    void (*columns)(void *user, const char *const *names, size_t n_columns);
    void (*row)(void *user, const struct sql_value *values, size_t n_columns);
    void *user;
};

/// Limits of a query, so that one without an end ends.
struct sql_limits {
    double seconds;      // of processor time
    uint64_t size_bytes; // of SQLite's memory, and of all rows
};
extern const struct sql_limits sql_default_limits;

/// Runs the one statement SQL over the database at PATH. It is opened read-only, and an authorizer
/// refuses everything but reading tables and views of this file: no writing, no attaching, no
/// pragmas. 0, or -1 and ERR: what is wrong with SQL in SQLite's words, or with the database, or
/// which of LIMITS the query exceeded.
int sql_query(const char *path, const char *sql, const struct sql_limits *limits,
              const struct sql_consumer *consumer, struct error *err);
