// SPDX-License-Identifier: BSD-3-Clause
// Whether a database knows a name, and which one was meant when it does not.
#ifndef PAGODA_DB_NAMES_H
#define PAGODA_DB_NAMES_H

#include "analyzer/base/error.h"
#include "db/database.h"

/// 0 when NAME is among the first column of SQL's rows, else -1 and ERR: "DB has no KIND "NAME""
/// and the nearest of those names, or the first ones where none is near.
int names_check(struct database *database, const char *kind, const char *sql, const char *name,
                struct error *err);

/// 0 when there is a resource of that PATH (focus.h), else -1 and ERR, which names the nearest one:
/// the most similar name in the deepest part of the path that exists, or that part.
int names_check_resource(struct database *database, const char *path, struct error *err);

#endif
