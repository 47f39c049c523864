// SPDX-License-Identifier: BSD-3-Clause
// Which regions of a run a name means, as reports show it, whole or short (base/function_names.h),
// or as a glob.
#ifndef PAGODA_TRACE_REGION_NAMES_H
#define PAGODA_TRACE_REGION_NAMES_H

#include "analyzer/base/error.h"
#include "analyzer/base/function_names.h"
#include "analyzer/trace/definitions.h"

/// How each region is shown. The caller frees by function_names_free().
char **region_names_shown(const struct definitions *definitions);

/// Which regions TEXT means as a name; IS_MEANT gets an answer for each.
enum function_names_found region_names_find(const struct definitions *definitions, const char *text,
                                            bool *is_meant);

/// The same, or if TEXT is no name those whose whole name fits the glob TEXT. 0, though there may
/// be none, or -1 and ERR: "solve is ambiguous: solve(int), solve(double)".
int region_names_take(const struct definitions *definitions, const char *text, bool *is_meant,
                      struct error *err);

#endif
