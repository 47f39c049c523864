// SPDX-License-Identifier: BSD-3-Clause
// The tables and views of an experiment database, and how an older one becomes a current one. The
// schema is documented for users in pagoda-store(5).
#ifndef PAGODA_DB_SCHEMA_H
#define PAGODA_DB_SCHEMA_H

#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"

/// PRAGMA application_id of our files: the letters "PGDA". file(1) and we recognise them by it.
#define SCHEMA_APPLICATION_ID 0x50474441

/// Rows of the table `resource` that every database has: the roots of the hierarchies. A focus that
/// selects a root means the whole hierarchy.
enum schema_root {
    ROOT_OTHER = 0, // "/": the parent of all roots; no selection in a hierarchy of the user's
    ROOT_CODE = 1,
    ROOT_CALL_PATH = 2,
    ROOT_MACHINE = 3,
    ROOT_PROCESS = 4,
    ROOT_MESSAGE = 5,
    N_ROOTS = 6,
};

enum { SCHEMA_STEP_PARTS = 3 };

/// One step: the SQL that leads from the version before it to the next. Version N is what the first
/// N steps make; steps that were released never change.
struct schema_step {
    const char *sql[SCHEMA_STEP_PARTS]; // in this order, NULL where there is no more
};

extern const struct schema_step schema_steps[];
extern const uint32_t schema_version; // of the last step

/// Applies the steps that DATABASE lacks, in one transaction, and marks it as ours. STEPS and
/// N_STEPS are schema_steps and schema_version but for tests. 0, or -1 and ERR (nothing changed).
int schema_migrate(struct database *database, const struct schema_step *steps, uint32_t n_steps,
                   struct error *err);

/// The version DATABASE has (PRAGMA user_version), 0 when it is empty. 0, or -1 and ERR.
int schema_read_version(struct database *database, uint32_t *version, struct error *err);

#endif
