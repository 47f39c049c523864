// SPDX-License-Identifier: BSD-3-Clause
// Talking to an SQLite file (database.h).
#include "db/database.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

enum { BUSY_TIMEOUT_MS = 60000 }; // a writer of a very large run holds the lock for some seconds

int database_busy_timeout_ms(void)
{
    const char *text = getenv("PAGODA_STORE_TIMEOUT");
    char *end;
    double seconds = text && *text ? strtod(text, &end) : -1;
    return seconds >= 0 && seconds <= 86400 && !*end ? (int)(seconds * 1000) : BUSY_TIMEOUT_MS;
}

/// The system's reason why PATH cannot be opened, looked up again because SQLite does not keep it
/// for every case. NULL when there is none to see.
static const char *open_failure(const char *path, bool is_directory_needed)
{
    struct stat status;
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return "it is a directory";
        return access(path, R_OK) ? strerror(errno) : NULL;
    }
    if (errno != ENOENT || !is_directory_needed)
        return strerror(errno);
    char *folder = memory_copy_text(path);
    char *slash = strrchr(folder, '/');
    const char *reason = NULL;
    if (slash && slash != folder) {
        *slash = '\0';
        if (stat(folder, &status))
            reason = "its directory does not exist";
        else if (!S_ISDIR(status.st_mode))
            reason = strerror(ENOTDIR);
    }
    if (!reason && access(slash == folder ? "/" : slash ? folder : ".", W_OK))
        reason = strerror(errno);
    free(folder);
    return reason;
}

int database_rows_of(struct database *database, const char *sql, int64_t trial,
                     void (*take)(struct sqlite3_stmt *row, void *user), void *user,
                     struct error *err)
{
    sqlite3_stmt *statement;
    if (database_prepare(database, &statement, sql, err))
        return -1;
    sqlite3_bind_int64(statement, 1, trial);
    int row;
    while ((row = database_step(database, statement, err)) == 1)
        take(statement, user);
    sqlite3_finalize(statement);
    return row;
}

char *database_text(sqlite3_stmt *statement, int column)
{
    return utf8_clean((const char *)sqlite3_column_text(statement, column));
}

int database_error(const struct database *database, int code, struct error *err)
{
    const char *path = database->path;
    int system_error = database->handle ? sqlite3_system_errno(database->handle) : 0;
    const char *reason;
    switch (code & 0xFF) {
    case SQLITE_NOTADB:
        return error_set(err, "%s is not a Pagoda database", path);
    case SQLITE_CORRUPT:
        return error_set(
            err,
            "the database %s is damaged: take an older copy of it, or save what can be "
            "read with `sqlite3 %s .recover`",
            path, path);
    case SQLITE_FULL:
        return error_set(err, "there is no space left for the database %s; it is unchanged", path);
    case SQLITE_READONLY:
        return error_set(err, "the database %s is read-only", path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(err, "the database %s is still in use by another process after %g s", path,
                         database_busy_timeout_ms() / 1000.0);
    case SQLITE_CANTOPEN:
        reason = open_failure(path, true);
        return error_set(err, "cannot open the database %s: %s", path,
                         reason         ? reason
                         : system_error ? strerror(system_error)
                                        : "the system does not say why");
    case SQLITE_IOERR:
        if (system_error == ENOSPC || system_error == EDQUOT)
            return database_error(database, SQLITE_FULL, err);
        return error_set(err, "cannot read or write the database %s: %s", path,
                         system_error ? strerror(system_error) : sqlite3_errstr(code));
    default:
        return error_set(err, "the database %s failed: %s", path,
                         database->handle ? sqlite3_errmsg(database->handle)
                                          : sqlite3_errstr(code));
    }
}

int database_run(struct database *database, const char *sql, struct error *err)
{
    int code = sqlite3_exec(database->handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : database_error(database, code, err);
}

int database_prepare(struct database *database, struct sqlite3_stmt **statement, const char *sql,
                     struct error *err)
{
    int code = sqlite3_prepare_v2(database->handle, sql, -1, statement, NULL);
    return code == SQLITE_OK ? 0 : database_error(database, code, err);
}

int database_step(struct database *database, struct sqlite3_stmt *statement, struct error *err)
{
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        return 1;
    return code == SQLITE_DONE ? 0 : database_error(database, code, err);
}

int database_execute(struct database *database, struct sqlite3_stmt *statement, struct error *err)
{
    int code = sqlite3_step(statement);
    int status = code == SQLITE_DONE ? 0 : database_error(database, code, err);
    sqlite3_reset(statement);
    return status;
}

int database_trust_references(struct database *database, struct error *err)
{
    return database_run(database, "PRAGMA foreign_keys = OFF", err);
}

int database_begin(struct database *database, struct error *err)
{
    return database_run(database, "BEGIN IMMEDIATE", err);
}

int database_commit(struct database *database, struct error *err)
{
    if (database_run(database, "COMMIT", err) == 0)
        return 0;
    database_rollback(database);
    return -1;
}

void database_rollback(struct database *database)
{
    // After some errors SQLite has rolled back already; then there is nothing to do.
    if (!sqlite3_get_autocommit(database->handle))
        sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
}

void database_close(struct database *database)
{
    if (!database)
        return;
    sqlite3_close_v2(database->handle);
    free(database->path);
    free(database);
}
