// SPDX-License-Identifier: BSD-3-Clause
// Interning and appending. Every name is looked up before it is added, by an index that later
// queries need anyway.
#include "db/writer.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "db/focus.h"

const struct writer_focus writer_whole_program = {
    {ROOT_OTHER, ROOT_CODE, ROOT_CALL_PATH, ROOT_MACHINE, ROOT_PROCESS, ROOT_MESSAGE}};

int writer_resource(struct writer *writer, const struct writer_resource *parent, const char *name,
                    struct writer_resource *resource, struct error *err)
{
    struct database *database = writer->database;
    resource->path = focus_path(parent->path, name);
    int row = database_ask(database, err, "SELECT id FROM resource WHERE path = ?1", "s>i",
                           resource->path, &resource->id);
    if (row == 0) {
        row = database_do(database, err,
                          "INSERT INTO resource (parent_id, name, path) VALUES (?1, ?2, ?3)", "its",
                          parent->id, name, resource->path);
        resource->id = sqlite3_last_insert_rowid(database->handle);
    }
    if (row >= 0)
        row = database_do(database, err, "INSERT OR IGNORE INTO trial_resource VALUES (?1, ?2)",
                          "ii", writer->trial_id, resource->id);
    if (row >= 0)
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
    SCOPED char *name = focus_name(path);
    if (!name)
        return error_set(err, "%s is not the path of a resource", path);
    SCOPED char *parent_path = memory_format("%.*s", (int)focus_last_level(path), path);
    struct writer_resource parent = {.path = parent_path}, resource = {0};
    int status = add_path(writer, parent_path, &parent.id, root, err);
    if (status == 0)
        status = writer_resource(writer, &parent, name, &resource, err);
    *id = resource.id;
    free(resource.path);
    return status;
}

int writer_path(struct writer *writer, const char *path, int64_t *id, int64_t *root,
                struct error *err)
{
    int n_levels = 0;
    for (const char *at = path; *at && n_levels <= MAX_LEVELS; at++)
        n_levels += *at == '/';
    if (n_levels > MAX_LEVELS)
        return error_set(err, "a resource has more than %d levels", MAX_LEVELS);
    return add_path(writer, path, id, root, err);
}

int writer_experiment_id(struct database *database, const char *application, const char *experiment,
                         int64_t *id, struct error *err)
{
    if (database_do(database, err, "INSERT OR IGNORE INTO application (name) VALUES (?1)", "t",
                    application) ||
        database_do(database, err,
                    "INSERT OR IGNORE INTO experiment (application_id, name) "
                    "SELECT id, ?2 FROM application WHERE name = ?1",
                    "tt", application, experiment))
        return -1;
    int row = database_ask(database, err,
                           "SELECT e.id FROM experiment e JOIN application a "
                           "ON a.id = e.application_id WHERE a.name = ?1 AND e.name = ?2",
                           "tt>i", application, experiment, id);
    return row < 0 ? -1 : 0;
}

char *writer_free_name(struct database *database, int64_t experiment, const char *name,
                       struct error *err)
{
    char *numbered = memory_copy_text(name);
    int row;
    for (unsigned i = 2;
         (row = database_ask(database, err,
                             "SELECT 1 FROM trial WHERE experiment_id = ?1 AND name = ?2", "it",
                             experiment, numbered)) == 1;
         i++) {
        free(numbered);
        numbered = memory_format("%s-%u", name, i);
    }
    if (row == 0)
        return numbered;
    free(numbered);
    return NULL;
}

int writer_focus_id(struct writer *writer, const struct writer_focus *focus, int64_t *id,
                    struct error *err)
{
    struct database *database = writer->database;
    const int64_t *in = focus->in;
    int row = database_ask(database, err,
                           "SELECT id FROM focus WHERE call_path_id = ?1 AND process_id = ?2 AND "
                           "code_id = ?3 AND machine_id = ?4 AND message_id = ?5 AND other_id = ?6",
                           "iiiiii>i", in[ROOT_CALL_PATH], in[ROOT_PROCESS], in[ROOT_CODE],
                           in[ROOT_MACHINE], in[ROOT_MESSAGE], in[ROOT_OTHER], id);
    if (row != 0)
        return row < 0 ? -1 : 0;
    row = database_do(database, err,
                      "INSERT INTO focus (call_path_id, process_id, code_id, machine_id, "
                      "message_id, other_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                      "iiiiii", in[ROOT_CALL_PATH], in[ROOT_PROCESS], in[ROOT_CODE],
                      in[ROOT_MACHINE], in[ROOT_MESSAGE], in[ROOT_OTHER]);
    *id = sqlite3_last_insert_rowid(database->handle);
    return row;
}

int writer_metric_id(struct writer *writer, const struct writer_metric *metric, int64_t *id,
                     struct error *err)
{
    if (database_do(writer->database, err,
                    "INSERT OR IGNORE INTO metric (name, unit, description, adds_up_over) "
                    "VALUES (?1, ?2, ?3, ?4)",
                    "tttt", metric->name, metric->unit, metric->description, metric->adds_up_over))
        return -1;
    int row = database_ask(writer->database, err, "SELECT id FROM metric WHERE name = ?1", "t>i",
                           metric->name, id);
    return row < 0 ? -1 : 0;
}

#define ADD_TUPLE                                                                                  \
    "INSERT INTO tuple VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET value = value + "     \
    "excluded.value"

int writer_count(struct writer *writer, int64_t metric, int64_t focus,
                 enum writer_interval interval, uint64_t value, struct error *err)
{
    return database_do(writer->database, err, ADD_TUPLE, "iiibn", writer->trial_id, metric, focus,
                       (int)interval, value);
}

int writer_number(struct writer *writer, int64_t metric, int64_t focus,
                  enum writer_interval interval, double value, struct error *err)
{
    if (isnan(value))
        return 0;
    return database_do(writer->database, err, ADD_TUPLE, "iiibd", writer->trial_id, metric, focus,
                       (int)interval, value);
}
