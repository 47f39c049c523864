// SPDX-License-Identifier: BSD-3-Clause
// Stores a result: names it, writes its row with all that describes the run, then its values
// (store_values.c), in one immediate transaction.
#include "db/store.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/base/memory.h"
#include "db/database.h"
#include "db/focus.h"
#include "db/writer.h"

#ifndef PAGODA_VERSION
#define PAGODA_VERSION "0.0.0"
#endif

static bool is_given(const char *text)
{
    return text && text[0];
}

/// What the trace is called: its directory for an anchor file, which is mostly "traces.otf2".
static char *trace_name(const char *trace_path)
{
    char *path = memory_copy_text(trace_path);
    size_t length = strlen(path);
    static const char anchor[] = ".otf2";
    char *slash = strrchr(path, '/');
    if (slash && slash[1] && length >= strlen(anchor) &&
        !strcmp(path + length - strlen(anchor), anchor))
        *slash = '\0';
    length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    slash = strrchr(path, '/');
    char *name = memory_copy_text(slash && slash[1] ? slash + 1 : path);
    free(path);
    return name;
}

/// Unix time in ns as "2026-11-21T05:52:28Z"; empty for 0.
static void format_time(uint64_t realtime_ns, char *text, size_t size)
{
    time_t seconds = (time_t)(realtime_ns / 1000000000);
    struct tm utc;
    text[0] = '\0';
    if (realtime_ns && gmtime_r(&seconds, &utc))
        strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/// The names of a run after all defaults.
struct full_names {
    char *application, *experiment, *trial, *trace_path;
    bool is_trial_given;
    char started_at[40];
};

static char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return memory_copy_text(slash && slash[1] ? slash + 1 : path);
}

static void full_names_init(struct full_names *full, const struct result *result,
                            const struct store_names *names)
{
    *full = (struct full_names){.is_trial_given = is_given(names->trial)};
    const char *given_path = result->trace_path ? result->trace_path : "";
    char *absolute = given_path[0] ? realpath(given_path, NULL) : NULL;
    full->trace_path = absolute ? absolute : memory_copy_text(given_path);
    format_time(result->realtime_ns, full->started_at, sizeof full->started_at);
    char *trace = full->trace_path[0] ? trace_name(full->trace_path) : memory_copy_text("trial");
    full->application = is_given(names->application) ? memory_copy_text(names->application)
                        : is_given(result->program)  ? base_name(result->program)
                                                     : memory_copy_text(trace);
    full->experiment =
        memory_copy_text(is_given(names->experiment) ? names->experiment : "default");
    full->trial = full->is_trial_given  ? memory_copy_text(names->trial)
                  : full->started_at[0] ? memory_format("%s-%s", trace, full->started_at)
                                        : memory_copy_text(trace);
    if (is_given(names->suffix)) {
        char *with_suffix = memory_format("%s: %s", full->trial, names->suffix);
        free(full->trial);
        full->trial = with_suffix;
    }
    free(trace);
}

static void full_names_release(struct full_names *full)
{
    free(full->application);
    free(full->experiment);
    free(full->trial);
    free(full->trace_path);
}

/// Runs INSERT (may be NULL), then SELECT, both with the parameters ?1 (PARENT) and ?2 (NAME), and
/// gives the number SELECT finds; *ID stays when it finds nothing. 0, or -1 and ERR.
static int add_and_find(struct database *database, const char *insert, const char *select,
                        int64_t parent, const char *name, int64_t *id, struct error *err)
{
    const char *texts[] = {insert, select};
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *statement;
        if (!texts[i])
            continue;
        if (database_prepare(database, &statement, texts[i], err))
            return -1;
        sqlite3_bind_int64(statement, 1, parent);
        writer_bind_text(statement, 2, name);
        int row = database_step(database, statement, err);
        if (row == 1)
            *id = sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
        if (row < 0)
            return -1;
    }
    return 0;
}

/// Finds a name that the experiment does not have yet: the default one, or with "-2", "-3", ... A
/// name that was given is taken or refused.
static int choose_trial_name(struct database *database, int64_t experiment,
                             struct full_names *names, struct error *err)
{
    static const char select[] = "SELECT id FROM trial WHERE experiment_id = ?1 AND name = ?2";
    char *wish = memory_copy_text(names->trial);
    int status = 0;
    for (unsigned number = 2;; number++) {
        int64_t taken = 0;
        status = add_and_find(database, NULL, select, experiment, names->trial, &taken, err);
        if (status || !taken)
            break;
        if (names->is_trial_given) {
            status = error_set(err,
                               "%s has a trial \"%s\" already in the experiment \"%s\" of \"%s\": "
                               "give the new one another name, or remove the old one first",
                               database->path, names->trial, names->experiment, names->application);
            break;
        }
        free(names->trial);
        names->trial = memory_format("%s-%u", wish, number);
    }
    free(wish);
    return status;
}

