// SPDX-License-Identifier: BSD-3-Clause
// Least squares: by QR decomposition; and with many choices of few columns at the same points,
// where products of columns are kept, so that a fit costs little. (QR loses less to rounding, but
// would take most of the time of a search; the formula that is chosen is fitted by it again.)
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/model_formula.h"
#include "analyzer/model/model_points.h"

/// Solves N rows of N_COLUMNS values each in X for the coefficients that come nearest to Y. False
/// where GSL cannot, or rows are fewer than columns. Rows are weighted by multiplying X and Y.
bool least_squares_solve(const double *x, const double *y, size_t n, size_t n_columns,
                         double *coefficients);

/// Columns at a range of points.
struct side {
    size_t n_points, n_columns;
    double *values; // of a column at the points, divided by SCALES
    double *scales, *own, *with_one, *with_y;
    double y_squared;
    size_t values_capacity, columns_capacity;
};

struct column_fit {
    double coefficients[MODEL_MAX_TERMS];
    double inverse[MODEL_MAX_TERMS][MODEL_MAX_TERMS];
    double squares, log_determinant;
    size_t n;
};

/// Makes room for columns at points.
void side_reserve(struct side *side, size_t n_columns, size_t n_points);

/// Scales the column I of SIDE, whose values are there, and multiplies it with the others.
void side_finish(struct side *side, size_t i, const struct model_points *points,
                 const double *weights, const size_t *order);

/// Changes the sign of the column I.
void side_negate(struct side *side, size_t i);

/// Fills PART with the columns of WHOLE at N points from BEGIN on; both have the same order.
void side_cut(struct side *part, const struct side *whole, const struct model_points *points,
              const double *weights, const size_t *order, size_t begin, size_t n);

/// Solves for N columns of SIDE by Cholesky's factors L of X'X. False where they depend on each
/// other, a coefficient is not above 0, or more than MOST_SQUARES are left.
bool fit_columns(const struct side *side, const uint16_t *columns, size_t n, double most_squares,
                 struct column_fit *fit);

void side_release(struct side *side);
