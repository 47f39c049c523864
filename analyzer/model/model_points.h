// SPDX-License-Identifier: BSD-3-Clause
// Measured rows as points: repetitions put together, and what they say of the noise.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/model/model_formula.h"

struct model_points {
    size_t n_parameters, n;
    double *x; // n_parameters each, in ascending order
    double *y; // the value without noise, as the repetitions tell it
    size_t n_repeated;
    size_t n_degrees;    // of freedom: rows of the repeated points, less one each
    double row_variance; // of one row, relative
    double variance;     // of a point's value, as far as repetitions differ, relative
    bool is_one_sided;   // the noise only adds, more likely than not
    double other_share;  // the probability of the opposite, and
    double other_factor; // by what factor all values would be greater then
    // The rest is room.
    size_t *order, *n_rows;
    size_t capacity, x_capacity;
};

/// Sorts and joins the rows of DATA into POINTS, which are zeroed or were used before.
void model_points_read(struct model_points *points, const struct model_data *data);
void model_points_release(struct model_points *points);
