// SPDX-License-Identifier: BSD-3-Clause
// Puts the values of a point into texts: words of command lines, and copies of files.
#pragma once

#include "analyzer/base/error.h"
#include "analyzer/sweep/plan.h"

/// TEXT with the parameters' values in place of what they replace, in one pass: values are not
/// searched again, and of two matches at one place the longer one counts. {dir} becomes DIR and
/// {{name} becomes {name}, unless DIR is NULL (in files). Undefined values replace nothing. The
/// caller frees.
char *sweep_substitute(const struct sweep_plan *plan, const struct sweep_point *point,
                       const char *dir, const char *text);

/// The launch line of a point, up to NULL, for words_free().
char **sweep_line(const struct sweep_plan *plan, const struct sweep_point *point, const char *dir);

/// 0 when each {name} in TEXT is a parameter (or {dir}); {{name} is one that shall stay as {name}.
/// -1 and ERR with the nearest parameter.
int sweep_check_names(const struct sweep_plan *plan, const char *text, struct error *err);

/// Names in the launch line are parameters, and each parameter changes something: the launch line,
/// the build or a file. 0, or -1 and ERR.
int sweep_check_uses(const struct sweep_plan *plan, struct error *err);

/// Reads the file PATH and adds it to the plan. PATH is relative and below the working folder,
/// because the copy has the same path below the point's folder. 0, or -1 and ERR.
int sweep_template_add(struct sweep_plan *plan, const char *path, struct error *err);

/// Writes the copies of the point into its folder DIR. 0, or -1 and ERR.
int sweep_template_write(const struct sweep_plan *plan, const struct sweep_point *point,
                         const char *dir, struct error *err);
