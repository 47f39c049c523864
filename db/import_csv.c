// SPDX-License-Identifier: BSD-3-Clause
// Fills a database in memory from CSV (see import.h).
#include "db/import.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/csv.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/database.h"
#include "db/focus.h"
#include "db/writer.h"

static const char parameter_prefix[] = "parameter:";

enum column {
    COLUMN_APPLICATION,
    COLUMN_EXPERIMENT,
    COLUMN_TRIAL,
    COLUMN_ORIGIN,
    COLUMN_STARTED_AT,
    COLUMN_N_RANKS,
    COLUMN_METRIC,
    COLUMN_UNIT,
    COLUMN_ADDS_UP_OVER,
    COLUMN_INTERVAL,
    COLUMN_FOCUS,
    COLUMN_VALUE,
    N_COLUMNS,
    COLUMN_PARAMETER,
};

static const char *const column_names[N_COLUMNS] = {
    "application", "experiment", "trial",        "origin",   "started_at", "n_ranks",
    "metric",      "unit",       "adds_up_over", "interval", "focus",      "value"};

struct conversion {
    struct csv_reader reader;
    struct database *database; // in memory
    struct writer writer;
    enum column *columns; // by field
    char **titles;
    size_t n_columns;
    const char *defaults[N_COLUMNS];
    struct error *err;
};

/// Says what each field of a line is.
static int read_titles(struct conversion *c)
{
    int row = csv_next(&c->reader, c->err);
    bool has_metric = false, has_value = false;
    if (row <= 0)
        return row < 0 ? -1 : error_set(c->err, "%s is empty", c->reader.name);
    c->n_columns = c->reader.n_fields;
    c->columns = memory_zeroed(c->n_columns, sizeof *c->columns);
    c->titles = memory_zeroed(c->n_columns, sizeof *c->titles);
    for (size_t i = 0; i < c->n_columns; i++) {
        const char *title = c->reader.fields[i];
        bool is_parameter = !strncmp(title, parameter_prefix, sizeof parameter_prefix - 1);
        c->titles[i] = utf8_clean(is_parameter ? title + sizeof parameter_prefix - 1 : title);
        c->columns[i] = is_parameter ? COLUMN_PARAMETER : FIND_TEXT(column_names, N_COLUMNS, title);
        if (c->columns[i] == N_COLUMNS)
            return csv_error(&c->reader, c->err,
                             "there is no column \"%s\" (parameters are called parameter:%s)",
                             c->titles[i], c->titles[i]);
        has_metric |= c->columns[i] == COLUMN_METRIC;
        has_value |= c->columns[i] == COLUMN_VALUE;
    }
    if (has_metric && has_value)
        return 0;
    return csv_error(&c->reader, c->err, "the first line has no column \"%s\"",
                     has_metric ? "value" : "metric");
}

/// The present line's field of that kind, or the default.
static const char *field_of(const struct conversion *c, enum column column)
{
    for (size_t i = 0; i < c->n_columns; i++)
        if (c->columns[i] == column && c->reader.fields[i][0])
            return c->reader.fields[i];
    return c->defaults[column];
}