static int add_trial(struct database *database, const struct result *result,
                     const struct store_names *names, struct full_names *full, int64_t *trial,
                     struct error *err)
{
    int64_t experiment = 0;
    if (writer_experiment_id(database, full->application, full->experiment, &experiment, err) ||
        choose_trial_name(database, experiment, full, err))
        return -1;
    sqlite3_stmt *add;
    if (database_prepare(
            database, &add,
            "INSERT INTO trial (experiment_id, name, origin, program, trace_path, started_at, "
            "stored_at, n_ranks, n_nodes, n_locations, n_events, n_messages, n_collectives, "
            "n_clock_violations, has_unreadable_records, time_ns, headline, conclusion) VALUES "
            "(?1, ?2, ?3, "
            "?4, ?5, nullif(?6, ''), strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?7, ?8, ?9, ?10, ?11, "
            "?12, ?13, ?14, ?15, ?16, ?17)",
            err))
        return -1;
    const char *texts[] = {full->trial, is_given(names->origin) ? names->origin : "measured",
                           result->program, full->trace_path, full->started_at};
    const uint64_t counts[] = {result->n_ranks,
                               result->n_nodes,
                               result->n_locations,
                               result->n_events,
                               result->n_messages,
                               result->n_collectives,
                               result->n_clock_violations,
                               result->has_unreadable_records,
                               result->time_ns};
    int position = 1;
    sqlite3_bind_int64(add, position++, experiment);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        writer_bind_text(add, position++, texts[i]);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        writer_bind_count(add, position++, counts[i]);
    writer_bind_text(add, position++, result->headline);
    writer_bind_text(add, position, result->conclusion);
    int status = database_execute(database, add, err);
    *trial = sqlite3_last_insert_rowid(database->handle);
    sqlite3_finalize(add);
    return status;
}

/// A row of texts and numbers for one of the tables that describe a trial.
struct description {
    int64_t trial;
    sqlite3_stmt *statement;
    struct database *database;
    struct error *err;
};

/// Cuts ":problem", ":machine" or ":free" off VALUE (to be freed); NULL when there is none of them.
static const char *cut_role(char *value)
{
    static const char *const roles[] = {"machine", "problem", "free"};
    char *colon = strrchr(value, ':');
    for (size_t i = 0; colon && i < sizeof roles / sizeof roles[0]; i++)
        if (!strcmp(colon + 1, roles[i])) {
            *colon = '\0';
            return strcmp(roles[i], "free") ? roles[i] : NULL;
        }
    return NULL;
}

static int describe(struct description *to, const char *kind, const struct result_named *named,
                    size_t n_named)
{
    for (size_t i = 0; i < n_named; i++) {
        sqlite3_bind_int64(to->statement, 1, to->trial);
        writer_bind_text(to->statement, 2, kind);
        writer_bind_text(to->statement, 3, named[i].name);
        char *value = memory_copy_text(named[i].value);
        const char *role = strcmp(kind, "parameter") ? NULL : cut_role(value);
        writer_bind_text(to->statement, 4, value);
        sqlite3_bind_text(to->statement, 5, role, -1, SQLITE_STATIC);
        free(value);
        if (database_execute(to->database, to->statement, to->err))
            return -1;
    }
    return 0;
}

/// Archives name versions as they like: PAGODA::MPI_VERSION, Git revision, ...
static bool is_version(const char *name)
{
    return strcasestr(name, "version") || strcasestr(name, "revision");
}

/// Properties of the archive are versions or environment.
static int describe_properties(struct description *to, const struct result *result)
{
    for (size_t i = 0; i < result->n_properties; i++) {
        const struct result_named *property = &result->properties[i];
        if (describe(to, is_version(property->name) ? "version" : "environment", property, 1))
            return -1;
    }
    return 0;
}

