// SPDX-License-Identifier: BSD-3-Clause
// Files that a sweep makes for each point: a copy of a file of the user's with the point's values.
#ifndef PAGODA_SWEEP_TEMPLATE_H
#define PAGODA_SWEEP_TEMPLATE_H

#include "analyzer/base/error.h"
#include "analyzer/sweep/plan.h"

/// Reads the file PATH and adds it to the plan. PATH is relative and stays below the working
/// folder, for it is the place of the copy below the point's folder too. 0, or -1 and ERR.
int sweep_template_add(struct sweep_plan *plan, const char *path, struct error *err);

/// Writes the copies of the point into its folder DIR. 0, or -1 and ERR.
int sweep_template_write(const struct sweep_plan *plan, const struct sweep_point *point,
                         const char *dir, struct error *err);

#endif
