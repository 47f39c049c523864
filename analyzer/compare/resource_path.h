// SPDX-License-Identifier: BSD-3-Clause
// Resource paths as text, such as "/Code/main.c/solve": a slash that no backslash stands before
// separates levels, so that everything below a path begins with it and a slash.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"
#include "db/database.h"

/// Order of a walk through the tree: a resource comes right before all below it. As for strcmp().
int resource_path_compare(const char *a, const char *b);

/// Number of levels: 1 for the root of a hierarchy.
size_t resource_path_depth(const char *path);

/// Length of the part of PATH that has one level more than its first LENGTH bytes; LENGTH itself
/// when there is none.
size_t resource_path_next(const char *path, size_t length);

/// The name of the last level, still escaped; points into PATH.
const char *resource_path_last(const char *path);

/// Whether PATH is ANCESTOR or below it.
bool resource_path_is_within(const char *path, const char *ancestor);

/// A path without its hierarchy: "main/MPI_Recv" of "/CallPath/main/MPI_Recv".
const char *resource_path_short(const char *path);

/// A path or a part of one without escapes, as replays write call paths: "main/f(int)" of
/// "main/f\(int\)". The caller frees.
char *resource_path_plain(const char *path);

/// Call paths of a database as reports of a run show them: their names short, but so that each
/// means one function of all paths there are (base/function_names.h). Zero-initialise.
struct shown_paths {
    char **names, **shown; // sorted when they are complete
    size_t n, capacity;
};

/// Adds the names of PATH, such as "/CallPath/main/f\(int\)", before any path is asked for.
void shown_paths_add(struct shown_paths *paths, const char *path);
/// After the last path.
void shown_paths_complete(struct shown_paths *paths);
/// A path, or a part of one, of names that were added: "main/f(int)". The caller frees.
char *shown_paths_text(const struct shown_paths *paths, const char *path);
void shown_paths_release(struct shown_paths *paths);

// --- severity.c
// What may stand in severity(...) of checkpoints and of properties over experiments.

/// Whether NAME is a wait state of CATALOGUE, a further severity of a trial
/// (db/query/figures.h), or one of FURTHER (ended by NULL, may be NULL). 0, or -1 and ERR: "WHO
/// asks for NAME, ...".
int severity_name_check(const struct catalogue *catalogue, const char *const *further,
                        const char *name, const char *who, struct error *err);

/// The severity, 0 to 1, of PROPERTY in REGION of trial ID: the share of all ranks' time in REGION
/// that is spent in MPI (inefficiency), or waited in that wait state. REGION is a focus in resource
/// normal form if it begins with / or <; else a function, or functions that call each other
/// (main/solve), with wildcards, with all below. NAN when the trial has no such region; WHY (empty
/// before) then says so.
double region_severity_read(struct database *database, int64_t id, const char *property,
                            const char *region, struct error *why);

/// 0 when REGION can be understood and PROPERTY is known of regions: all are but those of a stored
/// trial's whole run (trial_severity_names) other than inefficiency, and FURTHER (up to NULL; NULL
/// for none). Else -1 and ERR. The message begins with WHO, the one that asks.
int region_severity_check(const char *property, const char *region, const char *const *further,
                          const char *who, struct error *err);
