// SPDX-License-Identifier: BSD-3-Clause
// A file is looked at before anything is written to it: what is not ours stays as it was. The
// journal is a write-ahead log where the file system is known to be local, else a rollback journal
// (https://www.sqlite.org/wal.html, "WAL does not work over a network filesystem").
#include "db/database.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/schema.h"

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

// --- opening

enum { CACHE_KIB = 65536 }; // a run's pages are written once, at the commit

bool database_is_local_filesystem(int64_t magic)
{
    static const int64_t local[] = {
        0xEF53,     // ext2, ext3, ext4
        0x58465342, // XFS
        0x9123683E, // Btrfs
        0x01021994, // tmpfs
        0x858458F6, // ramfs
        0x794C7630, // overlayfs
        0x2FC12FC1, // ZFS
        0xF2F52010, // F2FS
        0x3153464A, // JFS
        0x52654973, // ReiserFS
        0xCA451A4E, // bcachefs
        0x4D44,     // FAT
        0x2011BAB0, // exFAT
    };
    for (size_t i = 0; i < sizeof local / sizeof local[0]; i++)
        if (local[i] == (magic & 0xFFFFFFFF))
            return true;
    return false;
}

/// Reads one integer. 0, or -1 and ERR.
static int read_integer(struct database *database, const char *sql, int64_t *value,
                        struct error *err)
{
    sqlite3_stmt *statement;
    if (database_prepare(database, &statement, sql, err))
        return -1;
    int row = database_step(database, statement, err);
    *value = row == 1 ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return row < 0 ? -1 : 0;
}

/// Tells a Pagoda database and an empty file (*VERSION 0) from everything else.
static int identify(struct database *database, uint32_t *version, struct error *err)
{
    int64_t application_id = 0, n_tables = 0;
    // One look: between two, another process may turn an empty file into a database.
    int status = database_run(database, "BEGIN", err);
    if (status == 0)
        status = read_integer(database, "PRAGMA application_id", &application_id, err) ||
                 read_integer(database, "SELECT count(*) FROM sqlite_master", &n_tables, err) ||
                 schema_read_version(database, version, err);
    database_rollback(database);
    if (status)
        return -1;
    bool is_empty = application_id == 0 && *version == 0 && n_tables == 0;
    if (application_id != SCHEMA_APPLICATION_ID && !is_empty)
        return error_set(err, "%s is not a Pagoda database but another program's", database->path);
    if (*version > schema_version)
        return error_set(err,
                         "the database %s has schema %" PRIu32 " of a newer Pagoda, this one knows "
                         "schemas up to %" PRIu32 ": use the newer Pagoda",
                         database->path, *version, schema_version);
    return 0;
}

/// Chooses the journal by the file system. Only leaving the write-ahead log must succeed: where
/// another process is in the way of entering it, the next one that writes will.
static int set_journal(struct database *database, const char *file, struct error *err)
{
    struct statfs file_system;
    bool is_local = statfs(file, &file_system) == 0 &&
                    database_is_local_filesystem((int64_t)file_system.f_type);
    const char *sql = is_local ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE";
    int code = sqlite3_exec(database->handle, sql, NULL, NULL, NULL);
    if (code == SQLITE_OK || (is_local && (code & 0xFF) == SQLITE_BUSY))
        return 0;
    return database_error(database, code, err);
}

