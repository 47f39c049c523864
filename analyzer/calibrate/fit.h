// SPDX-License-Identifier: BSD-3-Clause
// Least squares for times: the relative error is what counts, and no coefficient is negative, so
// that no time ever is (fits of absolute errors give small messages negative start-up times, as in
// Kuehnemann, Rauber, Ruenger, "Performance modelling for task-parallel programs", table 2).
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { FIT_MAX_TERMS = 4 };

/// y = sum of coefficients[k] * x[k].
struct fit {
    double coefficients[FIT_MAX_TERMS];
    size_t n_terms;
    bool is_clamped;   // a term came out negative and was left out
    double sum;        // of squared relative errors
    double rms, worst; // relative errors
};

/// Fits N values Y > 0 to N_TERMS terms, X[i * N_TERMS + k] the value of term k at point i. Terms
/// whose coefficient would be negative are left out, the worst first. Where the terms depend on
/// each other at these points the later ones of them get 0. N may be less than N_TERMS.
struct fit fit_terms(const double *x, const double *y, size_t n, size_t n_terms);

enum { FIT_MAX_PIECES = 6 };

/// A line y = a + b x in pieces of two points at least; as many as the Bayesian information
/// criterion wants (two parameters a piece, one for where it begins), found by dynamic programming
/// over all ways to cut (Bai, Perron, "Computation and analysis of multiple structural change
/// models", 2003, section 3).
struct fit_pieces {
    struct fit pieces[FIT_MAX_PIECES]; // coefficients: a, b
    size_t ends[FIT_MAX_PIECES];       // points up to this one are of the piece
    size_t n_pieces;
    double rms, worst;
    bool is_clamped;
};

/// X ascending, N from 1 to FIT_MAX_POINTS.
enum { FIT_MAX_POINTS = 64 };
struct fit_pieces fit_line(const double *x, const double *y, size_t n);

/// The criterion for N values, the SUM of squared errors and N_PARAMETERS.
double fit_criterion(double sum, size_t n, size_t n_parameters);
