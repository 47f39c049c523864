// SPDX-License-Identifier: BSD-3-Clause
// Names of trials as users write them; whether a database knows a name, and which one was meant
// when it does not.
#ifndef PAGODA_DB_NAMES_H
#define PAGODA_DB_NAMES_H

#include "analyzer/base/error.h"
#include "db/database.h"

/// The value of `--as`; NULL is a part that is missing or empty.
struct trial_path {
    const char *application, *experiment, *trial;
    char *text; // holds them
};

/// Reads TRIAL, EXPERIMENT/TRIAL or APPLICATION/EXPERIMENT/TRIAL, the way trials are chosen, too
/// (trials.h). Only a TRIAL that stands behind two slashes may contain slashes. TEXT NULL: all
/// parts are missing. To be released.
void trial_path_read(struct trial_path *path, const char *text);
/// Reads EXPERIMENT or APPLICATION/EXPERIMENT. 0 (PATH is to be released), or -1 and ERR.
int trial_path_read_experiment(struct trial_path *path, const char *text, struct error *err);
void trial_path_release(struct trial_path *path);

/// 0 when NAME is among the first column of SQL's rows, else -1 and ERR: "DB has no KIND "NAME""
/// and the nearest of those names, or the first ones where none is near.
int names_check(struct database *database, const char *kind, const char *sql, const char *name,
                struct error *err);

/// 0 when there is a resource of that PATH (focus.h), else -1 and ERR, which names the nearest one:
/// the most similar name in the deepest part of the path that exists, or that part.
int names_check_resource(struct database *database, const char *path, struct error *err);

#endif
