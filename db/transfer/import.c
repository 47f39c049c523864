// SPDX-License-Identifier: BSD-3-Clause
// Two passes over the same lines, both through form.c: the first checks, and sums up what
// each trial consists of; the second writes. What a trial refers to by its place in the file is
// kept as a number of this database until the trial ends; values pass through.
#include "db/transfer/import.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/json_lines.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/database.h"
#include "db/focus.h"
#include "db/open.h"
#include "db/schema.h"
#include "db/transfer/export.h"
#include "db/transfer/form.h"
#include "db/transfer/points.h"
#include "db/writer.h"

struct id_list {
    int64_t *ids; // by place
    size_t n_ids, capacity;
};

struct import {
    struct database *database;
    struct form form;
    struct error *err;
    enum import_conflict conflict;
    struct import_report *report;
    uint64_t *hashes; // of the trials in the file, from the first pass
    size_t n_hashes, hashes_capacity;
    bool has_points; // the file has
    struct point_import points;
    // The trial that is being written.
    struct writer writer;
    bool is_writing, is_skipped;
    struct id_list resources, metrics, properties, foci;
    int64_t n_warnings, n_hints;
    sqlite3_stmt *statements[N_FORM_LINES]; // of the kinds with a table of their own
};

static const char *const insert_texts[N_FORM_LINES] = {
    [LINE_ATTRIBUTE] = "INSERT INTO trial_attribute (trial_id, kind, name, value, role) "
                       "VALUES (?1, ?2, ?3, ?4, ?5)",
    [LINE_WARNING] = "INSERT INTO trial_warning (trial_id, code, count, text, number) "
                     "VALUES (?1, ?2, ?3, ?4, ?5)",
    [LINE_HINT] = "INSERT INTO trial_hint (trial_id, property, text, source, number) "
                  "VALUES (?1, ?2, ?3, ?4, ?5)",
    [LINE_INTERVAL] = "INSERT INTO time_interval (trial_id, number, name, begin_ns, end_ns) "
                      "VALUES (?1, ?2, ?3, ?4, ?5)",
    [LINE_NODE] = "INSERT INTO trial_node (trial_id, machine_id, n_cores, n_ranks) "
                  "VALUES (?1, ?2, ?3, ?4)",
    [LINE_RANK] = "INSERT INTO trial_rank (trial_id, process_id, machine_id, name, first_ns, "
                  "last_ns, is_skipped) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [LINE_VALUE] = "INSERT INTO tuple (trial_id, metric_id, focus_id, interval, value) "
                   "VALUES (?1, ?2, ?3, ?4, ?5)",
    [LINE_EVALUATED] =
        "INSERT INTO trial_property (trial_id, property_id, is_evaluated, is_top, worst_focus_id, "
        "worst_cause_id, worst_begin_ns, worst_wait_ns) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [LINE_INSTANCE] =
        "INSERT INTO property_instance (trial_id, property_id, focus_id, interval, severity, "
        "confidence, count, wait_ns) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
};

/// Which of their columns are places: r resource, f focus, m metric, p property, by position.
static const char *const insert_places[N_FORM_LINES] = {
    [LINE_NODE] = "r",          [LINE_RANK] = "rr",     [LINE_VALUE] = "mf",
    [LINE_EVALUATED] = "p..fr", [LINE_INSTANCE] = "pf",
};

static struct json_cell at(const struct import *import, size_t index)
{
    return json_lines_at(import->form.lines, index);
}

static void bind_cell(sqlite3_stmt *statement, int position, const struct json_cell *cell)
{
    if (cell->kind == JSON_CELL_TEXT)
        writer_bind_text(statement, position, cell->text);
    else if (cell->kind == JSON_CELL_INTEGER)
        sqlite3_bind_int64(statement, position, cell->integer);
    else if (cell->kind == JSON_CELL_NUMBER)
        sqlite3_bind_double(statement, position, cell->number);
    else
        sqlite3_bind_null(statement, position);
}

