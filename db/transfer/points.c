// SPDX-License-Identifier: BSD-3-Clause
// See points.h. Of two notes of one point the later one is kept.
#include "db/transfer/points.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "db/points.h"

/// Writes {"KEY":[...]} with COUNT columns of a row, which are texts, from column FIRST on.
static void put_line(FILE *stream, const char *key, sqlite3_stmt *statement, int first, int count)
{
    fprintf(stream, "{\"%s\":[", key);
    for (int i = first; i < first + count; i++) {
        char *clean = database_text(statement, i);
        fputs(i > first ? "," : "", stream);
        json_line_put_text(stream, clean);
        free(clean);
    }
    fputs("]}\n", stream);
}

static int put_parameters(struct database *database, sqlite3_stmt *statement, int64_t experiment,
                          const char *point, FILE *stream, struct error *err)
{
    int row;
    sqlite3_bind_int64(statement, 1, experiment);
    sqlite3_bind_text(statement, 2, point, -1, SQLITE_TRANSIENT);
    while ((row = database_step(database, statement, err)) == 1)
        put_line(stream, "point_parameter", statement, 0, 2);
    sqlite3_reset(statement);
    return row;
}

int points_export(struct database *database, const char *application, const char *experiment,
                  FILE *stream, size_t *n_points, struct error *err)
{
    static const char points_sql[] =
        "SELECT a.name, e.name, p.name, p.state, p.reason, p.noted_at, e.id FROM point_not_run p "
        "JOIN experiment e ON e.id = p.experiment_id JOIN application a ON a.id = "
        "e.application_id WHERE (?1 IS NULL OR a.name GLOB ?1) AND (?2 IS NULL OR e.name GLOB ?2) "
        "ORDER BY 1, 2, 3";
    static const char parameters_sql[] = "SELECT name, value FROM point_parameter WHERE "
                                         "experiment_id = ?1 AND point = ?2 ORDER BY name";
    sqlite3_stmt *points, *parameters = NULL;
    if (database_prepare(database, &points, points_sql, err))
        return -1;
    int row = database_prepare(database, &parameters, parameters_sql, err);
    sqlite3_bind_text(points, 1, application, -1, SQLITE_STATIC);
    sqlite3_bind_text(points, 2, experiment, -1, SQLITE_STATIC);
    while (row >= 0 && (row = database_step(database, points, err)) == 1) {
        put_line(stream, "point", points, 0, POINT_LINE_TEXTS);
        (*n_points)++;
        if (put_parameters(database, parameters, sqlite3_column_int64(points, POINT_LINE_TEXTS),
                           (const char *)sqlite3_column_text(points, 2), stream, err))
            row = -1;
    }
    sqlite3_finalize(parameters);
    sqlite3_finalize(points);
    return row < 0 ? -1 : 0;
}

static void forget_point(struct point_import *import)
{
    for (size_t i = 0; i < POINT_LINE_TEXTS; i++) {
        free(import->texts[i]);
        import->texts[i] = NULL;
    }
    for (size_t i = 0; i < import->n_parameters; i++) {
        free(import->parameters[i].name);
        free(import->parameters[i].value);
    }
    import->n_parameters = 0;
}

/// Stores the point that has been read, if there is one.
static int take_point(struct point_import *import, struct error *err)
{
    bool is_taken = false;
    int status = 0;
    if (import->texts[0]) {
        const struct point_note note = {.name = import->texts[2],
                                        .state = import->texts[3],
                                        .reason = import->texts[4],
                                        .noted_at = import->texts[5],
                                        .parameters = import->parameters,
                                        .n_parameters = import->n_parameters};
        status = points_take(import->database, import->texts[0], import->texts[1], &note, &is_taken,
                             err);
    }
    import->n_taken += is_taken;
    forget_point(import);
    return status;
}

int point_import_begin(struct point_import *import, const struct json_lines *lines,
                       struct error *err)
{
    if (take_point(import, err))
        return -1;
    for (size_t i = 0; i < POINT_LINE_TEXTS; i++)
        import->texts[i] = memory_copy_text(json_lines_at(lines, i).text);
    return 0;
}

void point_import_parameter(struct point_import *import, const struct json_lines *lines)
{
    import->parameters = array_reserve(import->parameters, &import->capacity,
                                       import->n_parameters + 1, sizeof *import->parameters);
    import->parameters[import->n_parameters++] =
        (struct result_named){memory_copy_text(json_lines_at(lines, 0).text),
                              memory_copy_text(json_lines_at(lines, 1).text)};
}

int point_import_end(struct point_import *import, struct error *err)
{
    return take_point(import, err) || points_forget_run(import->database, err) ? -1 : 0;
}

void point_import_release(struct point_import *import)
{
    forget_point(import);
    free(import->parameters);
    *import = (struct point_import){0};
}
