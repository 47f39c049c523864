// SPDX-License-Identifier: BSD-3-Clause
// How a time grows with a parameter: a power law or a logarithm, by least squares.
#ifndef PAGODA_COMPARE_GROWTH_H
#define PAGODA_COMPARE_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

enum growth_form {
    GROWTH_UNKNOWN,   // too few points, or no form at all
    GROWTH_CONSTANT,  // y = a: all within 2 % of their mean
    GROWTH_POWER,     // y = a x^b
    GROWTH_LOGARITHM, // y = a + b log2 x
};

/// Points that a fit of two coefficients needs at least: with two, any curve fits.
enum { GROWTH_LEAST_POINTS = 3 };

struct growth {
    enum growth_form form;
    double a, b;
    double r_squared; // of y, 1 less the share of its variance that is left; NAN for a constant
    size_t n_points;  // that were fitted
};

/// Fits N points of different X > 0. A power law is fitted to the logarithms of the points with
/// Y > 0, a logarithm, which must rise, to all; that with the greater R squared in Y is taken.
/// Fewer than GROWTH_LEAST_POINTS: unknown.
struct growth growth_fit(const double *x, const double *y, size_t n);

/// The value at X > 0, at least 0; NAN when the form is unknown.
double growth_at(const struct growth *growth, double x);

/// The law: "X^0.98", "log2(X)", "constant", "?". The caller frees.
char *growth_law(const struct growth *growth, const char *x);

/// Whether predictions may be made from it: a constant, or R squared of 0.8 at least.
bool growth_is_good(const struct growth *growth);

/// The X beyond FROM and up to TO from which on A exceeds B; INFINITY when it never does. A does
/// not exceed B at FROM, and both are known.
double growth_overtakes(const struct growth *a, const struct growth *b, double from, double to);

#endif
