// SPDX-License-Identifier: BSD-3-Clause
// Names of resources and foci in resource normal form (Karavanic and Miller, "Experiment
// Management Support for Performance Tuning", SC 1997):
//
//     < /Code/main.c/(a,b), /Machine, /Process/3 >
//
// A focus selects one part of each resource hierarchy: a resource with all below it, or several
// of one level with the same parent in parentheses. A hierarchy's root selects all of it; the
// hierarchies Code, Machine and Process are always written, others only when they restrict.
//
// Escaping: a name may hold any character. A backslash comes before the characters / , ( ) < > and
// the backslash itself, and before a space at a name's begin or end; control characters and bytes
// that are not UTF-8 are written \xHH; the empty name is written \e.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"

/// One hierarchy's part of a focus: paths of one level below one parent, sorted, all different.
struct focus_selection {
    char **paths; // "/Code/main.c/a", escaped
    size_t n_paths;
};

struct focus {
    struct focus_selection *selections; // of different hierarchies
    size_t n_selections;
};

/// The path of the resource called NAME (any bytes) below PARENT_PATH ("" for a hierarchy's root).
/// The caller frees.
char *focus_path(const char *parent_path, const char *name);

/// Whether the last level of PATH is a level above it, too: a call path that is within another call
/// of the same function.
bool focus_path_repeats(const char *path);

/// The name (any bytes, to be freed) of the last level of PATH; NULL when PATH is not written as
/// focus_path() would.
char *focus_name(const char *path);

/// Length of the level that TEXT, after a slash, begins with.
size_t focus_level_length(const char *text);

/// Where the last level of PATH begins, at its slash.
size_t focus_last_level(const char *path);

/// Reads a focus or a list of paths (the outer < > may be missing); spaces around paths and names
/// are ignored, order and repetitions within parentheses do not matter. 0, or -1 and ERR, which
/// says where; FOCUS is to be released after 0 only.
int focus_parse(const char *text, struct focus *focus, struct error *err);

void focus_release(struct focus *focus);

/// The selection in the hierarchy whose root path is ROOT ("/Code"), or NULL when FOCUS does not
/// mention it.
const struct focus_selection *focus_find(const struct focus *focus, const char *root);
