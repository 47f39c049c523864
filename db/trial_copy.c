// SPDX-License-Identifier: BSD-3-Clause
// INSERT ... SELECT copies the rows through SQL functions that check each value; the constraints of
// main refuse the rest.
#include "db/import.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/writer.h"

// --- checked values: SQL functions, which let NULL pass

static void refuse(sqlite3_context *context)
{
    sqlite3_result_error_code(context, SQLITE_MISMATCH);
}

/// taken_text(X)
static void take_text(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    int type = sqlite3_value_type(values[0]);
    if (type == SQLITE_TEXT)
        sqlite3_result_text(context, utf8_clean((const char *)sqlite3_value_text(values[0])), -1,
                            free);
    else if (type != SQLITE_NULL)
        refuse(context);
}

/// taken_number(X, LEAST): a finite number.
static void take_number(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    int type = sqlite3_value_type(values[0]);
    double number = sqlite3_value_double(values[0]), least = sqlite3_value_double(values[1]);
    if (type == SQLITE_NULL)
        return;
    if ((type == SQLITE_INTEGER || type == SQLITE_FLOAT) && isfinite(number) && number >= least)
        sqlite3_result_value(context, values[0]);
    else
        refuse(context);
}

/// taken_id(X, ID): ID, the number in main that stands for X.
static void take_id(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(values[1]) == SQLITE_NULL)
        refuse(context);
    else
        sqlite3_result_value(context, values[1]);
}

static int add_functions(struct trial_copy *copy)
{
    const struct {
        const char *name;
        int n_arguments;
        void (*run)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"taken_text", 1, take_text}, {"taken_number", 2, take_number}, {"taken_id", 2, take_id}};
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && code == SQLITE_OK; i++)
        code = sqlite3_create_function(copy->database->handle, functions[i].name,
                                       functions[i].n_arguments,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
                                       functions[i].run, NULL, NULL);
    return code == SQLITE_OK ? 0 : database_error(copy->database, code, copy->err);
}

// --- statements

int trial_copy_damaged(struct trial_copy *copy, const char *table)
{
    return error_set(copy->err,
                     "the database %s is damaged: its table %s is not as Pagoda makes it",
                     copy->source.path, table);
}

int trial_copy_blame(struct trial_copy *copy, const char *table, int row)
{
    int code = sqlite3_errcode(copy->database->handle) & 0xFF;
    if (row < 0 && (code == SQLITE_MISMATCH || code == SQLITE_CONSTRAINT))
        return trial_copy_damaged(copy, table);
    return row;
}

/// Runs one statement, in which ?1 and ?2 stand for numbers. 0, or -1; TABLE of source is to blame
/// for values that do not fit.
static int run(struct trial_copy *copy, const char *table, const char *sql, int64_t first,
               int64_t second)
{
    return trial_copy_blame(copy, table,
                            database_do(copy->database, copy->err, sql, "ii", first, second));
}

/// Tables of a trial: their columns, and what each holds: t text, i number that is not negative, n
/// number, v number of an interval; r m p f the number of a resource, metric, property, focus.
static const struct trial_table {
    const char *name, *columns, *kinds;
} trial_tables[] = {
    {"trial_resource", "resource_id", "r"},
    {"trial_attribute", "kind, name, value, role", "tttt"},
    {"trial_warning", "number, code, count, text", "itit"},
    {"trial_hint", "number, property, text, source", "ittt"},
    {"trial_finding",
     "number, kind, name, place, text, hint, loss_ns, share, ranks, waiting, waiting_ranks, "
     "confidence",
     "itttttintttn"},
    {"trial_remedy", "finding, number, option, value, text, predicted_ns, gain_ns", "iitttin"},
    {"trial_server",
     "rank, n_clients, n_requests, arrival_ns, arrival_deviation_ns, service_ns, "
     "service_deviation_ns, response_ns, response_deviation_ns, busy, think_ns, saturating_clients",
     "iiinnnnnnnnn"},
    {"time_interval", "number, name, begin_ns, end_ns", "itii"},
    {"trial_node", "machine_id, n_cores, n_ranks", "rii"},
    {"trial_rank", "process_id, machine_id, name, first_ns, last_ns, is_skipped", "rrtiii"},
    {"tuple", "metric_id, focus_id, interval, value", "mfvn"},
    {"trial_property",
     "property_id, is_evaluated, is_top, worst_focus_id, worst_cause_id, worst_begin_ns, "
     "worst_wait_ns",
     "piifrii"},
    {"property_instance", "property_id, focus_id, interval, severity, confidence, count, wait_ns",
     "pfvnnii"},
    {"property_search", "hierarchy, prunes, n_evaluated, n_saved", "tiii"},
    {"critical_property", "number, property, focus_id, iteration, severity, confidence", "itfinn"},
    {"run_interval", "name, is_phase, begin_ns, end_ns", "tiii"},
};
enum { N_TRIAL_TABLES = sizeof trial_tables / sizeof trial_tables[0] };

