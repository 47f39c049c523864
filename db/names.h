// SPDX-License-Identifier: BSD-3-Clause
// Names of trials as users write them. A name that a database does not have is reported with the
// most similar one.
#pragma once

#include "analyzer/base/error.h"
#include "db/database.h"

/// The value of `--as`; NULL is a part that is missing or empty.
struct trial_path {
    const char *application, *experiment, *trial;
    char *text; // holds them
};

/// Reads TRIAL, EXPERIMENT/TRIAL or APPLICATION/EXPERIMENT/TRIAL, as trials are chosen (trials.h).
/// Only a TRIAL after two slashes may contain slashes. With TEXT NULL all parts are missing. PATH
/// is to be released.
void trial_path_read(struct trial_path *path, const char *text);
/// Reads EXPERIMENT or APPLICATION/EXPERIMENT. 0 (PATH is to be released), or -1 and ERR.
int trial_path_read_experiment(struct trial_path *path, const char *text, struct error *err);
void trial_path_release(struct trial_path *path);

/// 0 when SQL (?1 is NAME) has NAME in its first column, else -1 and ERR: "DB has no KIND "NAME""
/// and the most similar name there, or the first names if none is similar.
int names_check(struct database *database, const char *kind, const char *sql, const char *name,
                struct error *err);

/// 0 when the resource PATH (focus.h) exists, else -1 and ERR, which names the most similar child
/// of its deepest ancestor that exists, or that ancestor.
int names_check_resource(struct database *database, const char *path, struct error *err);
