// SPDX-License-Identifier: BSD-3-Clause
// A file is identified before anything is written to it: what is not ours stays as it was. The
// journal is a write-ahead log where the file system is known to be local, else a rollback journal
// (https://www.sqlite.org/wal.html, "WAL does not work over a network filesystem").
#include "db/database.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/schema.h"

enum { BUSY_TIMEOUT_MS = 60000 }; // a writer of a very large run holds the lock for some seconds

/// How long a lock is waited for: PAGODA_STORE_TIMEOUT in seconds, else a minute.
static int busy_timeout_ms(void)
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
    SCOPED char *folder = memory_copy_text(path);
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
    return reason;
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
                         busy_timeout_ms() / 1000.0);
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

int database_begin(struct database *database, struct error *err)
{
    return database_run(database, "BEGIN IMMEDIATE", err);
}

int database_begin_adding(struct database *database, struct error *err)
{
    return database_run(database, "PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE", err);
}

int database_end(struct database *database, int status, struct error *err)
{
    if (status == 0)
        status = database_run(database, "COMMIT", err);
    // After some errors SQLite has rolled back already; then there is nothing to do.
    if (status && !sqlite3_get_autocommit(database->handle))
        sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

void database_close(struct database *database)
{
    if (!database)
        return;
    for (size_t i = 0; i < DATABASE_STATEMENTS; i++) {
        sqlite3_finalize(database->statements[i].statement);
        free(database->statements[i].sql);
    }
    sqlite3_close_v2(database->handle);
    FREE_ALL(database->path, database);
}

// --- statements

static sqlite3_stmt *compile(struct database *database, const char *sql, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL);
    if (code != SQLITE_OK)
        database_error(database, code, err);
    return statement;
}

/// The statement SQL, compiled now or earlier. NULL and ERR.
static sqlite3_stmt *kept_statement(struct database *database, const char *sql, struct error *err)
{
    for (unsigned i = 0, place = database->last_statement; i < DATABASE_STATEMENTS; i++) {
        if (database->statements[place].sql && !strcmp(database->statements[place].sql, sql)) {
            database->last_statement = place;
            return database->statements[place].statement;
        }
        place = (place + 1) % DATABASE_STATEMENTS;
    }
    sqlite3_stmt *statement = compile(database, sql, err);
    unsigned place = database->next_statement;
    if (!statement)
        return NULL;
    sqlite3_finalize(database->statements[place].statement);
    free(database->statements[place].sql);
    database->statements[place].statement = statement;
    database->statements[place].sql = memory_copy_text(sql);
    database->last_statement = place;
    database->next_statement = (place + 1) % DATABASE_STATEMENTS;
    return statement;
}

/// Binds ?1 and so on; returns the letters of the columns.
static const char *bind(sqlite3_stmt *statement, const char *letters, va_list *values)
{
    int i = 1;
    for (; *letters && *letters != '>'; letters++, i++) {
        uint64_t count;
        switch (*letters) {
        case 'i':
            sqlite3_bind_int64(statement, i, va_arg(*values, int64_t));
            break;
        case 'n':
            count = va_arg(*values, uint64_t);
            if (count <= INT64_MAX)
                sqlite3_bind_int64(statement, i, (int64_t)count);
            else
                sqlite3_bind_double(statement, i, (double)count);
            break;
        case 'b':
            sqlite3_bind_int(statement, i, va_arg(*values, int));
            break;
        case 'd':
            sqlite3_bind_double(statement, i, va_arg(*values, double));
            break;
        case 's':
            sqlite3_bind_text(statement, i, va_arg(*values, const char *), -1, SQLITE_STATIC);
            break;
        default:
            assert(*letters == 't' && "bug: no such letter");
            sqlite3_bind_text(statement, i, utf8_clean(va_arg(*values, const char *)), -1, free);
        }
    }
    return *letters ? letters + 1 : letters;
}

static void take_column(sqlite3_stmt *row, int i, char letter, void *to)
{
    const char *text;
    int64_t number;
    switch (letter) {
    case 'i':
        *(int64_t *)to = sqlite3_column_int64(row, i);
        break;
    case 'n':
        number = sqlite3_column_int64(row, i);
        *(uint64_t *)to = number > 0 ? (uint64_t)number : 0;
        break;
    case 'b':
        *(bool *)to = sqlite3_column_int(row, i) != 0;
        break;
    case 'd':
        *(double *)to =
            sqlite3_column_type(row, i) == SQLITE_NULL ? NAN : sqlite3_column_double(row, i);
        break;
    case 's':
        *(const char **)to = (const char *)sqlite3_column_text(row, i);
        break;
    case 'c':
        text = (const char *)sqlite3_column_text(row, i);
        *(char **)to = memory_copy_text(text ? text : "");
        break;
    default:
        assert(letter == 't' && "bug: no such letter");
        *(char **)to = utf8_clean((const char *)sqlite3_column_text(row, i));
    }
}