static int add_attributes(struct database *database, int64_t trial, const struct result *result,
                          const struct store_names *names, struct error *err)
{
    struct description to = {.trial = trial, .database = database, .err = err};
    // A name that comes twice keeps its last value, as with a program's options.
    if (database_prepare(
            database, &to.statement,
            "INSERT OR REPLACE INTO trial_attribute (trial_id, kind, name, value, role) "
            "VALUES (?1, ?2, ?3, ?4, ?5)",
            err))
        return -1;
    char pagoda[] = "pagoda", version[] = PAGODA_VERSION, creator[] = "trace creator";
    const struct result_named versions[] = {{pagoda, version}, {creator, result->creator}};
    int status = describe(&to, "version", versions, is_given(result->creator) ? 2 : 1);
    if (status == 0)
        status = describe(&to, "parameter", names->parameters, names->n_parameters);
    if (status == 0)
        status = describe_properties(&to, result);
    if (status == 0)
        status = describe(&to, "version", names->versions, names->n_versions);
    sqlite3_finalize(to.statement);
    return status;
}

static int add_warnings(struct database *database, int64_t trial, const struct result *result,
                        struct error *err)
{
    sqlite3_stmt *add;
    if (database_prepare(database, &add, "INSERT INTO trial_warning VALUES (?1, ?2, ?3, ?4, ?5)",
                         err))
        return -1;
    int status = 0;
    for (size_t i = 0; i < result->n_warnings && status == 0; i++) {
        const struct result_warning *warning = &result->warnings[i];
        sqlite3_bind_int64(add, 1, trial);
        sqlite3_bind_int64(add, 2, (int64_t)i);
        writer_bind_text(add, 3, warning->code);
        writer_bind_count(add, 4, warning->count);
        writer_bind_text(add, 5, warning->text);
        status = database_execute(database, add, err);
    }
    sqlite3_finalize(add);
    return status;
}

static int add_hints(struct database *database, int64_t trial, const struct result *result,
                     struct error *err)
{
    sqlite3_stmt *add;
    if (database_prepare(database, &add, "INSERT INTO trial_hint VALUES (?1, ?2, ?3, ?4, ?5)", err))
        return -1;
    int status = 0;
    for (size_t i = 0; i < result->n_hints && status == 0; i++) {
        const struct result_hint *hint = &result->hints[i];
        sqlite3_bind_int64(add, 1, trial);
        sqlite3_bind_int64(add, 2, (int64_t)i);
        writer_bind_text(add, 3, hint->pattern);
        writer_bind_text(add, 4, hint->text);
        writer_bind_text(add, 5, hint->source);
        status = database_execute(database, add, err);
    }
    sqlite3_finalize(add);
    return status;
}

static int add_intervals(struct database *database, int64_t trial, const struct result *result,
                         struct error *err)
{
    sqlite3_stmt *add;
    if (database_prepare(database, &add, "INSERT INTO time_interval VALUES (?1, ?2, ?3, ?4, ?5)",
                         err))
        return -1;
    const struct {
        enum writer_interval number;
        const char *name;
        uint64_t begin_ns, end_ns;
    } intervals[] = {
        {INTERVAL_RUN, "run", 0, result->time_ns},
        {INTERVAL_WINDOW, "window", result->window_begin_ns, result->window_end_ns},
    };
    uint64_t shift_ns = result->interval.what ? result->interval.begin_ns : 0;
    int status = 0;
    for (size_t i = 0; i < sizeof intervals / sizeof intervals[0] && status == 0; i++) {
        sqlite3_bind_int64(add, 1, trial);
        sqlite3_bind_int64(add, 2, intervals[i].number);
        writer_bind_text(add, 3, intervals[i].name);
        writer_bind_count(add, 4, intervals[i].begin_ns + shift_ns);
        writer_bind_count(add, 5, intervals[i].end_ns + shift_ns);
        status = database_execute(database, add, err);
    }
    sqlite3_finalize(add);
    return status;
}

/// Which part of the run the trial is, if it is one.
static int add_run_interval(struct database *database, int64_t trial, const struct result *result,
                            struct error *err)
{
    sqlite3_stmt *add;
    if (!result->interval.what)
        return 0;
    if (database_prepare(database, &add, "INSERT INTO run_interval VALUES (?1, ?2, ?3, ?4, ?5)",
                         err))
        return -1;
    sqlite3_bind_int64(add, 1, trial);
    writer_bind_text(add, 2, result->interval.what);
    sqlite3_bind_int(add, 3, result->interval.is_phase);
    writer_bind_count(add, 4, result->interval.begin_ns);
    writer_bind_count(add, 5, result->interval.end_ns);
    int status = database_execute(database, add, err);
    sqlite3_finalize(add);
    return status;
}