/// True when PATH lies where SQLite cannot make the two side files a write-ahead log needs, and
/// there is no log to read: then the file itself holds everything and nobody can change it.
static bool is_frozen(const char *path)
{
    char *log = memory_format("%s-wal", path);
    char *folder = memory_copy_text(path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    bool frozen = access(slash ? folder : ".", W_OK) != 0 && access(log, F_OK) != 0;
    free(folder);
    free(log);
    return frozen;
}

/// PATH as a URI with the OPTION "immutable=1" or "mode=ro"; the caller frees.
static char *uri_of(const char *path, const char *option)
{
    char *uri = memory_new(3 * strlen(path) + strlen(option) + sizeof "file:./?");
    char *end = uri + sprintf(uri, path[0] == '/' ? "file:" : "file:./");
    for (; *path; path++)
        end += strchr("?#%", *path) ? sprintf(end, "%%%02X", (unsigned char)*path)
                                    : sprintf(end, "%c", *path);
    sprintf(end, "?%s", option);
    return uri;
}

/// Files come from anywhere: nothing that a schema contains runs except plain views.
static void distrust_schema(sqlite3 *handle)
{
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
}

static int open_handle(struct database *database, const char *file, enum database_mode mode,
                       bool is_frozen_file, struct error *err)
{
    int flags = is_frozen_file || mode == DATABASE_READ_ONLY ? SQLITE_OPEN_READONLY
                : mode == DATABASE_CREATE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                          : SQLITE_OPEN_READWRITE;
    // Each connection is used by one thread at a time.
    flags |= SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
    // What begins with a slash or a dot is a path to SQLite too; ":memory:" and "file:..." are not,
    // but to the user they are files.
    char *name = is_frozen_file ? uri_of(file, "immutable=1")
                                : memory_format("%s%s", file[0] == '/' ? "" : "./", file);
    int code = sqlite3_open_v2(name, &database->handle, flags, NULL);
    free(name);
    if (code != SQLITE_OK)
        return database_error(database, code, err);
    distrust_schema(database->handle);
    sqlite3_extended_result_codes(database->handle, 1);
    sqlite3_busy_timeout(database->handle, database_busy_timeout_ms());
    return 0;
}

static int prepare_reading(struct database *database, uint32_t version, struct error *err)
{
    if (version == 0)
        return error_set(err, "%s is not a Pagoda database: it is empty", database->path);
    if (version < schema_version) {
        if (sqlite3_db_readonly(database->handle, "main") == 1)
            return error_set(err,
                             "the database %s has the older schema %" PRIu32 " and is read-only: "
                             "make it writable once, so that it can be brought up to date",
                             database->path, version);
        if (schema_migrate(database, schema_steps, schema_version, err))
            return -1;
    }
    return database_run(database, "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY", err);
}

static int prepare_writing(struct database *database, const char *file, enum database_mode mode,
                           uint32_t version, struct error *err)
{
    if (version == 0 && mode != DATABASE_CREATE)
        return error_set(err, "%s is not a Pagoda database: it is empty", database->path);
    if (sqlite3_db_readonly(database->handle, "main") == 1)
        return database_error(database, SQLITE_READONLY, err);
    if (version < schema_version && schema_migrate(database, schema_steps, schema_version, err))
        return -1;
    if (set_journal(database, file, err))
        return -1;
    char settings[160];
    snprintf(settings, sizeof settings,
             "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; "
             "PRAGMA cache_size = -%d",
             CACHE_KIB);
    return database_run(database, settings, err);
}

int database_open(struct database **database, const char *path, enum database_mode mode,
                  struct error *err)
{
    return database_open_as(database, path, path, mode, err);
}

int database_open_as(struct database **database, const char *file, const char *path,
                     enum database_mode mode, struct error *err)
{
    *database = NULL;
    if (!file || !file[0])
        return error_set(err, "the database's name is empty");
    struct database *new_database = memory_zeroed(1, sizeof *new_database);
    new_database->path = memory_copy_text(path);
    uint32_t version = 0;
    bool only_reads = mode == DATABASE_READ || mode == DATABASE_READ_ONLY;
    int status = open_handle(new_database, file, mode, only_reads && is_frozen(file), err);
    if (status == 0)
        status = identify(new_database, &version, err);
    if (status == 0)
        status = only_reads ? prepare_reading(new_database, version, err)
                            : prepare_writing(new_database, file, mode, version, err);
    if (status) {
        database_close(new_database);
        return -1;
    }
    *database = new_database;
    return 0;
}

int database_attach(struct database *database, const char *path, struct database **keeper,
                    struct error *err)
{
    if (database_open(keeper, path, DATABASE_READ, err))
        return -1;
    char *uri = uri_of(path, is_frozen(path) ? "immutable=1" : "mode=ro");
    sqlite3_stmt *attach = NULL;
    int code = sqlite3_prepare_v2(database->handle, "ATTACH ?1 AS source", -1, &attach, NULL);
    if (code == SQLITE_OK)
        sqlite3_bind_text(attach, 1, uri, -1, SQLITE_STATIC);
    if (code == SQLITE_OK && sqlite3_step(attach) != SQLITE_DONE)
        code = sqlite3_errcode(database->handle);
    sqlite3_finalize(attach);
    free(uri);
    if (code == SQLITE_OK)
        return 0;
    struct database named = {.handle = database->handle, .path = (char *)path};
    database_error(&named, code, err);
    database_close(*keeper);
    *keeper = NULL;
    return -1;
}

int database_open_memory(struct database **database, const char *name, struct error *err)
{
    *database = memory_zeroed(1, sizeof **database);
    (*database)->path = memory_copy_text(name);
    int code = sqlite3_open(":memory:", &(*database)->handle);
    int status = code == SQLITE_OK ? schema_migrate(*database, schema_steps, schema_version, err)
                                   : database_error(*database, code, err);
    if (status) {
        database_close(*database);
        *database = NULL;
    }
    return status;
}

int database_attach_memory(struct database *database, struct database *memory, struct error *err)
{
    if (database_run(database, "ATTACH ':memory:' AS source", err))
        return -1;
    sqlite3_backup *copy = sqlite3_backup_init(database->handle, "source", memory->handle, "main");
    if (copy)
        sqlite3_backup_step(copy, -1);
    int code = copy ? sqlite3_backup_finish(copy) : sqlite3_errcode(database->handle);
    return code == SQLITE_OK ? 0 : database_error(memory, code, err);
}

void database_detach(struct database *database, struct database *keeper)
{
    sqlite3_exec(database->handle, "DETACH source", NULL, NULL, NULL);
    database_close(keeper);
}
