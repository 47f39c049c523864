// SPDX-License-Identifier: BSD-3-Clause
// Points that are impossible, by a condition on the parameters: "n * size > 4096".
#ifndef PAGODA_SWEEP_SKIP_H
#define PAGODA_SWEEP_SKIP_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/base/formula.h"
#include "analyzer/sweep/plan.h"

struct sweep_skip {
    char *when;
    char *reason; // "" for none
    struct formula *formula;
    size_t parameters[FORMULA_MAX_VARIABLES]; // of the plan, that the formula uses
    size_t n_parameters;
};

struct sweep_skips {
    struct sweep_skip *items;
    size_t n, capacity;
};

/// Adds the condition WHEN, a formula in the parameters of PLAN, which has all of them already.
/// REASON NULL: none is given. 0, or -1 and ERR.
int sweep_skips_add(struct sweep_skips *skips, const struct sweep_plan *plan, const char *when,
                    const char *reason, struct error *err);

/// The first condition that holds for POINT, or NULL. One that uses a value that is undefined or no
/// number does not hold.
const struct sweep_skip *sweep_skips_find(const struct sweep_skips *skips,
                                          const struct sweep_point *point);

void sweep_skips_release(struct sweep_skips *skips);

#endif
