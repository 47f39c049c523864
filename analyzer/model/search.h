// SPDX-License-Identifier: BSD-3-Clause
// All formulas that are tried at some points, and how probable each one is.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/model_formula.h"

// --- model_points.c
// Measured rows as points: repetitions put together, and what they say of the noise.

struct model_points {
    size_t n_parameters, n;
    double *x;           // n_parameters each, in ascending order
    double *y;           // the value without noise, as the repetitions tell it
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

// --- search.c

enum { SEARCH_NOISES = 4, SEARCH_MAX_FOUND = 96 };

/// What is assumed of the noise of the points: its variance, relative to the value, has an inverse
/// gamma distribution.
struct noise_kind {
    double log_share; // of its probability
    double shape, scale;
};

/// A formula with its uncertainty.
struct model_hypothesis {
    struct model_formula formula;
    double inverse[MODEL_MAX_TERMS][MODEL_MAX_TERMS]; // (X'X)^-1 of the last piece's coefficients
    double squares;                                   // sum of squared relative errors
    size_t n_coefficients;
    double shares[SEARCH_NOISES]; // its probability with each kind of noise
    double probability;
};

struct search {
    struct noise_kind noises[SEARCH_NOISES];
    struct model_hypothesis found[SEARCH_MAX_FOUND]; // most probable first
    size_t n_found;
    double log_evidence; // log of the probability density of all values
    struct search_room *room;
};

/// Tries all formulas at POINTS, those with a break only if HAS_BREAKS. Relative errors count by
/// WEIGHTS (1 over the value). SEARCH is zeroed or was used before.
void search_run(struct search *search, const struct model_points *points, const double *weights,
                bool has_breaks);

/// Into LOG_EVIDENCES about what log_evidence would at best be without each point of the last
/// search. (The sums of squares are exact for a constant, a term, both, and the formulas found.)
void search_without_each(const struct search *search, double *log_evidences);
void search_release(struct search *search);

// --- posterior.c
// What may be true after a search: formulas with their probabilities, and the noise.

/// A copy of what SEARCH found at POINTS; the caller frees.
struct model_posterior *posterior_new(const struct search *search,
                                      const struct model_points *points);

/// The values at X that 95 % of what POSTERIOR says of formulas in N_PARAMETERS lies between.
struct model_interval posterior_interval(const struct model_posterior *posterior,
                                         size_t n_parameters, const double *x);

/// The same of the coefficient of the term with FACTORS in the last piece of the formula H of those
/// found, as if that formula were right.
struct model_interval posterior_coefficient(const struct model_posterior *posterior, size_t h,
                                            const struct model_factor *factors);

// --- term.c
// The terms that formulas are made of.

enum term_trend { TERM_CONSTANT, TERM_RISING, TERM_FALLING };

/// The factors of one parameter that are tried: all powers in quarters and thirds up to 3, rising
/// and falling, with the logarithm up to its square.
struct term_kind {
    struct model_factor factor;
    enum term_trend trend;
    bool is_plain; // a power that many algorithms have, for sums of several terms
    // log of its probability among the kinds of its trend, alone and in a sum with another one
    double log_prior, log_prior_in_sum;
};

enum { TERM_MAX_KINDS = 128 };

/// Writes the kinds to KINDS, rising ones first. Returns how many. LEAST is the parameter's least
/// value: falling powers need it to be above 0, logarithms to be 1 at least.
size_t term_kinds(struct term_kind kinds[TERM_MAX_KINDS], double least);

// --- least_squares.c
// Least squares: by QR decomposition; and with many choices of few columns at the same points,
// where products of columns are kept, so that a fit costs little. (QR loses less to rounding, but
// would take most of the time of a search; the formula that is chosen is fitted by it again.)

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
