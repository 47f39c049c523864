// SPDX-License-Identifier: BSD-3-Clause
// One open experiment database. SQLite's result codes become sentences here and nowhere else.
//
// Several processes may have the same file open: writers queue (immediate transactions, a busy
// timeout), readers are never blocked on local disks (write-ahead log).
//
// Statements are run with a text of LETTERS, one for each value ?1, ?2, ... and, after a '>', one
// for each column of a row:
//
//     letter  value                                        column
//     i       int64_t                                      int64_t *, 0 for NULL
//     n       uint64_t, a real number above INT64_MAX      uint64_t *, 0 for NULL and below 0
//     b       int or bool                                  bool *
//     d       double                                       double *, NAN for NULL
//     s       const char *, NULL is NULL                   const char **, until the next step
//     t       const char *, of any bytes, NULL is ""       char **, safe to print, to be freed
//     c                                                    char **, as it is stored, to be freed
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"

struct sqlite3;
struct sqlite3_stmt;

enum { DATABASE_STATEMENTS = 24 };

struct database {
    struct sqlite3 *handle;
    char *path; // as the user gave it, for messages
    // Compiled statements that are used again, the oldest one gives way to a new one.
    struct {
        char *sql;
        struct sqlite3_stmt *statement;
    } statements[DATABASE_STATEMENTS];
    unsigned next_statement, last_statement; // to be replaced, used last
};

enum database_mode {
    DATABASE_READ,      // the file must exist; nothing is written but an older schema's update
    DATABASE_READ_ONLY, // the same by a connection that can write nothing at all
    DATABASE_WRITE,     // the file must exist
    DATABASE_CREATE,    // a missing or empty file becomes a database
};

/// Opens PATH, checks that it is a Pagoda database and brings an older schema up to date. Returns 0
/// and *DATABASE (to be closed), or -1 and ERR: missing, unreadable, read-only, damaged, foreign,
/// or of a newer schema. A foreign file is never written to.
int database_open(struct database **database, const char *path, enum database_mode mode,
                  struct error *err);
/// Likewise a FILE that messages call PATH.
int database_open_as(struct database **database, const char *file, const char *path,
                     enum database_mode mode, struct error *err);
/// Whether the file PATH begins as databases of SQLite do; true for one that cannot be read, which
/// opening then complains about.
bool database_is_file(const char *path);
/// Opens PATH for reading and begins a transaction, so that all statements see one state of it.
int database_open_snapshot(struct database **database, const char *path, struct error *err);

/// Makes the tables of the database at PATH readable through DATABASE, which has no transaction
/// open, as those of the schema "source". Nothing writes to the file: of one with an older schema a
/// copy in memory is brought up to date. *KEEPER, a connection of its own, keeps that copy or the
/// files of a write-ahead log in place. 0 (database_detach() when no transaction is open), or -1
/// and ERR as database_open().
int database_attach(struct database *database, const char *path, struct database **keeper,
                    struct error *err);
/// Likewise the database MEMORY, whose transaction has ended.
int database_attach_memory(struct database *database, struct database *memory, struct error *err);
/// KEEPER is closed; it may be NULL.
void database_detach(struct database *database, struct database *keeper);

/// From now on a signal that ends the program also removes the database at PATH, and the files that
/// SQLite keeps beside it (scratch_path_begin()).
void database_scratch_begin(const char *path);
/// Removes them.
void database_scratch_end(const char *path);

/// A new database in memory, called NAME in messages. 0 (to be closed), or -1 and ERR.
int database_open_memory(struct database **database, const char *name, struct error *err);

/// Applies the STEPS (schema.h) that DATABASE lacks, in one transaction, and marks it as ours.
/// Tests have steps of their own. 0, or -1 and ERR (nothing changed).
int database_migrate(struct database *database, const char *const *steps, uint32_t n_steps,
                     struct error *err);

/// True when the file system with this statfs(2) magic number is known to be local to this machine;
/// only there is a write-ahead log safe, because it needs memory shared by all processes.
bool database_is_local_filesystem(int64_t magic);

/// Closes; an open transaction is rolled back. NULL is fine.
void database_close(struct database *database);
/// For SCOPED_BY() (base/memory.h).
static inline void database_leave(struct database **database)
{
    database_close(*database);
}

/// A transaction that holds the write lock from its start, so that it cannot fail later because
/// another process wrote; waits for other writers. 0, or -1 and ERR.
int database_begin(struct database *database, struct error *err);
/// The same for a transaction that only adds rows and looks up under the lock what they refer to:
/// until the database is closed, foreign keys are neither checked nor followed. Checking all of
/// them again would take longer than storing. Removing rows needs the keys.
int database_begin_adding(struct database *database, struct error *err);
/// Ends the transaction: durably where STATUS is 0, else nothing of it is left. Returns STATUS, or
/// -1 and ERR when it could not be made durable.
int database_end(struct database *database, int status, struct error *err);

/// Runs SQL (one or more statements, results ignored). 0, or -1 and ERR.
int database_run(struct database *database, const char *sql, struct error *err);
/// Runs one statement without rows. It stays compiled for the next time. 0, or -1 and ERR.
int database_do(struct database *database, struct error *err, const char *sql, const char *letters,
                ...);
/// Likewise up to the first row: 1 there is one, 0 there is none (the variables of its
/// columns stay as they are), -1 and ERR.
int database_ask(struct database *database, struct error *err, const char *sql, const char *letters,
                 ...);

/// What CHECK, a pragma such as "PRAGMA main.quick_check(1)", finds: 1 sound, 0 damaged, -1 and
/// ERR. Not to be asked as a function, which takes the number for a table's name from SQLite 3.41
/// on.
int database_is_sound(struct database *database, struct error *err, const char *check);

/// A statement with its values, for database_row(); the caller finalizes it. NULL and ERR.
struct sqlite3_stmt *database_query(struct database *database, struct error *err, const char *sql,
                                    const char *letters, ...);
/// Advances to the next row: 1 and its columns, whose letters need no '>' here, 0 there is none, -1
/// and ERR, also where STATEMENT is NULL.
int database_row(struct database *database, struct error *err, struct sqlite3_stmt *statement,
                 const char *letters, ...);

/// Writes TEXT, up to its zero byte, as a literal of SQL.
void database_quote(FILE *sql, const char *text);

/// All rows of SQL: an array of structs with a member for each column, of the letters i, n, d, t or
/// c; *N is how many. The caller frees with database_rows_free(). NULL and ERR.
void *database_rows(struct database *database, struct error *err, size_t *n, const char *sql,
                    const char *letters, ...);
/// ROWS may be NULL. LETTERS are those of the columns.
void database_rows_free(void *rows, size_t n, const char *letters);

/// Turns SQLite's result CODE of the last call into one sentence that names the file. Returns -1.
int database_error(const struct database *database, int code, struct error *err);
