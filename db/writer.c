// SPDX-License-Identifier: BSD-3-Clause
// Interning and appending. Every name is looked up before it is added, by an index that later
// queries need anyway.
#include "db/writer.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/focus.h"
#include "db/schema.h"

const struct writer_focus writer_whole_program = {.call_path = ROOT_CALL_PATH,
                                                  .process = ROOT_PROCESS,
                                                  .code = ROOT_CODE,
                                                  .machine = ROOT_MACHINE,
                                                  .message = ROOT_MESSAGE,
                                                  .other = ROOT_OTHER};

static const char *const statement_texts[N_WRITER_STATEMENTS] = {
    [FIND_RESOURCE] = "SELECT id FROM resource WHERE path = ?1",
    [ADD_RESOURCE] = "INSERT INTO resource (parent_id, name, path) VALUES (?1, ?2, ?3)",
    [USE_RESOURCE] = "INSERT OR IGNORE INTO trial_resource VALUES (?1, ?2)",
    [FIND_FOCUS] = "SELECT id FROM focus WHERE call_path_id = ?1 AND process_id = ?2 AND "
                   "code_id = ?3 AND machine_id = ?4 AND message_id = ?5 AND other_id = ?6",
    [ADD_FOCUS] = "INSERT INTO focus (call_path_id, process_id, code_id, machine_id, message_id, "
                  "other_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [ADD_METRIC] = "INSERT OR IGNORE INTO metric (name, unit, description, adds_up_over) "
                   "VALUES (?1, ?2, ?3, ?4)",
    [FIND_METRIC] = "SELECT id FROM metric WHERE name = ?1",
    [ADD_PROPERTY] = "INSERT INTO property (name, parent, title, summary, diagnosis) "
                     "VALUES (?1, nullif(?2, ''), ?3, ?4, ?5) ON CONFLICT (name) DO UPDATE SET "
                     "parent = excluded.parent, title = excluded.title, "
                     "summary = excluded.summary, diagnosis = excluded.diagnosis",
    [FIND_PROPERTY] = "SELECT id FROM property WHERE name = ?1",
    [ADD_TUPLE] = "INSERT INTO tuple VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET "
                  "value = value + excluded.value",
    [ADD_INSTANCE] = "INSERT INTO property_instance VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
                     "ON CONFLICT DO UPDATE SET severity = severity + excluded.severity, "
                     "count = count + excluded.count, wait_ns = wait_ns + excluded.wait_ns",
};

int writer_init(struct writer *writer, struct database *database, int64_t trial_id,
                struct error *err)
{
    *writer = (struct writer){.database = database, .trial_id = trial_id};
    for (int i = 0; i < N_WRITER_STATEMENTS; i++)
        if (database_prepare(database, &writer->statements[i], statement_texts[i], err))
            return -1;
    return 0;
}

void writer_release(struct writer *writer)
{
    for (int i = 0; i < N_WRITER_STATEMENTS; i++)
        sqlite3_finalize(writer->statements[i]);
    *writer = (struct writer){0};
}

void writer_bind_count(struct sqlite3_stmt *statement, int position, uint64_t value)
{
    if (value <= INT64_MAX)
        sqlite3_bind_int64(statement, position, (int64_t)value);
    else
        sqlite3_bind_double(statement, position, (double)value);
}

void writer_bind_text(struct sqlite3_stmt *statement, int position, const char *text)
{
    sqlite3_bind_text(statement, position, utf8_clean(text), -1, free);
}

/// Runs a query for one id: 1 found, 0 not found, -1 and ERR.
static int find_id(struct writer *writer, sqlite3_stmt *statement, int64_t *id, struct error *err)
{
    int row = database_step(writer->database, statement, err);
    if (row == 1)
        *id = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return row;
}

/// Runs an INSERT and gives the new row's number.
static int add_row(struct writer *writer, sqlite3_stmt *statement, int64_t *id, struct error *err)
{
    if (database_execute(writer->database, statement, err))
        return -1;
    *id = sqlite3_last_insert_rowid(writer->database->handle);
    return 0;
}

