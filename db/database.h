// SPDX-License-Identifier: BSD-3-Clause
// One open experiment database. Everything SQLite says becomes one sentence here.
//
// Several processes may have the same file open: writers queue (immediate transactions, a busy
// timeout), readers are never blocked on local disks (write-ahead log).
#ifndef PAGODA_DB_DATABASE_H
#define PAGODA_DB_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"

struct sqlite3;
struct sqlite3_stmt;

struct database {
    struct sqlite3 *handle;
    char *path; // as the user gave it, for messages
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

/// Likewise a FILE that is called PATH in messages.
int database_open_as(struct database **database, const char *file, const char *path,
                     enum database_mode mode, struct error *err);

/// Makes the tables of the database at PATH readable through DATABASE, which has no transaction
/// open, as those of the schema "source"; nothing can write there. *KEEPER, a connection of its own
/// to the same file, keeps the files of a write-ahead log in place. 0 (database_detach() when no
/// transaction is open), or -1 and ERR as database_open().
int database_attach(struct database *database, const char *path, struct database **keeper,
                    struct error *err);
/// Likewise a copy of the database MEMORY.
int database_attach_memory(struct database *database, struct database *memory, struct error *err);
/// KEEPER is closed; it may be NULL.
void database_detach(struct database *database, struct database *keeper);

/// A new database in memory, called NAME in messages. 0 (to be closed), or -1 and ERR.
int database_open_memory(struct database **database, const char *name, struct error *err);

/// True when the file system with this statfs(2) magic number is known to be local to this machine;
/// only there is a write-ahead log safe, because it needs memory shared by all processes.
bool database_is_local_filesystem(int64_t magic);

/// Closes; an open transaction is rolled back. NULL is fine.
void database_close(struct database *database);

/// A transaction that holds the write lock from its start, so that it cannot fail later because
/// another process wrote; waits for other writers. 0, or -1 and ERR.
int database_begin(struct database *database, struct error *err);
/// Makes the transaction durable. When that fails nothing of it is left. 0, or -1 and ERR.
int database_commit(struct database *database, struct error *err);
void database_rollback(struct database *database);

/// From now on, not within a transaction: foreign keys are neither checked nor followed. For who
/// only adds rows whose references it has looked up under the lock itself; checking all of them
/// again takes longer than storing. Who removes rows needs the keys, they take along what belongs
/// to a row. 0, or -1 and ERR.
int database_trust_references(struct database *database, struct error *err);

/// Runs SQL (one or more statements, results ignored). 0, or -1 and ERR.
int database_run(struct database *database, const char *sql, struct error *err);

/// Compiles one statement; the caller finalizes it. 0, or -1 and ERR.
int database_prepare(struct database *database, struct sqlite3_stmt **statement, const char *sql,
                     struct error *err);
/// Advances to the next row: 1 there is one, 0 there is none, -1 and ERR.
int database_step(struct database *database, struct sqlite3_stmt *statement, struct error *err);
/// Runs a statement that has no rows, and makes it ready for the next values. 0, or -1 and ERR.
int database_execute(struct database *database, struct sqlite3_stmt *statement, struct error *err);

/// Calls TAKE with each row of a query in which ?1 stands for a trial's number. 0, or -1 and ERR.
int database_rows_of(struct database *database, const char *sql, int64_t trial,
                     void (*take)(struct sqlite3_stmt *row, void *user), void *user,
                     struct error *err);

/// A column of the present row as text that is safe to print, "" for NULL. The caller frees it.
char *database_text(struct sqlite3_stmt *statement, int column);

/// How long a lock is waited for: PAGODA_STORE_TIMEOUT in seconds, else a minute.
int database_busy_timeout_ms(void);

/// Turns SQLite's result CODE of the last call into one sentence that names the file. Returns -1.
int database_error(const struct database *database, int code, struct error *err);

#endif
