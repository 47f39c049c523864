// SPDX-License-Identifier: BSD-3-Clause
// The tables and views of an experiment database, as data: the build makes the texts below from
// db/schema/*.sql. pagoda-store(5) documents the schema for users.
#pragma once

#include <stdint.h>

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

/// The SQL that leads from each version to the next: the first N steps make version N. Steps that
/// were released never change.
extern const char *const schema_steps[];
extern const uint32_t schema_version; // number of steps
