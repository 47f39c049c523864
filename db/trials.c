// SPDX-License-Identifier: BSD-3-Clause
// Reading the views of the schema into structs or, by SQLite's own functions, into JSON. Each
// reader sees one state of the database, whatever others write meanwhile.
#include "db/trials.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/log.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/database.h"

static double column_number(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(statement, column);
}

static uint64_t column_count(sqlite3_stmt *statement, int column)
{
    int64_t value = sqlite3_column_int64(statement, column);
    return value > 0 ? (uint64_t)value : 0;
}

/// Columns of a summary, from the view `trials`.
#define SUMMARY_COLUMNS                                                                            \
    "trial_id, application, experiment, trial, origin, started_at, stored_at, n_ranks, time_ns, "  \
    "parallel_efficiency"

static struct trial_summary read_summary(sqlite3_stmt *statement)
{
    return (struct trial_summary){.id = sqlite3_column_int64(statement, 0),
                                  .application = database_text(statement, 1),
                                  .experiment = database_text(statement, 2),
                                  .name = database_text(statement, 3),
                                  .origin = database_text(statement, 4),
                                  .started_at = database_text(statement, 5),
                                  .stored_at = database_text(statement, 6),
                                  .n_ranks = column_count(statement, 7),
                                  .time_ns = column_count(statement, 8),
                                  .parallel_efficiency = column_number(statement, 9)};
}

void trial_summary_release(struct trial_summary *summary)
{
    free(summary->application);
    free(summary->experiment);
    free(summary->name);
    free(summary->origin);
    free(summary->started_at);
    free(summary->stored_at);
}

void trial_list_release(struct trial_list *list)
{
    for (size_t i = 0; i < list->n_trials; i++)
        trial_summary_release(&list->trials[i]);
    free(list->trials);
    *list = (struct trial_list){0};
}

int trial_summary_read(struct database *database, int64_t id, struct trial_summary *summary,
                       struct error *err)
{
    sqlite3_stmt *statement;
    if (database_prepare(database, &statement,
                         "SELECT " SUMMARY_COLUMNS " FROM trials WHERE trial_id = ?1", err))
        return -1;
    sqlite3_bind_int64(statement, 1, id);
    int row = database_step(database, statement, err);
    if (row == 1)
        *summary = read_summary(statement);
    sqlite3_finalize(statement);
    if (row == 0)
        error_set(err, "%s has no trial %" PRId64, database->path, id);
    return row == 1 ? 0 : -1;
}

int trial_attribute_read(struct database *database, int64_t id, const char *name, char **value,
                         struct error *err)
{
    sqlite3_stmt *statement;
    *value = NULL;
    if (database_prepare(database, &statement,
                         "SELECT value FROM trial_attribute WHERE trial_id = ?1 AND name = ?2 "
                         "ORDER BY kind = 'environment', kind = 'version' LIMIT 1",
                         err))
        return -1;
    sqlite3_bind_int64(statement, 1, id);
    sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
    int row = database_step(database, statement, err);
    if (row == 1)
        *value = database_text(statement, 0);
    sqlite3_finalize(statement);
    return row < 0 ? -1 : 0;
}

void trial_list_add(struct trial_list *list, struct trial_summary summary)
{
    list->trials =
        array_reserve(list->trials, &list->capacity, list->n_trials + 1, sizeof *list->trials);
    list->trials[list->n_trials++] = summary;
}

/// Opens PATH for reading one state of it.
static int open_for_reading(struct database **database, const char *path, struct error *err)
{
    if (database_open(database, path, DATABASE_READ, err))
        return -1;
    if (database_run(*database, "BEGIN", err) == 0)
        return 0;
    database_close(*database);
    *database = NULL;
    return -1;
}

#define FILTER_CONDITION                                                                           \
    "(?1 IS NULL OR application = ?1) AND (?2 IS NULL OR experiment = ?2) ORDER BY trial_id"

