// SPDX-License-Identifier: BSD-3-Clause
// Opening an experiment database: it is recognised as ours, brought to the current schema, and gets
// the journal its file system can bear.
#ifndef PAGODA_DB_OPEN_H
#define PAGODA_DB_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"

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

#endif
