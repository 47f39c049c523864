// SPDX-License-Identifier: BSD-3-Clause
// Points without a trial (see points.h): the tables point_not_run and point_parameter.
#include "db/points.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "db/database.h"
#include "db/writer.h"

/// Runs one statement with up to four texts behind the number ID. The first column of its first
/// row, as a number, goes to *ANSWER unless that is NULL; 0 without a row.
static int run_with(struct database *database, const char *sql, int64_t id,
                    const char *const texts[4], int64_t *answer, struct error *err)
{
    sqlite3_stmt *statement;
    if (database_prepare(database, &statement, sql, err))
        return -1;
    sqlite3_bind_int64(statement, 1, id);
    for (int i = 0; i < 4 && texts[i]; i++)
        writer_bind_text(statement, i + 2, texts[i]);
    int row = database_step(database, statement, err);
    if (answer)
        *answer = row == 1 ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return row < 0 ? -1 : 0;
}

/// *ID is the experiment's number, 0: there is none yet.
static int find_experiment(struct database *database, const char *application,
                           const char *experiment, int64_t *id, struct error *err)
{
    static const char by_last_trial[] =
        "SELECT e.id FROM experiment e JOIN trial t ON t.experiment_id = e.id "
        "WHERE ?1 = 0 AND e.name = ?2 ORDER BY t.id DESC LIMIT 1";
    const char *const texts[4] = {experiment};
    if (application)
        return writer_experiment_id(database, application, experiment, id, err);
    return run_with(database, by_last_trial, 0, texts, id, err);
}

static int note_one(struct database *database, int64_t experiment, const struct point_note *note,
                    struct error *err)
{
    const char *const texts[4] = {note->name, note->state, note->reason};
    if (run_with(database, "DELETE FROM point_not_run WHERE experiment_id = ?1 AND name = ?2",
                 experiment, (const char *const[4]){note->name}, NULL, err))
        return -1;
    if (!note->state)
        return 0;
    if (run_with(database,
                 "INSERT INTO point_not_run (experiment_id, name, state, reason, noted_at) "
                 "VALUES (?1, ?2, ?3, ?4, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                 experiment, texts, NULL, err))
        return -1;
    for (size_t i = 0; i < note->n_parameters; i++) {
        const char *const values[4] = {note->name, note->parameters[i].name,
                                       note->parameters[i].value};
        if (run_with(database,
                     "INSERT OR REPLACE INTO point_parameter (experiment_id, point, name, value) "
                     "VALUES (?1, ?2, ?3, ?4)",
                     experiment, values, NULL, err))
            return -1;
    }
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
    if (status == 0)
        status = run_with(database,
                          "DELETE FROM point_not_run WHERE experiment_id = ?1 AND name IN "
                          "(SELECT name FROM trial WHERE experiment_id = ?1)",
                          id, (const char *const[4]){NULL}, NULL, err);
    return status;
}

/// Is there anything to change? A sweep without gaps shall not wait for other writers.
static int has_notes(struct database *database, const struct point_note *notes, size_t n_notes,
                     bool *answer, struct error *err)
{
    int64_t any = 0;
    for (size_t i = 0; i < n_notes && !any; i++)
        any = notes[i].state != NULL;
    if (!any && run_with(database, "SELECT ?1 = 0 FROM point_not_run LIMIT 1", 0,
                         (const char *const[4]){NULL}, &any, err))
        return -1;
    *answer = any != 0;
    return 0;
}

int points_note(const char *path, const char *application, const char *experiment,
                const struct point_note *notes, size_t n_notes, struct error *err)
{
    struct database *database;
    bool has_any = false;
    if (database_open(&database, path, DATABASE_WRITE, err))
        return -1;
    int status = has_notes(database, notes, n_notes, &has_any, err);
    if (status == 0 && has_any) {
        status = database_begin(database, err);
        if (status == 0)
            status = note_all(database, application, experiment, notes, n_notes, err);
        if (status == 0)
            status = database_commit(database, err);
        else
            database_rollback(database);
    }
    database_close(database);
    return status ? error_wrap(err, "cannot store which points have no run") : 0;
}

#define ROWS_SQL   "SELECT application, experiment, point, state, reason FROM points_not_run "
#define ROWS_ORDER "ORDER BY application, experiment, point"

/// Adds what SQL finds, in which ?1 and ?2 stand for texts, to LIST.
static int read_rows(struct database *database, const char *sql, const char *first,
                     const char *second, struct point_list *list, struct error *err)
{
    sqlite3_stmt *statement;
    if (database_prepare(database, &statement, sql, err))
        return -1;
    sqlite3_bind_text(statement, 1, first, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, second, -1, SQLITE_STATIC);
    int row;
    while ((row = database_step(database, statement, err)) == 1) {
        list->rows =
            array_reserve(list->rows, &list->capacity, list->n_rows + 1, sizeof *list->rows);
        list->rows[list->n_rows++] = (struct point_row){
            database_text(statement, 0), database_text(statement, 1), database_text(statement, 2),
            database_text(statement, 3), database_text(statement, 4)};
    }
    sqlite3_finalize(statement);
    if (row < 0)
        point_list_release(list);
    return row;
}

int points_select(struct database *database, const char *application, const char *experiment,
                  struct point_list *list, struct error *err)
{
    *list = (struct point_list){0};
    return read_rows(database,
                     ROWS_SQL "WHERE (?1 IS NULL OR application = ?1) "
                              "AND (?2 IS NULL OR experiment = ?2) " ROWS_ORDER,
                     application, experiment, list, err);
}

int points_find(struct database *database, const char *selector, struct point_list *list,
                struct error *err)
{
    *list = (struct point_list){0};
    return read_rows(database,
                     ROWS_SQL "WHERE point = ?1 OR experiment || '/' || point = ?1 OR "
                              "application || '/' || experiment || '/' || point = ?1 " ROWS_ORDER,
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
    return run_with(database,
                    "DELETE FROM point_not_run WHERE ?1 = 0 AND name = ?2 AND experiment_id = "
                    "(SELECT e.id FROM experiment e JOIN application a ON a.id = e.application_id "
                    "WHERE e.name = ?3 AND a.name = ?4)",
                    0, (const char *const[4]){point->name, point->experiment, point->application},
                    NULL, err);
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
    list->rows = array_reserve(list->rows, &list->capacity, list->n_rows + 1, sizeof *list->rows);
    list->rows[list->n_rows++] = *row;
    *row = (struct point_row){0};
}

void point_list_release(struct point_list *list)
{
    for (size_t i = 0; i < list->n_rows; i++) {
        free(list->rows[i].application);
        free(list->rows[i].experiment);
        free(list->rows[i].name);
        free(list->rows[i].state);
        free(list->rows[i].reason);
    }
    free(list->rows);
    *list = (struct point_list){0};
}