static void bind_filter(sqlite3_stmt *statement, const struct trial_filter *filter)
{
    sqlite3_bind_text(statement, 1, filter->application, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, filter->experiment, -1, SQLITE_STATIC);
}

int trials_read(const char *path, const struct trial_filter *filter, struct trial_list *list,
                struct error *err)
{
    *list = (struct trial_list){0};
    struct database *database;
    sqlite3_stmt *statement = NULL;
    if (open_for_reading(&database, path, err))
        return -1;
    int row =
        database_prepare(database, &statement,
                         "SELECT " SUMMARY_COLUMNS " FROM trials WHERE " FILTER_CONDITION, err);
    if (row == 0) {
        bind_filter(statement, filter);
        while ((row = database_step(database, statement, err)) == 1)
            trial_list_add(list, read_summary(statement));
    }
    sqlite3_finalize(statement);
    database_close(database);
    if (row < 0)
        trial_list_release(list);
    return row;
}

#define SUMMARY_JSON                                                                               \
    "'id', trial_id, 'application', application, 'experiment', experiment, 'trial', trial, "       \
    "'origin', origin, 'started_at', started_at, 'stored_at', stored_at, 'ranks', n_ranks, "       \
    "'nodes', n_nodes, 'time_ns', time_ns, 'parallel_efficiency', parallel_efficiency, "           \
    "'trace', trace_path"

/// The text of a query's single value; the caller frees.
static int read_text(struct database *database, sqlite3_stmt *statement, char **text,
                     struct error *err)
{
    int row = database_step(database, statement, err);
    if (row == 1)
        *text = memory_copy_text((const char *)sqlite3_column_text(statement, 0));
    return row == 1 ? 0 : -1;
}

int trials_read_json(const char *path, const struct trial_filter *filter, char **json,
                     struct error *err)
{
    static const char sql[] =
        "SELECT json_object('schema', 1, 'database', ?3, 'trials', json_group_array(json(row)), "
        "'points_not_run', (SELECT json_group_array(json_object('application', application, "
        "'experiment', experiment, 'point', point, 'state', state, 'reason', reason)) FROM "
        "(SELECT * FROM points_not_run WHERE (?1 IS NULL OR application = ?1) AND (?2 IS NULL OR "
        "experiment = ?2) ORDER BY application, experiment, point))) "
        "FROM (SELECT json_object(" SUMMARY_JSON ") AS row FROM trials "
        "WHERE " FILTER_CONDITION ")";
    struct database *database;
    sqlite3_stmt *statement = NULL;
    if (open_for_reading(&database, path, err))
        return -1;
    int status = database_prepare(database, &statement, sql, err);
    if (status == 0) {
        bind_filter(statement, filter);
        sqlite3_bind_text(statement, 3, utf8_clean(path), -1, free);
        status = read_text(database, statement, json, err);
    }
    sqlite3_finalize(statement);
    database_close(database);
    return status;
}

/// A number in full, or -1.
static int64_t trial_number(const char *text)
{
    char *end;
    errno = 0;
    long long number = text[0] >= '0' && text[0] <= '9' ? strtoll(text, &end, 10) : -1;
    return number >= 0 && !*end && errno == 0 ? number : -1;
}

static int unknown_trial(struct database *database, const char *selector, struct error *err)
{
    sqlite3_stmt *statement;
    const char **names = NULL;
    size_t n_names = 0, capacity = 0;
    if (database_prepare(database, &statement, "SELECT DISTINCT name FROM trial ORDER BY name",
                         err))
        return -1;
    int row;
    while ((row = database_step(database, statement, err)) == 1) {
        names = array_reserve(names, &capacity, n_names + 1, sizeof *names);
        names[n_names++] = database_text(statement, 0);
    }
    sqlite3_finalize(statement);
    const char *nearest = row == 0 ? spelling_nearest(selector, names, n_names) : NULL;
    if (nearest)
        error_set(err, "%s has no trial \"%s\"; did you mean \"%s\"?", database->path, selector,
                  nearest);
    else if (row == 0)
        error_set(err, "%s has no trial \"%s\" (`pagoda store list` shows them)", database->path,
                  selector);
    for (size_t i = 0; i < n_names; i++)
        free((char *)names[i]);
    free(names);
    return -1;
}