/// Makes the line's trial the one that the writer fills.
static int choose_trial(struct conversion *c)
{
    const char *application = field_of(c, COLUMN_APPLICATION);
    const char *experiment = field_of(c, COLUMN_EXPERIMENT), *trial = field_of(c, COLUMN_TRIAL);
    int64_t id;
    if (writer_experiment_id(c->database, application, experiment, &id, c->err))
        return -1;
    int row = database_ask(c->database, c->err,
                           "SELECT id FROM trial WHERE experiment_id = ?1 AND name = ?2", "it>i",
                           id, trial, &c->writer.trial_id);
    if (row == 0) {
        if (database_do(c->database, c->err,
                        "INSERT INTO trial (experiment_id, name, origin, started_at, stored_at, "
                        "n_ranks, n_nodes, n_locations, n_events, n_messages, n_collectives, "
                        "n_clock_violations, has_unreadable_records, time_ns) VALUES (?1, ?2, ?3, "
                        "nullif(?4, ''), strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?5, 0, ?5, 0, 0, "
                        "0, 0, 0, 0)",
                        "ittti", id, trial, field_of(c, COLUMN_ORIGIN),
                        field_of(c, COLUMN_STARTED_AT),
                        (int64_t)strtoll(field_of(c, COLUMN_N_RANKS), NULL, 10)))
            return csv_error(&c->reader, c->err,
                             "the origin is not measured, predicted, threshold or interval");
        c->writer.trial_id = sqlite3_last_insert_rowid(c->database->handle);
    }
    for (size_t i = 0; i < c->n_columns && row >= 0; i++)
        if (c->columns[i] == COLUMN_PARAMETER && c->reader.fields[i][0])
            row = database_do(c->database, c->err,
                              "INSERT OR REPLACE INTO trial_attribute (trial_id, kind, name, "
                              "value) VALUES (?1, 'parameter', ?2, ?3)",
                              "itt", c->writer.trial_id, c->titles[i], c->reader.fields[i]);
    return row < 0 ? -1 : 0;
}

static int add_focus(struct conversion *c, int64_t *id)
{
    struct writer_focus ids = writer_whole_program;
    struct focus focus;
    struct error why = {{0}};
    if (focus_parse(field_of(c, COLUMN_FOCUS), &focus, &why))
        return csv_error(&c->reader, c->err, "%s", why.text);
    int status = 0;
    for (size_t i = 0; i < focus.n_selections && status == 0; i++) {
        int64_t resource, root;
        if (focus.selections[i].n_paths > 1)
            status = csv_error(&c->reader, c->err,
                               "a value is of one resource of a hierarchy, not of several");
        else if (writer_path(&c->writer, focus.selections[i].paths[0], &resource, &root, &why))
            status = csv_error(&c->reader, c->err, "%s", why.text);
        else
            ids.in[root] = resource;
    }
    focus_release(&focus);
    return status ? -1 : writer_focus_id(&c->writer, &ids, id, c->err);
}

/// Finds or adds the line's interval.
static int add_interval(struct conversion *c, int64_t *number)
{
    static const char find[] = "SELECT number FROM time_interval WHERE trial_id = ?1 AND name = ?2";
    const char *name = field_of(c, COLUMN_INTERVAL);
    int row = database_ask(c->database, c->err, find, "it>i", c->writer.trial_id, name, number);
    if (row != 0)
        return row < 0 ? -1 : 0;
    if (database_do(c->database, c->err,
                    "INSERT INTO time_interval SELECT ?1, CASE ?2 WHEN 'run' THEN 0 WHEN 'window' "
                    "THEN 1 ELSE (SELECT max(1, coalesce(max(number), 0)) + 1 FROM time_interval "
                    "WHERE trial_id = ?1) END, ?2, 0, 0",
                    "it", c->writer.trial_id, name))
        return -1;
    return database_ask(c->database, c->err, find, "it>i", c->writer.trial_id, name, number) < 0
               ? -1
               : 0;
}

/// Adds the line's value, an integer where it is written as one.
static int add_value(struct conversion *c, int64_t metric, int64_t focus, int64_t interval)
{
    static const char sql[] = "INSERT INTO tuple (trial_id, metric_id, focus_id, interval, value) "
                              "VALUES (?1, ?2, ?3, ?4, ?5)";
    const char *text = field_of(c, COLUMN_VALUE);
    char *end;
    errno = 0;
    int64_t integer = strtoll(text, &end, 10), trial = c->writer.trial_id;
    bool is_integer = text[0] && !*end && errno == 0;
    double number = is_integer ? 0 : strtod(text, &end);
    if (!text[0] || *end || !isfinite(number))
        return csv_error(&c->reader, c->err, "the value \"%s\" is not a number", text);
    int status = is_integer ? database_do(c->database, c->err, sql, "iiiii", trial, metric, focus,
                                          interval, integer)
                            : database_do(c->database, c->err, sql, "iiiid", trial, metric, focus,
                                          interval, number);
    return status ? csv_error(&c->reader, c->err,
                              "this is a second value of the same metric, focus and interval")
                  : 0;
}