/// The row of a trial but its number, names and time of storing.
static const struct trial_table trial_row = {
    "trial",
    "origin, program, trace_path, started_at, n_ranks, n_nodes, n_locations, n_events, n_messages, "
    "n_collectives, n_clock_violations, has_unreadable_records, time_ns, headline, conclusion",
    "ttttiiiiiiiiitt"};

/// Writes the checked values of TABLE's columns.
static void put_values(const struct trial_table *table, FILE *sql)
{
    const char *column = table->columns;
    for (size_t i = 0; table->kinds[i]; i++, column += strspn(column, ", ")) {
        int length = (int)strcspn(column, ",");
        char kind = table->kinds[i];
        fputs(i ? ", " : "", sql);
        if (kind == 't')
            fprintf(sql, "taken_text(s.%.*s)", length, column);
        else if (kind == 'i' || kind == 'n')
            fprintf(sql, "taken_number(s.%.*s, %s)", length, column, kind == 'i' ? "0" : "-1e999");
        else if (kind == 'v')
            fprintf(sql,
                    "taken_id(s.%.*s, (SELECT i.number FROM main.time_interval i WHERE i.trial_id "
                    "= ?2 AND i.number = s.%.*s))",
                    length, column, length, column);
        else
            fprintf(sql,
                    "taken_id(s.%.*s, (SELECT to_id FROM temp.place WHERE kind = '%c' AND from_id "
                    "= s.%.*s))",
                    length, column, kind, length, column);
        column += length;
    }
}

/// Copies the rows of the trial ?1 in a table to the trial ?2, in the order of the copy's key.
static int copy_table(struct trial_copy *copy, const struct trial_table *table, int64_t from,
                      int64_t to)
{
    SCOPED char *text = NULL;
    size_t size;
    FILE *sql = open_memstream(&text, &size);
    // The resources of a trial are noted already where they were new here.
    fprintf(sql, "INSERT OR %s INTO main.%s (trial_id, %s) SELECT ?2, ",
            strcmp(table->kinds, "r") ? "ABORT" : "IGNORE", table->name, table->columns);
    put_values(table, sql);
    fprintf(sql, " FROM source.%s s WHERE s.trial_id = ?1 ORDER BY %s", table->name,
            strlen(table->kinds) > 2 ? "2, 3, 4" : "2");
    fclose(sql);
    return run(copy, table->name, text, from, to);
}

// --- what all trials share

/// Adds the trial's resources that are not known yet.
static int copy_resources(struct trial_copy *copy, int64_t from, int64_t to)
{
    static const char sql[] =
        "SELECT s.id, taken_text(s.path) FROM source.trial_resource t JOIN source.resource s ON "
        "s.id = t.resource_id WHERE t.trial_id = ?1 AND NOT EXISTS (SELECT 1 FROM temp.place WHERE "
        "kind = 'r' AND from_id = s.id) ORDER BY s.path";
    sqlite3_stmt *resources = database_query(copy->database, copy->err, sql, "i", from);
    struct writer writer = {copy->database, to};
    struct error why;
    const char *path;
    int64_t from_id, id, root;
    int row = 0;
    while (row >= 0 &&
           (row = database_row(copy->database, copy->err, resources, "is", &from_id, &path)) == 1) {
        if (!path || path[0] != '/' || writer_path(&writer, path, &id, &root, &why))
            row = trial_copy_damaged(copy, "resource");
        else
            row = database_do(copy->database, copy->err,
                              "INSERT OR REPLACE INTO temp.place VALUES ('r', ?1, ?2, ?3)", "iii",
                              from_id, id, root);
    }
    sqlite3_finalize(resources);
    return row;
}

