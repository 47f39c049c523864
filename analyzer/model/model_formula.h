// SPDX-License-Identifier: BSD-3-Clause
// What a model is: sums of products of powers and logarithms of parameters, in one piece or two,
// and the measured values it is fitted to.
#pragma once

#include <stddef.h>

enum {
    MODEL_MAX_PARAMETERS = 4,
    MODEL_MAX_TERMS = 3,
    MODEL_MAX_PIECES = 2,
    MODEL_LEAST_POINTS = 3, // different ones
};

/// x^exponent * log2(x)^log_exponent; both 0: the parameter is not a factor of the term.
struct model_factor {
    double exponent;
    int log_exponent;
};

struct model_term {
    double coefficient; // below 0 only for falling terms beside a constant: a limit
    struct model_factor factors[MODEL_MAX_PARAMETERS];
};

/// 95 % of what a value may be.
struct model_interval {
    double low, high;
};

struct model_piece {
    struct model_term terms[MODEL_MAX_TERMS];
    size_t n_terms;
};

struct model_formula {
    struct model_piece pieces[MODEL_MAX_PIECES];
    size_t n_pieces;
    size_t break_parameter; // the first piece holds up to the value BREAK_AT of this one
    double break_at;
};

/// Measured values: N_ROWS rows of N_PARAMETERS values each in X, and a value in Y. Rows of the
/// same X are repetitions.
struct model_data {
    size_t n_parameters, n_rows;
    const double *x, *y;
};

/// The product of the factors of TERM at X, without the coefficient.
double term_value(const struct model_term *term, size_t n_parameters, const double *x);
/// The piece of FORMULA that holds at X.
const struct model_piece *model_piece_at(const struct model_formula *formula, const double *x);
/// The value of FORMULA at X.
double model_formula_value(const struct model_formula *formula, size_t n_parameters,
                           const double *x);

/// FORMULA as text in the language of formulas (analyzer/base/formula.h), its numbers with so many
/// significant DIGITS. The caller frees.
char *model_formula_text(const struct model_formula *formula, const char *const *names,
                         size_t n_parameters, int digits);

/// Of FORMULA the term that changes most between the points FROM and TO, without its coefficient:
/// "p^2", "1-p^(-1)" where it rises to a limit, "constant". The caller frees.
char *model_growth_text(const struct model_formula *formula, const char *const *names,
                        size_t n_parameters, const double *from, const double *to);

/// The value of their one parameter beyond FROM and up to TO from which on A exceeds B; INFINITY
/// when it never does. A does not exceed B at FROM.
double model_formula_overtakes(const struct model_formula *a, const struct model_formula *b,
                               double from, double to);
