// SPDX-License-Identifier: BSD-3-Clause
// The terms that formulas are made of.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/model/model_formula.h"

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
