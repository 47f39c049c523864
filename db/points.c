// SPDX-License-Identifier: BSD-3-Clause
// Points without a trial (see store.h): the tables point_not_run and point_parameter.
#include "db/store.h"

#include <stdint.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "db/database.h"
#include "db/writer.h"

/// *ID is the experiment's number, 0: there is none yet.
static int find_experiment(struct database *database, const char *application,
                           const char *experiment, int64_t *id, struct error *err)
{
    *id = 0;
    if (application)
        return writer_experiment_id(database, application, experiment, id, err);
    int row = database_ask(database, err,
                           "SELECT e.id FROM experiment e JOIN trial t ON t.experiment_id = e.id "
                           "WHERE e.name = ?1 ORDER BY t.id DESC LIMIT 1",
                           "t>i", experiment, id);
    return row < 0 ? -1 : 0;
}

static int note_one(struct database *database, int64_t experiment, const struct point_note *note,
                    struct error *err)
{
    if (database_do(database, err,
                    "DELETE FROM point_not_run WHERE experiment_id = ?1 AND name = ?2", "it",
                    experiment, note->name))
        return -1;
    if (!note->state)
        return 0;
    if (database_do(database, err,
                    "INSERT INTO point_not_run (experiment_id, name, state, reason, noted_at) "
                    "VALUES (?1, ?2, ?3, ?4, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                    "ittt", experiment, note->name, note->state, note->reason))
        return -1;
    for (size_t i = 0; i < note->n_parameters; i++)
        if (database_do(database, err,
                        "INSERT OR REPLACE INTO point_parameter (experiment_id, point, name, "
                        "value) VALUES (?1, ?2, ?3, ?4)",
                        "ittt", experiment, note->name, note->parameters[i].name,
                        note->parameters[i].value))
            return -1;
    return 0;
}

static int note_all(struct database *database, const char *application, const char *experiment,
                    const struct point_note *notes, size_t n_notes, struct error *err)
{
    int64_t id;
    int status = find_experiment(database, application, experiment, &id, err);
    if (status || id == 0)
        return status;
    for (size_t i = 0; i < n_notes && status == 0; i++)
        status = note_one(database, id, &notes[i], err);
    return status ? -1
                  : database_do(database, err,
                                "DELETE FROM point_not_run WHERE experiment_id = ?1 AND name IN "
                                "(SELECT name FROM trial WHERE experiment_id = ?1)",
                                "i", id);
}

/// 1 when there is anything to change, 0, or -1 and ERR. A sweep without gaps does not wait for
/// other writers.
static int has_notes(struct database *database, const struct point_note *notes, size_t n_notes,
                     struct error *err)
{
    for (size_t i = 0; i < n_notes; i++)
        if (notes[i].state)
            return 1;
    return database_ask(database, err, "SELECT 1 FROM point_not_run LIMIT 1", "");
}

int points_note(const char *path, const char *application, const char *experiment,
                const struct point_note *notes, size_t n_notes, struct error *err)
{
    struct database *database;
    if (database_open(&database, path, DATABASE_WRITE, err))
        return -1;
    int status = has_notes(database, notes, n_notes, err);
    if (status == 1) {
        status = database_begin(database, err);
        if (status == 0)
            status = database_end(
                database, note_all(database, application, experiment, notes, n_notes, err), err);
    }
    database_close(database);
    return status ? error_wrap(err, "cannot store which points have no run") : 0;
}

#define ROWS_SQL   "SELECT application, experiment, point, state, reason FROM points_not_run "
#define ROWS_ORDER "ORDER BY application, experiment, point"

#define ROW_LETTERS "ttttt" // of struct point_row

/// Fills LIST with what SQL finds, in which ?1 and ?2 stand for texts.
static int read_rows(struct database *database, const char *sql, const char *first,
                     const char *second, struct point_list *list, struct error *err)
{
    *list = (struct point_list){0};
    list->rows = database_rows(database, err, &list->n_rows, sql, "ss>" ROW_LETTERS, first, second);
    return list->rows ? 0 : -1;
}

int points_select(struct database *database, const char *application, const char *experiment,
                  struct point_list *list, struct error *err)
{
    return read_rows(database,
                     ROWS_SQL "WHERE (?1 IS NULL OR application = ?1) "
                              "AND (?2 IS NULL OR experiment = ?2) " ROWS_ORDER,
                     application, experiment, list, err);
}

int points_find(struct database *database, const char *selector, struct point_list *list,
                struct error *err)
{
    return read_rows(database,
                     ROWS_SQL
                     "WHERE ?1 IN (point, experiment || '/' || point, "
                     "application || '/' || experiment || '/' || point) AND ?2 IS NULL " ROWS_ORDER,
                     selector, NULL, list, err);
}

int points_read(const char *path, const char *application, const char *experiment,
                struct point_list *list, struct error *err)
{
    struct database *database;
    *list = (struct point_list){0};
    if (database_open(&database, path, DATABASE_READ, err))
        return -1;
    int status = points_select(database, application, experiment, list, err);
    database_close(database);
    return status;
}

int points_remove(struct database *database, const struct point_row *point, struct error *err)
{
    return database_do(database, err,
                       "DELETE FROM point_not_run WHERE name = ?1 AND experiment_id = "
                       "(SELECT e.id FROM experiment e JOIN application a ON a.id = "
                       "e.application_id WHERE e.name = ?2 AND a.name = ?3)",
                       "ttt", point->name, point->experiment, point->application);
}

static bool is_same_point(const struct point_row *a, const struct point_row *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->experiment, b->experiment) == 0 &&
           strcmp(a->application, b->application) == 0;
}

void point_list_add(struct point_list *list, struct point_row *row)
{
    for (size_t i = 0; i < list->n_rows; i++)
        if (is_same_point(&list->rows[i], row))
            return;
    *ARRAY_NEXT(list->rows, list->n_rows, list->capacity) = *row;
    *row = (struct point_row){0};
}

void point_list_release(struct point_list *list)
{
    database_rows_free(list->rows, list->n_rows, ROW_LETTERS);
    *list = (struct point_list){0};
}
