// SPDX-License-Identifier: BSD-3-Clause
// Three barriers, each sufficient by itself: the file is opened read-only, the connection is
// query_only, and SQLite asks an authorizer about each action of a statement when it compiles it
// (https://www.sqlite.org/c3ref/set_authorizer.html). A handler that SQLite calls every few
// thousand steps limits the time; lengths of values and patterns limit the time of one step
// (https://www.sqlite.org/security.html).
#include "db/query/query.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/base/memory.h"
#include "db/database.h"

enum { MAX_VALUE_BYTES = 16 << 20, MAX_PATTERN_BYTES = 100, STEPS_BETWEEN_LOOKS = 10000 };

const struct sql_limits sql_default_limits = {.seconds = 60, .size_bytes = UINT64_C(512) << 20};

/// A query and how much it may still take.
struct limited {
    const struct sql_limits *limits;
    double end_s;         // processor time
    uint64_t taken_bytes; // by rows
};

static double processor_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int is_over_time(void *user)
{
    const struct limited *limited = user;
    return processor_s() > limited->end_s;
}

/// SQLite sorts in memory, where the limit holds, instead of filling the disk.
static int set_limits(struct database *database, struct limited *limited, struct error *err)
{
    limited->end_s = processor_s() + limited->limits->seconds;
    sqlite3_hard_heap_limit64((sqlite3_int64)limited->limits->size_bytes);
    sqlite3_limit(database->handle, SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES);
    sqlite3_limit(database->handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_PATTERN_BYTES);
    sqlite3_progress_handler(database->handle, STEPS_BETWEEN_LOOKS, is_over_time, limited);
    return database_run(database, "PRAGMA temp_store = MEMORY", err);
}

static int too_much(const struct limited *limited, struct error *err)
{
    return error_set(
        err, "the SQL needs more than %" PRIu64 " MiB of memory: select less, or use sqlite3",
        limited->limits->size_bytes >> 20);
}

/// Says which limit CODE is about. False: none.
static bool exceeds(const struct limited *limited, int code, struct error *err)
{
    switch (code & 0xFF) {
    case SQLITE_INTERRUPT:
        error_set(err, "the SQL took more than %.3g s: select less, or use sqlite3",
                  limited->limits->seconds);
        return true;
    case SQLITE_NOMEM:
        too_much(limited, err);
        return true;
    case SQLITE_TOOBIG:
        error_set(err, "the SQL makes a value of more than %d MiB", MAX_VALUE_BYTES >> 20);
        return true;
    default:
        return false;
    }
}

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

/// Returns the bytes of the row.
static uint64_t take_row(sqlite3_stmt *statement, struct sql_value *values, char **blobs, size_t n,
                         const struct sql_consumer *consumer)
{
    uint64_t size_bytes = n * sizeof *values;
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
    consumer->row(consumer->user, values, n);
    for (size_t i = 0; i < n; i++) {
        size_bytes += values[i].kind == SQL_TEXT ? strlen(values[i].text) : 0;
        free(blobs[i]);
    }
    return size_bytes;
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
static int prepare(struct database *database, const char *sql, const struct limited *limited,
                   sqlite3_stmt **statement, struct error *err)
{
    const char *rest = "";
    int code = sqlite3_prepare_v2(database->handle, sql, -1, statement, &rest);
    if (code == SQLITE_AUTH)
        return only_reads(database, err);
    if (code == SQLITE_ERROR)
        return error_set(err, "the SQL is wrong: %s", sqlite3_errmsg(database->handle));
    if (exceeds(limited, code, err))
        return -1;
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

static int run(struct database *database, const char *sql, struct limited *limited,
               const struct sql_consumer *consumer, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    if (set_limits(database, limited, err))
        return -1;
    sqlite3_set_authorizer(database->handle, authorize, NULL);
    // Views may call what the statement itself may: SQLite 3.40 calls its JSON functions unsafe.
    sqlite3_db_config(database->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, NULL);
    if (prepare(database, sql, limited, &statement, err)) {
        sqlite3_finalize(statement);
        return -1;
    }
    size_t n = (size_t)sqlite3_column_count(statement);
    SCOPED const char **names = memory_zeroed(n, sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = sqlite3_column_name(statement, (int)i);
    consumer->columns(consumer->user, names, n);
    SCOPED struct sql_value *values = memory_zeroed(n, sizeof *values);
    SCOPED char **blobs = memory_zeroed(n, sizeof *blobs);
    int code = SQLITE_ROW;
    while (limited->taken_bytes <= limited->limits->size_bytes &&
           (code = sqlite3_step(statement)) == SQLITE_ROW)
        limited->taken_bytes += take_row(statement, values, blobs, n, consumer);
    int status = 0;
    if (code == SQLITE_ROW)
        status = too_much(limited, err);
    else if (exceeds(limited, code, err))
        status = -1;
    else if ((code & 0xFF) == SQLITE_ERROR)
        status = error_set(err, "the SQL failed: %s", sqlite3_errmsg(database->handle));
    else if (code != SQLITE_DONE)
        status = database_error(database, code, err);
    sqlite3_finalize(statement);
    return status;
}

int sql_query(const char *path, const char *sql, const struct sql_limits *limits,
              const struct sql_consumer *consumer, struct error *err)
{
    struct limited limited = {.limits = limits};
    struct database *keeper, *reader;
    // The keeper brings an older schema up to date, and when it is the last one to close removes
    // the files of the write-ahead log; a read-only connection can do neither.
    if (database_open(&keeper, path, DATABASE_READ, err))
        return -1;
    int status = database_open(&reader, path, DATABASE_READ_ONLY, err);
    if (status == 0)
        status = run(reader, sql, &limited, consumer, err);
    sqlite3_hard_heap_limit64(0);
    database_close(reader);
    database_close(keeper);
    return status;
}