static void id_list_add(struct id_list *list, int64_t id)
{
    list->ids = array_reserve(list->ids, &list->capacity, list->n_ids + 1, sizeof *list->ids);
    list->ids[list->n_ids++] = id;
}

static const struct id_list *list_of(const struct import *import, char letter)
{
    return letter == 'r'   ? &import->resources
           : letter == 'f' ? &import->foci
           : letter == 'm' ? &import->metrics
           : letter == 'p' ? &import->properties
                           : NULL;
}

/// Writes a line whose values are the columns of a table.
static int insert_line(struct import *import, enum form_line kind)
{
    sqlite3_stmt *statement = import->statements[kind];
    const char *places = insert_places[kind] ? insert_places[kind] : "";
    size_t n_cells = json_lines_count(import->form.lines), n_places = strlen(places);
    sqlite3_bind_int64(statement, 1, import->writer.trial_id);
    for (size_t i = 0; i < n_cells; i++) {
        struct json_cell cell = at(import, i);
        const struct id_list *list = i < n_places ? list_of(import, places[i]) : NULL;
        if (list && cell.kind == JSON_CELL_INTEGER)
            cell.integer = list->ids[cell.integer];
        bind_cell(statement, (int)i + 2, &cell);
    }
    if (kind == LINE_WARNING)
        sqlite3_bind_int64(statement, (int)n_cells + 2, import->n_warnings++);
    else if (kind == LINE_HINT)
        sqlite3_bind_int64(statement, (int)n_cells + 2, import->n_hints++);
    int status = database_execute(import->database, statement, import->err);
    if (status && (sqlite3_errcode(import->database->handle) & 0xFF) == SQLITE_CONSTRAINT)
        json_lines_error(import->form.lines, import->err, "this comes twice in one trial");
    return status;
}

/// Reads the first column of SQL's first row, whose parameters are TEXTS: 1, 0 without, -1.
static int find_number(struct import *import, const char *sql, const char *const *texts, int n,
                       int64_t *number)
{
    sqlite3_stmt *statement;
    if (database_prepare(import->database, &statement, sql, import->err))
        return -1;
    for (int i = 0; i < n; i++)
        writer_bind_text(statement, i + 1, texts[i]);
    int row = database_step(import->database, statement, import->err);
    if (row == 1)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return row;
}

// --- what all trials share

static int add_metric(struct import *import)
{
    int64_t id;
    const struct writer_metric metric = {.name = at(import, 0).text,
                                         .unit = at(import, 1).text,
                                         .adds_up_over = at(import, 2).text,
                                         .description = at(import, 3).text};
    if (writer_metric_id(&import->writer, &metric, &id, import->err))
        return -1;
    id_list_add(&import->metrics, id);
    const char *const texts[] = {metric.name, metric.unit, metric.adds_up_over};
    int64_t same;
    int row = find_number(
        import, "SELECT id FROM metric WHERE name = ?1 AND unit = ?2 AND adds_up_over = ?3", texts,
        3, &same);
    if (row != 0)
        return row < 0 ? -1 : 0;
    return error_set(import->err,
                     "%s knows the metric %s with another unit, or adding up otherwise",
                     import->database->path, metric.name);
}

/// A property that is known keeps its texts: who imports is not who knows best.
static int add_property(struct import *import)
{
    int64_t id;
    const char *texts[5];
    for (size_t i = 0; i < 5; i++)
        texts[i] = at(import, i).text;
    int row = find_number(import, "SELECT id FROM property WHERE name = ?1", texts, 1, &id);
    if (row == 0)
        row = writer_property_id(&import->writer, texts, &id, import->err);
    if (row < 0)
        return -1;
    id_list_add(&import->properties, id);
    return 0;
}