/// One step: 1 a row, whose columns are taken, 0 none, -1 and ERR.
static int step(struct database *database, sqlite3_stmt *statement, const char *letters,
                va_list *variables, struct error *err)
{
    int code = sqlite3_step(statement);
    for (int i = 0; code == SQLITE_ROW && letters[i]; i++)
        take_column(statement, i, letters[i], va_arg(*variables, void *));
    return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : database_error(database, code, err);
}

/// Runs SQL up to its first row; then it is ready for other values.
static int run_once(struct database *database, struct error *err, const char *sql,
                    const char *letters, va_list *values)
{
    sqlite3_stmt *statement = kept_statement(database, sql, err);
    if (!statement)
        return -1;
    const char *columns = bind(statement, letters, values);
    int row = step(database, statement, columns, values, err);
    sqlite3_reset(statement);
    return row;
}

int database_do(struct database *database, struct error *err, const char *sql, const char *letters,
                ...)
{
    va_list values;
    va_start(values, letters);
    int row = run_once(database, err, sql, letters, &values);
    va_end(values);
    return row < 0 ? -1 : 0;
}

int database_ask(struct database *database, struct error *err, const char *sql, const char *letters,
                 ...)
{
    va_list values;
    va_start(values, letters);
    int row = run_once(database, err, sql, letters, &values);
    va_end(values);
    return row;
}

int database_is_sound(struct database *database, struct error *err, const char *check)
{
    SCOPED char *answer = NULL;
    int row = database_ask(database, err, check, ">c", &answer);
    return row == 1 ? strcmp(answer, "ok") == 0 : row;
}

sqlite3_stmt *database_query(struct database *database, struct error *err, const char *sql,
                             const char *letters, ...)
{
    sqlite3_stmt *statement = compile(database, sql, err);
    va_list values;
    va_start(values, letters);
    if (statement)
        bind(statement, letters, &values);
    va_end(values);
    return statement;
}

int database_row(struct database *database, struct error *err, sqlite3_stmt *statement,
                 const char *letters, ...)
{
    va_list columns;
    if (!statement)
        return -1;
    va_start(columns, letters);
    int row = step(database, statement, letters, &columns, err);
    va_end(columns);
    return row;
}

void database_quote(FILE *sql, const char *text)
{
    char *quoted = sqlite3_mprintf("%Q", text);
    fputs(quoted, sql);
    sqlite3_free(quoted);
}

/// A member of a row.
union cell {
    int64_t whole;
    double real;
    char *text;
};

void database_rows_free(void *rows, size_t n, const char *letters)
{
    union cell *cells = rows;
    size_t n_columns = strlen(letters);
    for (size_t i = 0; rows && i < n * n_columns; i++)
        if (strchr("tc", letters[i % n_columns]))
            free(cells[i].text);
    free(rows);
}