int trials_find(struct database *database, const char *selector, int64_t *id, struct error *err)
{
    static const char by_name[] =
        "SELECT trial_id FROM trials WHERE trial = ?1 OR experiment || '/' || trial = ?1 "
        "OR application || '/' || experiment || '/' || trial = ?1 ORDER BY trial_id LIMIT 2";
    static const char by_number[] = "SELECT id FROM trial WHERE id = ?2";
    int64_t found[2];
    int n_found = 0;
    for (int pass = 0; pass < 2 && n_found == 0; pass++) {
        sqlite3_stmt *statement;
        if (database_prepare(database, &statement, pass ? by_number : by_name, err))
            return -1;
        sqlite3_bind_text(statement, 1, selector, -1, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 2, trial_number(selector));
        int row;
        while ((row = database_step(database, statement, err)) == 1)
            found[n_found++] = sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
        if (row < 0)
            return -1;
    }
    if (n_found == 0)
        return unknown_trial(database, selector, err);
    if (n_found > 1)
        return error_set(err,
                         "%s has more than one trial \"%s\", numbers %" PRId64 " and %" PRId64
                         " among them: give the number or EXPERIMENT/TRIAL",
                         database->path, selector, found[0], found[1]);
    *id = found[0];
    return 0;
}

static void rows_release(struct trial_rows *rows)
{
    for (size_t i = 0; i < rows->n_rows; i++) {
        free(rows->rows[i].name);
        free(rows->rows[i].group);
        free(rows->rows[i].text);
    }
    free(rows->rows);
}

/// For database_rows_of(): the columns of ROW are those of struct trial_row in order.
static void take_row(sqlite3_stmt *row, void *user)
{
    struct trial_rows *rows = user;
    rows->rows = array_reserve(rows->rows, &rows->capacity, rows->n_rows + 1, sizeof *rows->rows);
    rows->rows[rows->n_rows++] = (struct trial_row){.name = database_text(row, 0),
                                                    .group = database_text(row, 1),
                                                    .text = database_text(row, 2),
                                                    .value = column_number(row, 3),
                                                    .count = column_count(row, 4),
                                                    .time_ns = column_count(row, 5),
                                                    .exclusive_ns = column_count(row, 6),
                                                    .severity = column_number(row, 7),
                                                    .confidence = column_number(row, 8)};
}

