// SPDX-License-Identifier: BSD-3-Clause
// Call paths of a database as reports of a run show them: their names short, but so that each means
// one function of all paths there are (base/function_names.h).
#ifndef PAGODA_REPORT_TEXT_SHOWN_PATHS_H
#define PAGODA_REPORT_TEXT_SHOWN_PATHS_H

#include <stddef.h>

/// All zero: no paths yet.
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

#endif