static int add_resource(struct import *import)
{
    const char *path = at(import, 0).text;
    char *name = focus_name(path);
    struct writer_resource parent = {0}, resource = {0};
    char *parent_path = memory_format("%.*s", (int)focus_last_level(path), path);
    const char *const paths[] = {*parent_path ? parent_path : "/"};
    int row = find_number(import, "SELECT id FROM resource WHERE path = ?1", paths, 1, &parent.id);
    parent.path = parent_path;
    if (row == 1)
        row = writer_resource(&import->writer, &parent, name, &resource, import->err);
    else if (row == 0)
        row = json_lines_error(import->form.lines, import->err, "there is no resource %s",
                               parent_path);
    if (row == 0)
        id_list_add(&import->resources, resource.id);
    free(resource.path);
    free(parent_path);
    free(name);
    return row;
}

static int add_focus(struct import *import)
{
    int64_t ids[6], id;
    for (size_t i = 0; i < 6; i++)
        ids[i] = import->resources.ids[at(import, i).integer];
    const struct writer_focus focus = {.call_path = ids[0],
                                       .process = ids[1],
                                       .code = ids[2],
                                       .machine = ids[3],
                                       .message = ids[4],
                                       .other = ids[5]};
    if (writer_focus_id(&import->writer, &focus, &id, import->err))
        return -1;
    id_list_add(&import->foci, id);
    return 0;
}

// --- the trial

/// The sum of a trial's contents as it is in the database.
static int stored_hash(struct import *import, int64_t trial, uint64_t *hash)
{
    FILE *copy = tmpfile();
    if (!copy)
        return error_set(import->err, "cannot make a temporary file: %s", strerror(errno));
    struct form form;
    struct json_lines *lines = json_lines_new(copy, "a stored trial");
    form_init(&form, lines);
    trial_export_begin(copy);
    int status = trial_export(import->database, trial, copy, import->err);
    rewind(copy);
    if (status == 0)
        status = form_skip_trial(&form, import->err) == 1 ? 0 : -1;
    *hash = form.hash;
    form_release(&form);
    json_lines_free(lines);
    fclose(copy);
    return status;
}

static void add_to_report(struct import *import, int64_t id, enum import_outcome outcome)
{
    struct import_report *report = import->report;
    report->trials = array_reserve(report->trials, &report->capacity, report->n_trials + 1,
                                   sizeof *report->trials);
    report->trials[report->n_trials++] = (struct imported_trial){.id = id, .outcome = outcome};
}

/// Takes the old trial out; predictions made from it wait for one of its name.
static int remove_old(struct import *import, int64_t old)
{
    char *sql = memory_format(
        "UPDATE prediction SET measured_as = (SELECT application || '/' || experiment || '/' || "
        "trial FROM trials WHERE trial_id = %" PRId64 "), measured_id = NULL "
        "WHERE measured_id = %" PRId64 "; DELETE FROM trial WHERE id = %" PRId64,
        old, old, old);
    int status = database_run(import->database, sql, import->err);
    free(sql);
    return status;
}

/// Decides about a trial whose name is taken by the trial OLD: *NAME may change, `is_skipped` may
/// be set. 0, or -1 and ERR.
static int settle_conflict(struct import *import, int64_t experiment, int64_t old, char **name,
                           enum import_outcome *outcome)
{
    uint64_t hash = 0;
    if (stored_hash(import, old, &hash))
        return -1;
    if (hash == import->hashes[import->form.n_trials]) {
        import->is_skipped = true;
        *outcome = IMPORT_SAME;
        return 0;
    }
    if (import->conflict == IMPORT_REPLACE) {
        *outcome = IMPORT_REPLACED;
        return remove_old(import, old);
    }
    if (import->conflict == IMPORT_REFUSE)
        return json_lines_error(import->form.lines, import->err,
                                "%s has another trial \"%s\" in that experiment, with other "
                                "contents: --replace puts this one in its place, --rename keeps "
                                "both",
                                import->database->path, *name);
    char *wish = *name, number[32];
    int row = 1;
    snprintf(number, sizeof number, "%" PRId64, experiment);
    *outcome = IMPORT_RENAMED;
    *name = NULL;
    for (unsigned i = 2; row == 1; i++) {
        int64_t taken;
        free(*name);
        *name = memory_format("%s-%u", wish, i);
        const char *const texts[] = {number, *name};
        row = find_number(import,
                          "SELECT id FROM trial WHERE experiment_id = CAST(?1 AS INTEGER) "
                          "AND name = ?2",
                          texts, 2, &taken);
    }
    free(wish);
    return row;
}