int writer_resource(struct writer *writer, const struct writer_resource *parent, const char *name,
                    struct writer_resource *resource, struct error *err)
{
    resource->path = focus_path(parent->path, name);
    sqlite3_stmt *find = writer->statements[FIND_RESOURCE];
    sqlite3_bind_text(find, 1, resource->path, -1, SQLITE_STATIC);
    int found = find_id(writer, find, &resource->id, err);
    if (found == 0) {
        sqlite3_stmt *add = writer->statements[ADD_RESOURCE];
        sqlite3_bind_int64(add, 1, parent->id);
        writer_bind_text(add, 2, name);
        sqlite3_bind_text(add, 3, resource->path, -1, SQLITE_STATIC);
        found = add_row(writer, add, &resource->id, err);
    }
    if (found >= 0) {
        sqlite3_stmt *use = writer->statements[USE_RESOURCE];
        sqlite3_bind_int64(use, 1, writer->trial_id);
        sqlite3_bind_int64(use, 2, resource->id);
        found = database_execute(writer->database, use, err);
    }
    if (found >= 0)
        return 0;
    free(resource->path);
    resource->path = NULL;
    return -1;
}

enum { MAX_LEVELS = 10000 }; // of a path; each is a call of add_path()

/// The hierarchy whose root is called PATH, -1: none is.
static int64_t find_root(const char *path)
{
    static const char *const roots[N_ROOTS] = {
        [ROOT_OTHER] = "",           [ROOT_CODE] = "/Code",       [ROOT_CALL_PATH] = "/CallPath",
        [ROOT_MACHINE] = "/Machine", [ROOT_PROCESS] = "/Process", [ROOT_MESSAGE] = "/Message"};
    for (int64_t i = 0; i < N_ROOTS; i++)
        if (!strcmp(path, roots[i]))
            return i;
    return -1;
}

/// As writer_path(), for a path of at most MAX_LEVELS levels.
static int add_path(struct writer *writer, const char *path, int64_t *id, int64_t *root,
                    struct error *err)
{
    *id = *root = find_root(path);
    if (*id >= 0)
        return 0;
    char *name = focus_name(path);
    if (!name)
        return error_set(err, "%s is not the path of a resource", path);
    char *parent_path = memory_format("%.*s", (int)focus_last_level(path), path);
    struct writer_resource parent = {.path = parent_path}, resource = {0};
    int status = add_path(writer, parent_path, &parent.id, root, err);
    if (status == 0)
        status = writer_resource(writer, &parent, name, &resource, err);
    *id = resource.id;
    free(resource.path);
    free(parent_path);
    free(name);
    return status;
}

int writer_path(struct writer *writer, const char *path, int64_t *id, int64_t *root,
                struct error *err)
{
    int n_levels = 0;
    int64_t hierarchy;
    for (const char *at = path; *at && n_levels <= MAX_LEVELS; at++)
        n_levels += *at == '/';
    if (n_levels > MAX_LEVELS)
        return error_set(err, "a resource has more than %d levels", MAX_LEVELS);
    return add_path(writer, path, id, root ? root : &hierarchy, err);
}

int writer_experiment_id(struct database *database, const char *application, const char *experiment,
                         int64_t *id, struct error *err)
{
    static const char *const sql[] = {
        "INSERT OR IGNORE INTO application (name) VALUES (?1)",
        "INSERT OR IGNORE INTO experiment (application_id, name) SELECT id, ?2 FROM application "
        "WHERE name = ?1",
        "SELECT e.id FROM experiment e JOIN application a ON a.id = e.application_id "
        "WHERE a.name = ?1 AND e.name = ?2"};
    int row = 0;
    for (size_t i = 0; i < sizeof sql / sizeof sql[0] && row >= 0; i++) {
        sqlite3_stmt *statement;
        if (database_prepare(database, &statement, sql[i], err))
            return -1;
        writer_bind_text(statement, 1, application);
        writer_bind_text(statement, 2, experiment);
        row = database_step(database, statement, err);
        if (row == 1)
            *id = sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
    }
    return row < 0 ? -1 : 0;
}