/// Adds the run in the transaction that is open; *TRIAL is its number.
static int add_run(struct database *database, const struct result *result,
                   const struct store_names *names, struct full_names *full, int64_t *trial,
                   struct error *err)
{
    if (add_trial(database, result, names, full, trial, err) ||
        add_attributes(database, *trial, result, names, err) ||
        add_warnings(database, *trial, result, err) || add_hints(database, *trial, result, err) ||
        add_intervals(database, *trial, result, err) ||
        add_run_interval(database, *trial, result, err))
        return -1;
    struct writer writer;
    int status = writer_init(&writer, database, *trial, err);
    if (status == 0)
        status = store_values(&writer, result, err);
    writer_release(&writer);
    return status;
}

/// A transaction that only adds.
static int begin_adding(struct database *database, struct error *err)
{
    return database_trust_references(database, err) || database_begin(database, err) ? -1 : 0;
}

struct store_names store_names_of(const struct trial_path *path)
{
    return (struct store_names){
        .application = path->application, .experiment = path->experiment, .trial = path->trial};
}

int store_result(const char *path, const struct result *result, const struct store_names *names,
                 struct error *err)
{
    static const struct store_names no_names;
    struct database *database;
    if (database_open(&database, path, DATABASE_CREATE, err))
        return error_wrap(err, "the run was not stored");
    struct full_names full;
    int64_t trial;
    full_names_init(&full, result, names ? names : &no_names);
    int status = begin_adding(database, err);
    if (status == 0) {
        status = add_run(database, result, names ? names : &no_names, &full, &trial, err);
        if (status == 0)
            status = database_commit(database, err);
        else
            database_rollback(database);
    }
    full_names_release(&full);
    database_close(database);
    return status ? error_wrap(err, "the run was not stored") : 0;
}

// --- predictions

/// The trial of FULL's trace as it is in its experiment, not a prediction from it, the last one if
/// there are several; 0 when there is none.
static int find_measured(struct database *database, const struct full_names *full, int64_t *trial,
                         struct error *err)
{
    int64_t experiment = 0;
    *trial = 0;
    if (writer_experiment_id(database, full->application, full->experiment, &experiment, err))
        return -1;
    return add_and_find(database, NULL,
                        "SELECT max(id) FROM trial WHERE experiment_id = ?1 AND trace_path = ?2 "
                        "AND origin <> 'threshold' AND origin <> 'interval' "
                        "AND id NOT IN (SELECT trial_id FROM prediction)",
                        experiment, full->trace_path, trial, err);
}

static int keep_measured(struct database *database, const struct result *measured,
                         const struct store_names *names, int64_t *trial, struct error *err)
{
    struct full_names full;
    full_names_init(&full, measured, names);
    int status = find_measured(database, &full, trial, err);
    if (status == 0 && *trial == 0)
        status = add_run(database, measured, names, &full, trial, err);
    full_names_release(&full);
    return status;
}

static int keep_prediction(struct database *database, const struct store_prediction *prediction,
                           int64_t measured, double replay_error, struct error *err)
{
    struct full_names full;
    struct store_names names = prediction->names;
    sqlite3_stmt *add;
    int64_t trial;
    names.origin = "predicted";
    full_names_init(&full, prediction->result, &names);
    int status = add_run(database, prediction->result, &names, &full, &trial, err);
    full_names_release(&full);
    if (status ||
        database_prepare(database, &add,
                         "INSERT INTO prediction (trial_id, measured_id, change, replay_error) "
                         "VALUES (?1, ?2, ?3, ?4)",
                         err))
        return -1;
    sqlite3_bind_int64(add, 1, trial);
    sqlite3_bind_int64(add, 2, measured);
    writer_bind_text(add, 3, prediction->change);
    sqlite3_bind_double(add, 4, replay_error);
    status = database_execute(database, add, err);
    sqlite3_finalize(add);
    return status;
}

int store_predictions(const char *path, const struct result *measured,
                      const struct store_names *names, const struct store_prediction *predictions,
                      size_t n_predictions, double replay_error, struct error *err)
{
    struct database *database;
    if (database_open(&database, path, DATABASE_CREATE, err))
        return error_wrap(err, "the predictions were not stored");
    int64_t trial = 0;
    int status = begin_adding(database, err);
    if (status == 0) {
        status = keep_measured(database, measured, names, &trial, err);
        for (size_t i = 0; i < n_predictions && status == 0; i++)
            status = keep_prediction(database, &predictions[i], trial, replay_error, err);
        if (status == 0)
            status = database_commit(database, err);
        else
            database_rollback(database);
    }
    database_close(database);
    return status ? error_wrap(err, "the predictions were not stored") : 0;
}