static struct json_cell member(const struct import *import, const char *name)
{
    return json_lines_member(import->form.lines, name);
}

static int insert_trial(struct import *import, int64_t experiment, const char *name, int64_t *id)
{
    static const char *const columns[] = {"origin",
                                          "program",
                                          "trace_path",
                                          "started_at",
                                          "stored_at",
                                          "n_ranks",
                                          "n_nodes",
                                          "n_locations",
                                          "n_events",
                                          "n_messages",
                                          "n_collectives",
                                          "n_clock_violations",
                                          "has_unreadable_records",
                                          "time_ns",
                                          "headline",
                                          "conclusion"};
    sqlite3_stmt *add;
    if (database_prepare(
            import->database, &add,
            "INSERT INTO trial (experiment_id, name, origin, program, trace_path, started_at, "
            "stored_at, n_ranks, n_nodes, n_locations, n_events, n_messages, n_collectives, "
            "n_clock_violations, has_unreadable_records, time_ns, headline, conclusion) VALUES "
            "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
            import->err))
        return -1;
    sqlite3_bind_int64(add, 1, experiment);
    writer_bind_text(add, 2, name);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        struct json_cell cell = member(import, columns[i]);
        bind_cell(add, (int)i + 3, &cell);
    }
    int status = database_execute(import->database, add, import->err);
    *id = sqlite3_last_insert_rowid(import->database->handle);
    sqlite3_finalize(add);
    return status;
}

/// Of a predicted trial what it was predicted from, if that is known here.
static int insert_prediction(struct import *import, int64_t trial)
{
    static const char sql[] =
        "INSERT INTO prediction (trial_id, change, replay_error, measured_id, measured_as) VALUES "
        "(?1, ?2, coalesce(?3, 0), (SELECT max(trial_id) FROM trials WHERE application || '/' || "
        "experiment || '/' || trial = ?4), ?4)";
    struct json_cell change = member(import, "predicted_by");
    struct json_cell replay_error = member(import, "replay_error");
    struct json_cell from = member(import, "predicted_from");
    sqlite3_stmt *add;
    if (change.kind != JSON_CELL_TEXT)
        return 0;
    if (database_prepare(import->database, &add, sql, import->err))
        return -1;
    sqlite3_bind_int64(add, 1, trial);
    bind_cell(add, 2, &change);
    bind_cell(add, 3, &replay_error);
    bind_cell(add, 4, &from);
    int status = database_execute(import->database, add, import->err);
    sqlite3_finalize(add);
    return status;
}

/// Of an interval which part of its run it is.
static int insert_interval(struct import *import, int64_t trial)
{
    static const char *const columns[] = {"interval", "interval_is_phase", "interval_begin_ns",
                                          "interval_end_ns"};
    sqlite3_stmt *add;
    if (member(import, "interval").kind != JSON_CELL_TEXT)
        return 0;
    if (database_prepare(import->database, &add,
                         "INSERT INTO run_interval VALUES (?1, ?2, coalesce(?3, 0), "
                         "coalesce(?4, 0), coalesce(?5, 0))",
                         import->err))
        return -1;
    sqlite3_bind_int64(add, 1, trial);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        struct json_cell cell = member(import, columns[i]);
        bind_cell(add, (int)i + 2, &cell);
    }
    int status = database_execute(import->database, add, import->err);
    sqlite3_finalize(add);
    return status;
}