static int convert_line(struct conversion *c)
{
    int64_t metric_id, focus_id, interval = 0;
    if (c->reader.n_fields != c->n_columns)
        return csv_error(&c->reader, c->err, "there are %zu fields, not %zu", c->reader.n_fields,
                         c->n_columns);
    const struct writer_metric metric = {.name = field_of(c, COLUMN_METRIC),
                                         .unit = field_of(c, COLUMN_UNIT),
                                         .description = "imported",
                                         .adds_up_over = field_of(c, COLUMN_ADDS_UP_OVER)};
    if (!metric.name[0])
        return csv_error(&c->reader, c->err, "the name of the metric is missing");
    if (strcmp(metric.adds_up_over, "everything") && strcmp(metric.adds_up_over, "processes") &&
        strcmp(metric.adds_up_over, "nothing"))
        return csv_error(&c->reader, c->err, "\"%s\" is not everything, processes or nothing",
                         metric.adds_up_over);
    if (choose_trial(c) || writer_metric_id(&c->writer, &metric, &metric_id, c->err) ||
        add_focus(c, &focus_id) || add_interval(c, &interval))
        return -1;
    return add_value(c, metric_id, focus_id, interval);
}

/// What follows from the values: ranks, run time.
static int complete_trials(struct conversion *c)
{
    return database_run(
        c->database,
        "UPDATE trial SET time_ns = coalesce((SELECT value FROM tuple JOIN metric ON id = "
        "metric_id "
        "WHERE trial_id = trial.id AND name = 'time_ns' AND focus_id = 0), 0);"
        "UPDATE time_interval SET end_ns = (SELECT time_ns FROM trial WHERE id = trial_id) "
        "WHERE number = 0;"
        "INSERT INTO trial_rank SELECT trial_id, resource_id, 3, 'MPI Rank ' || resource.name, 0, "
        "time_ns, 0 "
        "FROM trial_resource JOIN resource ON resource.id = resource_id JOIN trial ON trial.id = "
        "trial_id WHERE parent_id = 4;"
        "UPDATE trial SET n_ranks = max(n_ranks, (SELECT count(*) FROM trial_rank WHERE trial_id = "
        "trial.id)); UPDATE trial SET n_locations = n_ranks",
        c->err);
}

static const char *or_default(const char *given, const char *otherwise)
{
    return given && given[0] ? given : otherwise;
}

int import_read_csv(FILE *stream, const char *name, const struct import_names *names,
                    struct database **memory, struct error *err)
{
    struct conversion c = {
        .reader = {.stream = stream, .name = name},
        .err = err,
        .defaults = {[COLUMN_APPLICATION] = or_default(names->application, "imported"),
                     [COLUMN_EXPERIMENT] = or_default(names->experiment, "default"),
                     [COLUMN_TRIAL] = or_default(names->trial, path_base_name(name)),
                     [COLUMN_ORIGIN] = or_default(names->origin, "measured"),
                     [COLUMN_STARTED_AT] = "",
                     [COLUMN_N_RANKS] = "0",
                     [COLUMN_METRIC] = "",
                     [COLUMN_UNIT] = "",
                     [COLUMN_ADDS_UP_OVER] = "nothing",
                     [COLUMN_INTERVAL] = "run",
                     [COLUMN_FOCUS] = "/Code",
                     [COLUMN_VALUE] = ""}};
    int row = database_open_memory(&c.database, name, err);
    if (row == 0)
        row = database_run(c.database, "PRAGMA foreign_keys = ON; BEGIN", err);
    c.writer.database = c.database;
    if (row == 0)
        row = read_titles(&c);
    while (row >= 0 && (row = csv_next(&c.reader, err)) == 1)
        if (convert_line(&c))
            row = -1;
    if (row == 0)
        row = complete_trials(&c);
    if (row == 0)
        row = database_run(c.database, "COMMIT", err);
    if (row)
        database_close(c.database);
    *memory = row ? NULL : c.database;
    csv_release(&c.reader);
    memory_free_each(c.titles, c.n_columns);
    free(c.columns);
    return row;
}