/// Adds the metrics and properties of the trial ?1 that are not known yet.
static int copy_names(struct trial_copy *copy, int64_t from)
{
#define USED_METRICS                                                                               \
    "source.metric s WHERE EXISTS (SELECT 1 FROM source.tuple t WHERE t.trial_id = ?1 AND "        \
    "t.metric_id = s.id)"
#define USED_PROPERTIES                                                                            \
    "source.property s WHERE s.id IN (SELECT property_id FROM source.trial_property WHERE "        \
    "trial_id = ?1 UNION SELECT property_id FROM source.property_instance WHERE trial_id = ?1)"
    static const struct {
        const char *table, *sql;
    } steps[] = {
        {"metric", "INSERT INTO main.metric (name, unit, description, adds_up_over) SELECT "
                   "taken_text(s.name), taken_text(s.unit), taken_text(s.description), "
                   "taken_text(s.adds_up_over) FROM " USED_METRICS
                   " AND s.name NOT IN (SELECT name FROM main.metric) ORDER BY s.name"},
        {"metric", "INSERT OR REPLACE INTO temp.place SELECT 'm', s.id, (SELECT m.id FROM "
                   "main.metric m WHERE m.name = s.name), 0 FROM " USED_METRICS},
        {"property", "INSERT INTO main.property (name, parent, title, summary, diagnosis) SELECT "
                     "taken_text(s.name), taken_text(s.parent), taken_text(s.title), "
                     "taken_text(s.summary), taken_text(s.diagnosis) FROM " USED_PROPERTIES
                     " AND s.name NOT IN (SELECT name FROM main.property) ORDER BY s.name"},
        {"property", "INSERT OR REPLACE INTO temp.place SELECT 'p', s.id, (SELECT m.id FROM "
                     "main.property m WHERE m.name = s.name), 0 FROM " USED_PROPERTIES},
    };
    static const char other_sum[] =
        "SELECT m.name FROM main.metric m, " USED_METRICS
        " AND m.name = s.name AND (m.unit <> s.unit OR m.adds_up_over <> s.adds_up_over)";
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (run(copy, steps[i].table, steps[i].sql, from, 0))
            return -1;
    SCOPED char *name = NULL;
    int row = database_ask(copy->database, copy->err, other_sum, "i>t", from, &name);
    if (row == 1)
        error_set(copy->err,
                  "in %s the metric %s has another unit, or its values add up over something else",
                  copy->database->path, name);
    return row == 0 ? 0 : -1;
}

