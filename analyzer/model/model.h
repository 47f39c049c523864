// SPDX-License-Identifier: BSD-3-Clause
// Formulas fitted to measured values, which continue them to sizes that were never run:
//
//     value = sum of c * p^i * log2(p)^j * n^k * ...    or c - d * p^-i, which rises to a limit
//
// (the performance model normal form of Calotoiu et al., "Using automated performance modeling to
// find scalability bugs in complex codes", 2013, with falling terms), where a break may divide the
// range of a parameter into two such sums. Fits are least squares of relative errors. Formulas are
// judged by their marginal likelihood, with what the repetitions of points say of the noise
// (search.c); one is the model, all that are nearly as likely make the confidence interval of its
// predictions. A single point is left out if the others are so much more probable without it that
// one bad measurement is the better explanation.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/model/model_formula.h"

struct model_posterior;

/// A point whose value no likely formula has: EXPECTED is what the model of the other points has
/// there.
struct model_outlier {
    double x[MODEL_MAX_PARAMETERS], value, expected;
    bool is_last; // of the greatest parameter of one: a new regime may begin there
};

struct model {
    size_t n_parameters;
    struct model_formula formula;
    // Of the coefficients of the last piece, if the formula is right.
    struct model_interval coefficients[MODEL_MAX_TERMS];
    struct model_posterior *posterior; // all formulas that are nearly as good; NULL: all values 0
    size_t n_points;                   // different ones, without the outlier
    double noise;            // standard deviation of one row, a share of the value; NAN: unknown
    double rms_error, worst; // relative errors of the formula at the points
    double r_squared;        // NAN for constant data
    double smape;            // symmetric mean absolute percentage error at the points, 0..200
    size_t n_zeros;          // points of the value 0
    bool has_outlier;        // a point was left out
    struct model_outlier outlier;
    bool is_one_sided; // the noise only adds; the values are what is without it
    double least[MODEL_MAX_PARAMETERS], greatest[MODEL_MAX_PARAMETERS]; // of the parameters
};

/// Memory for fits, one after the other.
struct model_workspace;
struct model_workspace *model_workspace_new(void);
void model_workspace_free(struct model_workspace *workspace);

/// Fits DATA in parameters of NAMES. 0 (MODEL is to be released), or -1 and ERR with the reason:
/// too few points, values below 0, parameters of 0 or less, parameters that change together,
/// numbers that are not finite.
int model_fit(struct model_workspace *workspace, const struct model_data *data,
              const char *const *names, struct model *model, struct error *err);
/// Releases what only predictions need; the rest stays valid.
void model_release_posterior(struct model *model);

/// How far the formula is off at a point that counts.
struct model_residual {
    double x[MODEL_MAX_PARAMETERS];
    double value, fitted; // without noise, as the rows tell it, and of the formula
    double error;         // relative to the value; NAN where that is 0
};

/// The residuals of MODEL, the last one that was fitted in WORKSPACE: N_POINTS of it. The caller
/// frees.
struct model_residual *model_residuals(const struct model_workspace *workspace,
                                       const struct model *model);

struct model_prediction {
    double value;
    double low, high; // 95 % of what the value without noise may be
    size_t n_past;    // past errors that these are by instead, of a measured value; 0: none
};
struct model_prediction model_predict(const struct model *model, const double *x);

/// The point whose measurement would tell most of the value at AT, of which PREDICTION is known.
struct model_next {
    double x[MODEL_MAX_PARAMETERS];
    double width; // of the confidence interval then, a share of the present one, as expected; 1:
                  // none helps
};
struct model_next model_measure_next(const struct model *model, const struct model_data *data,
                                     const double *at, const struct model_prediction *prediction);
