// SPDX-License-Identifier: BSD-3-Clause
// Resource paths as text, such as "/Code/main.c/solve": a slash that no backslash stands before
// separates levels, so that everything below a path begins with it and a slash.
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