void *database_rows(struct database *database, struct error *err, size_t *n, const char *sql,
                    const char *letters, ...)
{
    sqlite3_stmt *statement = compile(database, sql, err);
    const char *columns = strchr(letters, '>') + 1;
    size_t capacity = 0, n_columns = strlen(columns);
    union cell *cells = array_reserve(NULL, &capacity, n_columns, sizeof *cells);
    int row = -1;
    *n = 0;
    if (statement) {
        va_list values;
        va_start(values, letters);
        bind(statement, letters, &values);
        va_end(values);
        while ((row = step(database, statement, "", NULL, err)) == 1) {
            cells = array_reserve(cells, &capacity, (*n + 1) * n_columns, sizeof *cells);
            for (size_t i = 0; i < n_columns; i++)
                take_column(statement, (int)i, columns[i], &cells[*n * n_columns + i]);
            (*n)++;
        }
    }
    sqlite3_finalize(statement);
    if (row == 0)
        return cells;
    database_rows_free(cells, *n, columns);
    *n = 0;
    return NULL;
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

static int read_version(struct database *database, uint32_t *version, struct error *err)
{
    int64_t number = 0;
    int row = database_ask(database, err, "PRAGMA user_version", ">i", &number);
    *version = (uint32_t)number;
    return row < 0 ? -1 : 0;
}

static int apply_steps(struct database *database, const char *const *steps, uint32_t from,
                       uint32_t to, struct error *err)
{
    for (uint32_t step = from; step < to; step++)
        if (database_run(database, steps[step], err))
            return error_wrap(err, "cannot bring %s from schema %u to %u", database->path, step,
                              step + 1);
    char marks[96];
    snprintf(marks, sizeof marks, "PRAGMA application_id = %d; PRAGMA user_version = %u",
             SCHEMA_APPLICATION_ID, to);
    return database_run(database, marks, err);
}

int database_migrate(struct database *database, const char *const *steps, uint32_t n_steps,
                     struct error *err)
{
    if (database_begin(database, err))
        return -1;
    // Read under the lock: another process may have done the work meanwhile.
    uint32_t version;
    int status = read_version(database, &version, err);
    if (status == 0 && version < n_steps)
        status = apply_steps(database, steps, version, n_steps, err);
    return database_end(database, status, err);
}

/// Tells a Pagoda database and an empty file (*VERSION 0) from everything else.
static int identify(struct database *database, uint32_t *version, struct error *err)
{
    int64_t application_id = 0, n_tables = 0;
    // One look: between two, another process may turn an empty file into a database.
    int status = database_run(database, "BEGIN", err);
    if (status == 0 &&
        (database_ask(database, err, "PRAGMA application_id", ">i", &application_id) < 0 ||
         database_ask(database, err, "SELECT count(*) FROM sqlite_master", ">i", &n_tables) < 0))
        status = -1;
    if (status == 0)
        status = read_version(database, version, err);
    if (database_end(database, status, err))
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
/// there is no log to read: then the file itself holds everything and no process can change it.
static bool is_frozen(const char *path)
{
    SCOPED char *log = memory_format("%s-wal", path);
    SCOPED char *folder = memory_copy_text(path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    return access(slash ? folder : ".", W_OK) != 0 && access(log, F_OK) != 0;
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
    SCOPED char *name = is_frozen_file ? uri_of(file, "immutable=1")
                                       : memory_format("%s%s", file[0] == '/' ? "" : "./", file);
    int code = sqlite3_open_v2(name, &database->handle, flags, NULL);
    if (code != SQLITE_OK)
        return database_error(database, code, err);
    distrust_schema(database->handle);
    sqlite3_extended_result_codes(database->handle, 1);
    sqlite3_busy_timeout(database->handle, busy_timeout_ms());
    return 0;
}

/// Closes *DATABASE where STATUS is not 0; returns STATUS.
static int unless_failed(struct database **database, int status)
{
    if (status) {
        database_close(*database);
        *database = NULL;
    }
    return status;
}

static int refuse_empty(const struct database *database, struct error *err)
{
    return error_set(err, "%s is not a Pagoda database: it is empty", database->path);
}

static int prepare_reading(struct database *database, uint32_t version, struct error *err)
{
    if (version == 0)
        return refuse_empty(database, err);
    if (version < schema_version && sqlite3_db_readonly(database->handle, "main") == 1)
        return error_set(err,
                         "the database %s has the older schema %" PRIu32 " and is read-only: "
                         "make it writable once, so that it can be brought up to date",
                         database->path, version);
    if (version < schema_version && database_migrate(database, schema_steps, schema_version, err))
        return -1;
    return database_run(database, "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY", err);
}

static int prepare_writing(struct database *database, const char *file, enum database_mode mode,
                           uint32_t version, struct error *err)
{
    if (version == 0 && mode != DATABASE_CREATE)
        return refuse_empty(database, err);
    if (sqlite3_db_readonly(database->handle, "main") == 1)
        return database_error(database, SQLITE_READONLY, err);
    if (version < schema_version && database_migrate(database, schema_steps, schema_version, err))
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

static bool only_reads(enum database_mode mode)
{
    return mode == DATABASE_READ || mode == DATABASE_READ_ONLY;
}

/// Opens FILE, called PATH in messages, and reads the VERSION of its schema; nothing is written.
static int open_identified(struct database **database, const char *file, const char *path,
                           enum database_mode mode, uint32_t *version, struct error *err)
{
    *database = NULL;
    if (!file || !file[0])
        return error_set(err, "the database's name is empty");
    *database = memory_zeroed(1, sizeof **database);
    (*database)->path = memory_copy_text(path);
    int status = open_handle(*database, file, mode, only_reads(mode) && is_frozen(file), err);
    if (status == 0)
        status = identify(*database, version, err);
    return unless_failed(database, status);
}

int database_open_as(struct database **database, const char *file, const char *path,
                     enum database_mode mode, struct error *err)
{
    uint32_t version;
    if (open_identified(database, file, path, mode, &version, err))
        return -1;
    return unless_failed(database, only_reads(mode)
                                       ? prepare_reading(*database, version, err)
                                       : prepare_writing(*database, file, mode, version, err));
}

int database_open(struct database **database, const char *path, enum database_mode mode,
                  struct error *err)
{
    return database_open_as(database, path, path, mode, err);
}

bool database_is_file(const char *path)
{
    char bytes[16];
    FILE *file = fopen(path, "re");
    size_t n_bytes = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    return !file || (n_bytes == sizeof bytes && memcmp(bytes, "SQLite format 3", n_bytes) == 0);
}

int database_open_snapshot(struct database **database, const char *path, struct error *err)
{
    if (database_open(database, path, DATABASE_READ, err))
        return -1;
    return unless_failed(database, database_run(*database, "BEGIN", err));
}

// --- databases for a while

static void for_each_file(const char *path, void (*each)(const char *file))
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        SCOPED char *file = memory_format("%s%s", path, endings[i]);
        each(file);
    }
}

void database_scratch_begin(const char *path)
{
    for_each_file(path, scratch_path_begin);
}

void database_scratch_end(const char *path)
{
    for_each_file(path, scratch_path_end);
}

// --- databases in memory, and attached ones

_Static_assert(SQLITE_VERSION_NUMBER >= 3036000,
               "shared databases in memory came with SQLite 3.36");

/// Other connections of the process reach a database in memory by this name; the caller frees.
static char *memory_uri(const struct database *memory)
{
    return memory_format("file:/pagoda-%p?vfs=memdb", (const void *)memory);
}

/// An empty database in memory.
static int open_memory(struct database **database, const char *name, struct error *err)
{
    *database = memory_zeroed(1, sizeof **database);
    (*database)->path = memory_copy_text(name);
    SCOPED char *uri = memory_uri(*database);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
    int code = sqlite3_open_v2(uri, &(*database)->handle, flags, NULL);
    distrust_schema((*database)->handle);
    return code == SQLITE_OK ? 0 : database_error(*database, code, err);
}

int database_open_memory(struct database **database, const char *name, struct error *err)
{
    int status = open_memory(database, name, err);
    if (status == 0)
        status = database_migrate(*database, schema_steps, schema_version, err);
    return unless_failed(database, status);
}

/// Brings a copy of FILE, which has an older schema, up to date.
static int open_migrated_copy(struct database **copy, struct database *file, struct error *err)
{
    int status = open_memory(copy, file->path, err);
    sqlite3_backup *backup =
        status == 0 ? sqlite3_backup_init((*copy)->handle, "main", file->handle, "main") : NULL;
    if (backup) {
        sqlite3_backup_step(backup, -1);
        int code = sqlite3_backup_finish(backup);
        status = code == SQLITE_OK ? database_migrate(*copy, schema_steps, schema_version, err)
                                   : database_error(file, code, err);
    } else if (status == 0) {
        status = database_error(*copy, sqlite3_errcode((*copy)->handle), err);
    }
    return unless_failed(copy, status);
}

/// PATH is what messages call the file at URI.
static int attach(struct database *database, const char *path, const char *uri, struct error *err)
{
    struct error ignored;
    if (database_do(database, &ignored, "ATTACH ?1 AS source", "s", uri) == 0)
        return 0;
    const struct database named = {.handle = database->handle, .path = (char *)path};
    return database_error(&named, sqlite3_errcode(database->handle), err);
}

int database_attach_memory(struct database *database, struct database *memory, struct error *err)
{
    SCOPED char *uri = memory_uri(memory);
    return attach(database, memory->path, uri, err);
}

int database_attach(struct database *database, const char *path, struct database **keeper,
                    struct error *err)
{
    uint32_t version;
    if (open_identified(keeper, path, path, DATABASE_READ, &version, err))
        return -1;
    int status;
    if (version == 0) {
        status = refuse_empty(*keeper, err);
    } else if (version < schema_version) {
        struct database *copy;
        status = open_migrated_copy(&copy, *keeper, err);
        database_close(*keeper);
        *keeper = copy;
        if (status == 0)
            status = database_attach_memory(database, copy, err);
    } else {
        SCOPED char *uri = uri_of(path, is_frozen(path) ? "immutable=1" : "mode=ro");
        status = attach(database, path, uri, err);
    }
    return unless_failed(keeper, status);
}

void database_detach(struct database *database, struct database *keeper)
{
    sqlite3_exec(database->handle, "DETACH source", NULL, NULL, NULL);
    database_close(keeper);
}