static void bind_focus(sqlite3_stmt *statement, const struct writer_focus *focus)
{
    sqlite3_bind_int64(statement, 1, focus->call_path);
    sqlite3_bind_int64(statement, 2, focus->process);
    sqlite3_bind_int64(statement, 3, focus->code);
    sqlite3_bind_int64(statement, 4, focus->machine);
    sqlite3_bind_int64(statement, 5, focus->message);
    sqlite3_bind_int64(statement, 6, focus->other);
}

int writer_focus_id(struct writer *writer, const struct writer_focus *focus, int64_t *id,
                    struct error *err)
{
    bind_focus(writer->statements[FIND_FOCUS], focus);
    int found = find_id(writer, writer->statements[FIND_FOCUS], id, err);
    if (found != 0)
        return found < 0 ? -1 : 0;
    bind_focus(writer->statements[ADD_FOCUS], focus);
    return add_row(writer, writer->statements[ADD_FOCUS], id, err);
}

/// Adds a row of texts where it is missing, then finds its number by the first of them.
static int intern_texts(struct writer *writer, enum writer_statement add,
                        enum writer_statement find, const char *const *texts, int n_texts,
                        int64_t *id, struct error *err)
{
    for (int i = 0; i < n_texts; i++)
        writer_bind_text(writer->statements[add], i + 1, texts[i]);
    if (database_execute(writer->database, writer->statements[add], err))
        return -1;
    writer_bind_text(writer->statements[find], 1, texts[0]);
    return find_id(writer, writer->statements[find], id, err) < 0 ? -1 : 0;
}

int writer_metric_id(struct writer *writer, const struct writer_metric *metric, int64_t *id,
                     struct error *err)
{
    const char *texts[] = {metric->name, metric->unit, metric->description, metric->adds_up_over};
    return intern_texts(writer, ADD_METRIC, FIND_METRIC, texts, 4, id, err);
}

int writer_property_id(struct writer *writer, const char *const texts[5], int64_t *id,
                       struct error *err)
{
    return intern_texts(writer, ADD_PROPERTY, FIND_PROPERTY, texts, 5, id, err);
}

static int add_tuple(struct writer *writer, int64_t metric, int64_t focus,
                     enum writer_interval interval, struct error *err)
{
    sqlite3_stmt *add = writer->statements[ADD_TUPLE];
    sqlite3_bind_int64(add, 1, writer->trial_id);
    sqlite3_bind_int64(add, 2, metric);
    sqlite3_bind_int64(add, 3, focus);
    sqlite3_bind_int64(add, 4, interval);
    return database_execute(writer->database, add, err);
}

int writer_count(struct writer *writer, int64_t metric, int64_t focus,
                 enum writer_interval interval, uint64_t value, struct error *err)
{
    writer_bind_count(writer->statements[ADD_TUPLE], 5, value);
    return add_tuple(writer, metric, focus, interval, err);
}

int writer_number(struct writer *writer, int64_t metric, int64_t focus,
                  enum writer_interval interval, double value, struct error *err)
{
    if (isnan(value))
        return 0;
    sqlite3_bind_double(writer->statements[ADD_TUPLE], 5, value);
    return add_tuple(writer, metric, focus, interval, err);
}

int writer_instance(struct writer *writer, const struct writer_instance *instance,
                    struct error *err)
{
    sqlite3_stmt *add = writer->statements[ADD_INSTANCE];
    sqlite3_bind_int64(add, 1, writer->trial_id);
    sqlite3_bind_int64(add, 2, instance->property);
    sqlite3_bind_int64(add, 3, instance->focus);
    sqlite3_bind_int64(add, 4, INTERVAL_RUN);
    sqlite3_bind_double(add, 5, instance->severity);
    sqlite3_bind_double(add, 6, instance->confidence);
    writer_bind_count(add, 7, instance->count);
    writer_bind_count(add, 8, instance->wait_ns);
    return database_execute(writer->database, add, err);
}