/// Adds the foci of the trial ?1 that are not known yet; each column is of its hierarchy.
static int copy_foci(struct trial_copy *copy, int64_t from)
{
#define HIERARCHIES "call_path_id, process_id, code_id, machine_id, message_id, other_id"
    static const char new_foci[] =
        "WITH placed AS (SELECT from_id, to_id, root FROM temp.place WHERE kind = 'r') "
        "INSERT INTO temp.new_focus SELECT s.id, "
        "taken_id(1, (SELECT to_id FROM placed WHERE from_id = s.call_path_id AND root = 2)), "
        "taken_id(1, (SELECT to_id FROM placed WHERE from_id = s.process_id AND root = 4)), "
        "taken_id(1, (SELECT to_id FROM placed WHERE from_id = s.code_id AND root = 1)), "
        "taken_id(1, (SELECT to_id FROM placed WHERE from_id = s.machine_id AND root = 3)), "
        "taken_id(1, (SELECT to_id FROM placed WHERE from_id = s.message_id AND root = 5)), "
        "taken_id(1, (SELECT to_id FROM placed WHERE from_id = s.other_id AND root = 0)) "
        "FROM source.focus s WHERE s.id IN (SELECT focus_id FROM source.tuple WHERE trial_id = ?1 "
        "UNION SELECT focus_id FROM source.property_instance WHERE trial_id = ?1 UNION SELECT "
        "worst_focus_id FROM source.trial_property WHERE trial_id = ?1 UNION SELECT focus_id FROM "
        "source.critical_property WHERE trial_id = ?1) AND NOT EXISTS (SELECT 1 "
        "FROM temp.place WHERE kind = 'f' AND from_id = s.id)";
    static const char *const steps[] = {
        "DELETE FROM temp.new_focus",
        new_foci,
        "INSERT OR IGNORE INTO main.focus (" HIERARCHIES ") SELECT " HIERARCHIES
        " FROM temp.new_focus ORDER BY 1, 2, 3, 4, 5, 6",
        "INSERT OR REPLACE INTO temp.place SELECT 'f', n.from_id, m.id, 0 FROM temp.new_focus n "
        "JOIN main.focus m USING (" HIERARCHIES ")",
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (run(copy, "focus", steps[i], from, 0))
            return -1;
    return 0;
}

// --- the trial

/// Copies the trial's row.
static int copy_row(struct trial_copy *copy, int64_t from, int64_t experiment, const char *name,
                    int64_t *to)
{
    SCOPED char *text = NULL;
    size_t size;
    FILE *sql = open_memstream(&text, &size);
    fprintf(sql,
            "INSERT INTO main.trial (experiment_id, name, stored_at, %s) SELECT ?2, ?3, "
            "taken_text(s.stored_at), ",
            trial_row.columns);
    put_values(&trial_row, sql);
    fprintf(sql, " FROM source.trial s WHERE s.id = ?1");
    fclose(sql);
    int status = database_do(copy->database, copy->err, text, "iis", from, experiment, name);
    *to = sqlite3_last_insert_rowid(copy->database->handle);
    return trial_copy_blame(copy, "trial", status);
}

/// Of a predicted trial what it was predicted from, if that is known here.
static int copy_prediction(struct trial_copy *copy, int64_t from, int64_t to)
{
    static const char sql[] =
        "WITH named AS (SELECT p.change, p.replay_error, coalesce(p.measured_as, a.name || '/' || "
        "e.name || '/' || t.name) AS name FROM source.prediction p LEFT JOIN source.trial t ON "
        "t.id = p.measured_id LEFT JOIN source.experiment e ON e.id = t.experiment_id LEFT JOIN "
        "source.application a ON a.id = e.application_id WHERE p.trial_id = ?1), "
        "found AS (SELECT *, (SELECT max(trial_id) FROM main.trials WHERE " TRIAL_NAME
        " = named.name) AS id FROM named) "
        "INSERT INTO main.prediction (trial_id, change, replay_error, measured_id, measured_as) "
        "SELECT ?2, taken_text(change), taken_number(replay_error, -1e999), id, CASE WHEN id IS "
        "NULL THEN taken_text(name) END FROM found";
    return run(copy, "prediction", sql, from, to);
}

int trial_copy(struct trial_copy *copy, int64_t from, int64_t experiment, const char *name,
               int64_t *to)
{
    int status = copy_row(copy, from, experiment, name, to) || copy_prediction(copy, from, *to) ||
                         copy_resources(copy, from, *to) || copy_names(copy, from) ||
                         copy_foci(copy, from)
                     ? -1
                     : 0;
    for (size_t i = 0; i < N_TRIAL_TABLES && status == 0; i++)
        status = copy_table(copy, &trial_tables[i], from, *to);
    return status;
}

/// Sets *IS_SAME: the rows of TABLE that have KEY = ?1 and KEY = ?2 agree in COLUMNS.
static int compare_table(struct trial_copy *copy, const char *table, const char *key,
                         const char *columns, int64_t first, int64_t second, bool *is_same)
{
    bool differs = false;
    SCOPED char *sql = memory_format(
        "SELECT (SELECT count(*) FROM main.%s WHERE %s = ?1) <> (SELECT count(*) FROM main.%s "
        "WHERE %s = ?2) OR EXISTS (SELECT %s FROM main.%s WHERE %s = ?1 EXCEPT SELECT %s FROM "
        "main.%s WHERE %s = ?2)",
        table, key, table, key, columns, table, key, columns, table, key);
    int row = database_ask(copy->database, copy->err, sql, "ii>b", first, second, &differs);
    *is_same = !differs;
    return row < 0 ? -1 : 0;
}

int trial_copy_compare(struct trial_copy *copy, int64_t first, int64_t second, bool *is_same)
{
    static const char prediction[] =
        "change, replay_error, coalesce(measured_as, (SELECT " TRIAL_NAME " FROM main.trials m "
        "WHERE m.trial_id = measured_id))";
    int status = compare_table(copy, "trial", "id", trial_row.columns, first, second, is_same);
    if (status == 0 && *is_same)
        status = compare_table(copy, "prediction", "trial_id", prediction, first, second, is_same);
    for (size_t i = 0; i < N_TRIAL_TABLES && status == 0 && *is_same; i++)
        status = compare_table(copy, trial_tables[i].name, "trial_id", trial_tables[i].columns,
                               first, second, is_same);
    return status;
}

/// Is source whole, and are the tables that are read tables with the columns of ours? Views and
/// virtual tables of that name would run what somebody else wrote.
static int check_source(struct trial_copy *copy)
{
    static const char *const shared[] = {
        "application", "experiment", "resource",   "focus",         "metric",
        "property",    "trial",      "prediction", "point_not_run", "point_parameter"};
    enum { N_SHARED = sizeof shared / sizeof shared[0] };
    static const char is_ours[] =
        "SELECT 1 FROM source.sqlite_master s, main.sqlite_master m WHERE s.name = ?1 AND "
        "m.name = ?1 AND s.type = 'table' AND s.rootpage > 0 AND s.sql NOT LIKE 'CREATE VIRTUAL%' "
        "AND (SELECT group_concat(name || ' ' || hidden) FROM pragma_table_xinfo(?1, 'main')) = "
        "(SELECT group_concat(name || ' ' || hidden) FROM pragma_table_xinfo(?1, 'source'))";
    static const char has_roots[] =
        "SELECT 1 WHERE (SELECT count(*) FROM source.resource s JOIN main.resource m "
        "USING (id, path) WHERE id < 6) = 6";
    for (size_t i = 0; i < N_SHARED + N_TRIAL_TABLES; i++) {
        const char *name = i < N_SHARED ? shared[i] : trial_tables[i - N_SHARED].name;
        int row = database_ask(copy->database, copy->err, is_ours, "s", name);
        if (row != 1)
            return row < 0 ? -1 : trial_copy_damaged(copy, name);
    }
    int row =
        trial_copy_blame(copy, "resource", database_ask(copy->database, copy->err, has_roots, ""));
    return row == 0 ? trial_copy_damaged(copy, "resource") : row < 0 ? -1 : 0;
}

int trial_copy_prepare(struct trial_copy *copy)
{
    static const char tables[] =
        "CREATE TEMP TABLE place (kind TEXT, from_id INTEGER, to_id INTEGER NOT NULL, root "
        "INTEGER, "
        "PRIMARY KEY (kind, from_id)) WITHOUT ROWID;"
        "INSERT INTO temp.place SELECT 'r', id, id, id FROM main.resource WHERE id < 6;"
        "CREATE TEMP TABLE new_focus (from_id INTEGER PRIMARY KEY, call_path_id INTEGER NOT NULL, "
        "process_id INTEGER NOT NULL, code_id INTEGER NOT NULL, machine_id INTEGER NOT NULL, "
        "message_id INTEGER NOT NULL, other_id INTEGER NOT NULL)";
    return add_functions(copy) || database_run(copy->database, tables, copy->err) ||
                   check_source(copy)
               ? -1
               : 0;
}