static int read_facts(struct database *database, int64_t trial, struct trial_details *details,
                      struct error *err)
{
    sqlite3_stmt *statement;
    if (database_prepare(
            database, &statement,
            "SELECT " SUMMARY_COLUMNS ", t.trace_path, program, conclusion, t.n_nodes, "
            "n_locations, n_events, n_messages, n_collectives, "
            "(SELECT count(*) FROM tuple WHERE tuple.trial_id = t.id), p.change, p.measured_trial, "
            "p.measured_ns, p.replay_error, i.interval, i.run, i.begin_ns, i.end_ns, "
            "(SELECT time_ns FROM trial r WHERE r.id = i.run_id) "
            "FROM (SELECT " SUMMARY_COLUMNS " FROM trials) JOIN (SELECT id, trace_path, "
            "program, conclusion, n_nodes, n_locations, n_events, n_messages, "
            "n_collectives FROM trial) t ON t.id = trial_id LEFT JOIN (SELECT trial_id AS "
            "predicted_id, change, measured_trial, measured_ns, replay_error FROM predictions) p "
            "ON p.predicted_id = t.id LEFT JOIN (SELECT trial_id AS interval_id, interval, run, "
            "run_id, begin_ns, end_ns FROM intervals) i ON i.interval_id = t.id "
            "WHERE trial_id = ?1",
            err))
        return -1;
    sqlite3_bind_int64(statement, 1, trial);
    int row = database_step(database, statement, err);
    if (row == 1) {
        details->summary = read_summary(statement);
        details->trace_path = database_text(statement, 10);
        details->program = database_text(statement, 11);
        details->conclusion = database_text(statement, 12);
        details->n_nodes = column_count(statement, 13);
        details->n_locations = column_count(statement, 14);
        details->n_events = column_count(statement, 15);
        details->n_messages = column_count(statement, 16);
        details->n_collectives = column_count(statement, 17);
        details->n_tuples = column_count(statement, 18);
        details->change = database_text(statement, 19);
        details->measured_trial = database_text(statement, 20);
        details->measured_ns = column_count(statement, 21);
        details->replay_error = column_number(statement, 22);
        details->interval = database_text(statement, 23);
        details->interval_run = database_text(statement, 24);
        details->interval_begin_ns = column_count(statement, 25);
        details->interval_end_ns = column_count(statement, 26);
        details->interval_run_ns = column_count(statement, 27);
    }
    sqlite3_finalize(statement);
    return row < 0 ? -1 : 0;
}

static int read_details(struct database *database, int64_t trial, struct trial_details *details,
                        struct error *err)
{
    const struct {
        struct trial_rows *rows;
        const char *sql;
    } tables[] = {
        {&details->attributes, "SELECT name, CASE WHEN role IS NULL THEN kind ELSE role || ' ' "
                               "|| kind END, value, NULL, 0, 0, 0, NULL, NULL FROM "
                               "trial_attribute WHERE trial_id = ?1 ORDER BY kind, name"},
        {&details->metrics, "SELECT name, unit, '', value, 0, 0, 0, NULL, NULL FROM tuple JOIN "
                            "metric ON id = metric_id WHERE trial_id = ?1 AND focus_id = 0 "
                            "ORDER BY name <> 'time_ns', name <> 'parallel_efficiency', name"},
        {&details->properties, "SELECT property, title, '', is_top, count, wait_ns, 0, severity, "
                               "confidence FROM wait_states WHERE trial_id = ?1 "
                               "ORDER BY severity DESC, property"},
        {&details->regions, "SELECT region, file, '', NULL, visits, inclusive_ns, exclusive_ns, "
                            "NULL, NULL FROM profile_by_region WHERE trial_id = ?1 "
                            "ORDER BY exclusive_ns DESC, region"},
        {&details->warnings, "SELECT code, '', text, NULL, count, 0, 0, NULL, NULL FROM "
                             "trial_warning WHERE trial_id = ?1 ORDER BY number"},
    };
    if (read_facts(database, trial, details, err))
        return -1;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (database_rows_of(database, tables[i].sql, trial, take_row, tables[i].rows, err))
            return -1;
    return 0;
}

void trial_details_release(struct trial_details *details)
{
    trial_summary_release(&details->summary);
    free(details->trace_path);
    free(details->program);
    free(details->conclusion);
    free(details->change);
    free(details->measured_trial);
    free(details->interval);
    free(details->interval_run);
    rows_release(&details->attributes);
    rows_release(&details->metrics);
    rows_release(&details->properties);
    rows_release(&details->regions);
    rows_release(&details->warnings);
    *details = (struct trial_details){0};
}

int trial_read(const char *path, const char *selector, struct trial_details *details,
               struct error *err)
{
    *details = (struct trial_details){0};
    struct database *database;
    int64_t trial;
    if (open_for_reading(&database, path, err))
        return -1;
    int status = trials_find(database, selector, &trial, err);
    if (status == 0)
        status = read_details(database, trial, details, err);
    database_close(database);
    if (status)
        trial_details_release(details);
    return status;
}

