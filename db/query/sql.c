// SPDX-License-Identifier: BSD-3-Clause
// See sql.h. Three locks, of which each would do: the file is opened read-only, the
// connection is query_only, and SQLite asks an authorizer about each thing a statement does when it
// compiles it (https://www.sqlite.org/c3ref/set_authorizer.html).
#include "db/query/sql.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "db/database.h"
#include "db/open.h"

static int authorize(void *user, int action, const char *first, const char *second,
                     const char *third, const char *fourth)
{
    (void)user, (void)first, (void)third, (void)fourth;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION: // the one function that loads code
        return second && !strcasecmp(second, "load_extension") ? SQLITE_DENY : SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

/// A blob as hexadecimal digits; the caller frees.
static char *hex_text(const unsigned char *bytes, size_t n_bytes)
{
    char *text = memory_new(2 * n_bytes + 1);
    text[0] = '\0';
    for (size_t i = 0; i < n_bytes; i++)
        sprintf(text + 2 * i, "%02x", bytes[i]);
    return text;
}

static void take_row(sqlite3_stmt *statement, struct sql_value *values, char **blobs, size_t n,
                     const struct sql_taker *taker)
{
    for (size_t i = 0; i < n; i++) {
        int column = (int)i;
        values[i] = (struct sql_value){.kind = SQL_NULL};
        blobs[i] = NULL;
        switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER:
            values[i].kind = SQL_INTEGER;
            values[i].integer = sqlite3_column_int64(statement, column);
            break;
        case SQLITE_FLOAT:
            values[i].kind = SQL_NUMBER;
            values[i].number = sqlite3_column_double(statement, column);
            break;
        case SQLITE_TEXT:
            values[i].kind = SQL_TEXT;
            values[i].text = (const char *)sqlite3_column_text(statement, column);
            break;
        case SQLITE_BLOB:
            blobs[i] = hex_text(sqlite3_column_blob(statement, column),
                                (size_t)sqlite3_column_bytes(statement, column));
            values[i].kind = SQL_TEXT;
            values[i].text = blobs[i];
            break;
        default:
            break;
        }
    }
    taker->row(taker->user, values, n);
    for (size_t i = 0; i < n; i++)
        free(blobs[i]);
}

static int only_reads(const struct database *database, struct error *err)
{
    return error_set(err, "--sql may only read: SELECT from the tables and views of %s",
                     database->path);
}

/// Is there anything in SQL but space, semicolons and comments?
static bool has_statement(struct database *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_OK;
    while (*sql && code == SQLITE_OK && !statement)
        code = sqlite3_prepare_v2(database->handle, sql, -1, &statement, &sql);
    sqlite3_finalize(statement);
    return code != SQLITE_OK || statement;
}

/// Prepares the only statement in SQL. 0, or -1 and ERR.
static int prepare(struct database *database, const char *sql, sqlite3_stmt **statement,
                   struct error *err)
{
    const char *rest = "";
    int code = sqlite3_prepare_v2(database->handle, sql, -1, statement, &rest);
    if (code == SQLITE_AUTH)
        return only_reads(database, err);
    if (code == SQLITE_ERROR)
        return error_set(err, "the SQL is wrong: %s", sqlite3_errmsg(database->handle));
    if (code != SQLITE_OK)
        return database_error(database, code, err);
    if (!*statement)
        return error_set(err, "the SQL is empty");
    if (has_statement(database, rest))
        return error_set(err, "the SQL is more than one statement");
    if (!sqlite3_stmt_readonly(*statement))
        return only_reads(database, err);
    return 0;
}

static int run(struct database *database, const char *sql, const struct sql_taker *taker,
               struct error *err)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_set_authorizer(database->handle, authorize, NULL);
    if (prepare(database, sql, &statement, err)) {
        sqlite3_finalize(statement);
        return -1;
    }
    size_t n = (size_t)sqlite3_column_count(statement);
    const char **names = memory_zeroed(n, sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = sqlite3_column_name(statement, (int)i);
    taker->columns(taker->user, names, n);
    struct sql_value *values = memory_zeroed(n, sizeof *values);
    char **blobs = memory_zeroed(n, sizeof *blobs);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        take_row(statement, values, blobs, n, taker);
    int status = 0;
    if ((code & 0xFF) == SQLITE_ERROR)
        status = error_set(err, "the SQL failed: %s", sqlite3_errmsg(database->handle));
    else if (code != SQLITE_DONE)
        status = database_error(database, code, err);
    sqlite3_finalize(statement);
    free(names);
    free(values);
    free(blobs);
    return status;
}

int sql_query(const char *path, const char *sql, const struct sql_taker *taker, struct error *err)
{
    struct database *keeper, *reader;
    // The keeper brings an older schema up to date, and when it is the last one to close removes
    // the files of the write-ahead log; a read-only connection can do neither.
    if (database_open(&keeper, path, DATABASE_READ, err))
        return -1;
    int status = database_open(&reader, path, DATABASE_READ_ONLY, err);
    if (status == 0)
        status = run(reader, sql, taker, err);
    database_close(reader);
    database_close(keeper);
    return status;
}