static int find_experiment(struct import *import, int64_t *experiment)
{
    const char *texts[] = {member(import, "application").text, member(import, "experiment").text};
    char number[32];
    int64_t application;
    if (find_number(import, "INSERT OR IGNORE INTO application (name) VALUES (?1)", texts, 1,
                    &application) < 0 ||
        find_number(import, "SELECT id FROM application WHERE name = ?1", texts, 1, &application) <
            0)
        return -1;
    snprintf(number, sizeof number, "%" PRId64, application);
    texts[0] = number;
    if (find_number(import,
                    "INSERT OR IGNORE INTO experiment (application_id, name) "
                    "VALUES (CAST(?1 AS INTEGER), ?2)",
                    texts, 2, experiment) < 0)
        return -1;
    return find_number(import,
                       "SELECT id FROM experiment WHERE application_id = CAST(?1 AS INTEGER) AND "
                       "name = ?2",
                       texts, 2, experiment) < 0
               ? -1
               : 0;
}

static int begin_trial(struct import *import)
{
    int64_t experiment, old = 0, id = 0;
    enum import_outcome outcome = IMPORT_ADDED;
    if (find_experiment(import, &experiment))
        return -1;
    char number[32];
    snprintf(number, sizeof number, "%" PRId64, experiment);
    char *name = utf8_clean(member(import, "trial").text);
    const char *const texts[] = {number, name};
    import->is_skipped = false;
    int status = find_number(
        import, "SELECT id FROM trial WHERE experiment_id = CAST(?1 AS INTEGER) AND name = ?2",
        texts, 2, &old);
    if (status == 1)
        status = settle_conflict(import, experiment, old, &name, &outcome);
    if (status == 0 && !import->is_skipped) {
        status = insert_trial(import, experiment, name, &id) || insert_prediction(import, id) ||
                         insert_interval(import, id) ||
                         writer_init(&import->writer, import->database, id, import->err)
                     ? -1
                     : 0;
        import->is_writing = true;
    }
    if (status == 0)
        add_to_report(import, import->is_skipped ? old : id, outcome);
    free(name);
    import->n_warnings = import->n_hints = 0;
    import->metrics.n_ids = import->properties.n_ids = import->foci.n_ids = 0;
    import->resources.n_ids = 0;
    for (int64_t i = 0; i < N_ROOTS; i++)
        id_list_add(&import->resources, i);
    return status;
}

/// Predictions that waited for a trial of this name find it.
static int end_trial(struct import *import)
{
    if (!import->is_writing)
        return 0;
    char *sql = memory_format(
        "UPDATE prediction SET measured_id = %" PRId64 ", measured_as = NULL WHERE measured_id IS "
        "NULL AND measured_as = (SELECT application || '/' || experiment || '/' || trial FROM "
        "trials "
        "WHERE trial_id = %" PRId64 "); UPDATE prediction SET measured_as = NULL WHERE measured_id "
        "IS NOT NULL",
        import->writer.trial_id, import->writer.trial_id);
    int status = database_run(import->database, sql, import->err);
    free(sql);
    writer_release(&import->writer);
    import->is_writing = false;
    return status;
}

static int write_line(struct import *import, enum form_line kind)
{
    if (kind == LINE_TRIAL)
        return begin_trial(import);
    if (kind == LINE_END)
        return end_trial(import);
    if (kind == LINE_POINT)
        return point_import_begin(&import->points, import->form.lines, import->err);
    if (kind == LINE_POINT_PARAMETER) {
        point_import_parameter(&import->points, import->form.lines);
        return 0;
    }
    if (import->is_skipped)
        return 0;
    switch (kind) {
    case LINE_METRIC:
        return add_metric(import);
    case LINE_PROPERTY:
        return add_property(import);
    case LINE_RESOURCE:
        return add_resource(import);
    case LINE_FOCUS:
        return add_focus(import);
    default:
        return insert_line(import, kind);
    }
}

