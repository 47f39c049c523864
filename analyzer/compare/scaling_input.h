// SPDX-License-Identifier: BSD-3-Clause
// What was added to a struct scaling; for analyzer/compare/scaling*.c only.
#ifndef PAGODA_COMPARE_SCALING_INPUT_H
#define PAGODA_COMPARE_SCALING_INPUT_H

#include "analyzer/compare/scaling.h"

struct scaling_value {
    char *name, *wait_state;
    bool is_start_or_end;
    size_t trial;
    double value_ns;
};

struct scaling_input {
    struct scaling_trial *trials;
    size_t n_trials, trial_capacity;
    struct scaling_value *values;
    size_t n_values, value_capacity;
};

/// Fits the growth of the parts over X, that of the points, and predicts what is next.
void scaling_look_ahead(struct scaling *scaling, const double *x);

#endif
