// SPDX-License-Identifier: BSD-3-Clause
// All formulas that are tried at some points, and how probable each one is.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/model/model_formula.h"
#include "analyzer/model/model_points.h"

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
    struct search_room *room;
};

/// Tries all formulas at POINTS, those with a break only if HAS_BREAKS. Relative errors count by
/// WEIGHTS (1 over the value). SEARCH is zeroed or was used before.
void search_run(struct search *search, const struct model_points *points, const double *weights,
                bool has_breaks);
void search_release(struct search *search);