// --- the passes

/// First pass: everything is checked, and what each trial consists of is summed up.
static int check(struct import *import, FILE *stream, const char *name)
{
    struct json_lines *lines = json_lines_new(stream, name);
    enum form_line kind;
    int row;
    form_init(&import->form, lines);
    while ((row = form_next(&import->form, &kind, import->err)) == 1) {
        import->has_points |= kind == LINE_POINT;
        if (kind != LINE_END)
            continue;
        import->hashes = array_reserve(import->hashes, &import->hashes_capacity,
                                       import->n_hashes + 1, sizeof *import->hashes);
        import->hashes[import->n_hashes++] = import->form.hash;
    }
    form_release(&import->form);
    json_lines_free(lines);
    return row;
}

static int prepare(struct import *import)
{
    for (size_t i = 0; i < N_FORM_LINES; i++)
        if (insert_texts[i] && database_prepare(import->database, &import->statements[i],
                                                insert_texts[i], import->err))
            return -1;
    return 0;
}

/// Second pass, in the transaction that is open.
static int write_all(struct import *import, FILE *stream, const char *name)
{
    struct json_lines *lines = json_lines_new(stream, name);
    enum form_line kind;
    int row = prepare(import);
    form_init(&import->form, lines);
    while (row >= 0 && (row = form_next(&import->form, &kind, import->err)) == 1)
        if (write_line(import, kind))
            row = -1;
    if (row == 0)
        row = point_import_end(&import->points, import->err);
    if (import->is_writing)
        writer_release(&import->writer);
    for (size_t i = 0; i < N_FORM_LINES; i++)
        sqlite3_finalize(import->statements[i]);
    form_release(&import->form);
    json_lines_free(lines);
    return row;
}

/// What the trials are called, now that all are there.
static int name_trials(struct import *import)
{
    static const char sql[] = "SELECT application || '/' || experiment || '/' || trial FROM trials "
                              "WHERE trial_id = ?1";
    sqlite3_stmt *statement;
    if (database_prepare(import->database, &statement, sql, import->err))
        return -1;
    int row = 1;
    for (size_t i = 0; i < import->report->n_trials && row == 1; i++) {
        struct imported_trial *trial = &import->report->trials[i];
        sqlite3_bind_int64(statement, 1, trial->id);
        row = database_step(import->database, statement, import->err);
        trial->name = utf8_clean(row == 1 ? (const char *)sqlite3_column_text(statement, 0) : "");
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return row < 0 ? -1 : 0;
}

static int store_all(struct import *import, FILE *stream, const char *name)
{
    if (database_begin(import->database, import->err))
        return -1;
    if (write_all(import, stream, name) || name_trials(import)) {
        database_rollback(import->database);
        return -1;
    }
    return database_commit(import->database, import->err);
}

int trials_import(const char *path, FILE *stream, const char *name, enum import_conflict conflict,
                  struct import_report *report, struct error *err)
{
    struct import import = {.err = err, .conflict = conflict, .report = report};
    *report = (struct import_report){0};
    int status = check(&import, stream, name);
    rewind(stream);
    if (status == 0 && import.n_hashes == 0 && !import.has_points)
        status = error_set(err, "%s holds no trial", name);
    if (status == 0)
        status = database_open(&import.database, path, DATABASE_CREATE, err);
    import.points.database = import.database;
    if (status == 0)
        status = store_all(&import, stream, name);
    report->n_points = import.points.n_taken;
    point_import_release(&import.points);
    database_close(import.database);
    free(import.hashes);
    free(import.resources.ids);
    free(import.metrics.ids);
    free(import.properties.ids);
    free(import.foci.ids);
    return status ? error_wrap(err, "nothing was imported") : 0;
}

void import_report_release(struct import_report *report)
{
    for (size_t i = 0; i < report->n_trials; i++)
        free(report->trials[i].name);
    free(report->trials);
    *report = (struct import_report){0};
}
