// SPDX-License-Identifier: BSD-3-Clause
// What may be true after a search: formulas with their probabilities, and the noise.
#pragma once

#include "analyzer/model/model_points.h"
#include "analyzer/model/search.h"

/// A copy of what SEARCH found at POINTS; the caller frees.
struct model_posterior *posterior_new(const struct search *search,
                                      const struct model_points *points);

/// The values at X that 95 % of what POSTERIOR says of formulas in N_PARAMETERS lies between.
void posterior_interval(const struct model_posterior *posterior, size_t n_parameters,
                        const double *x, double *low, double *high);

/// How wide the confidence interval LOW to HIGH at X would be if CANDIDATE were measured as well, a
/// share of its present width: expected from what POSTERIOR says of both values.
double posterior_width_after(const struct model_posterior *posterior, size_t n_parameters,
                             const double *x, double low, double high, const double *candidate);