int trial_read_json(const char *path, const char *selector, char **json, struct error *err)
{
    static const char sql[] =
        "SELECT json_object('schema', 1, 'database', ?2, " SUMMARY_JSON
        ", 'attributes', (SELECT json_group_array(json_object('kind', kind, 'name', name, 'value', "
        "value, 'role', role)) FROM (SELECT * FROM trial_attribute WHERE trial_id = ?1 ORDER BY "
        "kind, name))"
        ", 'metrics', (SELECT json_group_array(json_object('metric', name, 'unit', unit, 'value', "
        "value)) FROM (SELECT * FROM tuple JOIN metric ON id = metric_id WHERE trial_id = ?1 AND "
        "focus_id = 0 ORDER BY name <> 'time_ns', name <> 'parallel_efficiency', name))"
        ", 'wait_states', (SELECT json_group_array(json_object('property', property, 'count', "
        "count, 'wait_ns', wait_ns, 'severity', severity, 'confidence', confidence, 'is_top', "
        "json(CASE is_top WHEN 1 THEN 'true' ELSE 'false' END))) FROM (SELECT * FROM wait_states "
        "WHERE trial_id = ?1 ORDER BY severity DESC, property))"
        ", 'regions', (SELECT json_group_array(json_object('region', region, 'file', file, "
        "'visits', visits, 'inclusive_ns', inclusive_ns, 'exclusive_ns', exclusive_ns)) FROM "
        "(SELECT * FROM profile_by_region WHERE trial_id = ?1 ORDER BY exclusive_ns DESC, region))"
        ", 'warnings', (SELECT json_group_array(json_object('code', code, 'count', count, 'text', "
        "text)) FROM (SELECT * FROM trial_warning WHERE trial_id = ?1 ORDER BY number))"
        ", 'conclusion', (SELECT conclusion FROM trial WHERE id = ?1)"
        ", 'prediction', json((SELECT json_object('change', change, 'measured_id', measured_id, "
        "'measured_trial', measured_trial, 'measured_ns', measured_ns, 'replay_error', "
        "replay_error) FROM predictions WHERE trial_id = ?1))"
        ", 'interval', json((SELECT json_object('name', interval, 'is_phase', json(CASE is_phase "
        "WHEN 1 THEN 'true' ELSE 'false' END), 'begin_ns', begin_ns, 'end_ns', end_ns, 'run_id', "
        "run_id, 'run', run, 'share_of_run', share_of_run) FROM intervals WHERE trial_id = ?1)))"
        " FROM trials WHERE trial_id = ?1";
    struct database *database;
    sqlite3_stmt *statement = NULL;
    int64_t trial = 0;
    if (open_for_reading(&database, path, err))
        return -1;
    int status = trials_find(database, selector, &trial, err);
    if (status == 0)
        status = database_prepare(database, &statement, sql, err);
    if (status == 0) {
        sqlite3_bind_int64(statement, 1, trial);
        sqlite3_bind_text(statement, 2, utf8_clean(path), -1, free);
        status = read_text(database, statement, json, err);
    }
    sqlite3_finalize(statement);
    database_close(database);
    return status;
}

static void warn_of_row(struct sqlite3_stmt *row, void *user)
{
    (void)user;
    char *name = database_text(row, 0), *text = database_text(row, 1);
    char *code = database_text(row, 2);
    log_warning("%s: %s [%s]", name, text, code);
    free(name);
    free(text);
    free(code);
}

int damage_warn_of_trial(struct database *database, int64_t trial, struct error *err)
{
    return database_rows_of(
        database,
        "SELECT name, text, code FROM trial JOIN trial_warning ON trial_id = id "
        "WHERE id = ?1 AND has_unreadable_records AND code IN ('bad-reference', "
        "'location-cut', 'location-skipped', 'unknown-record') ORDER BY number",
        trial, warn_of_row, NULL, err);
}
