// SPDX-License-Identifier: BSD-3-Clause
// Whether two groups of repeated measurements differ by more than their own scatter.
#ifndef PAGODA_COMPARE_SIGNIFICANCE_H
#define PAGODA_COMPARE_SIGNIFICANCE_H

#include <stddef.h>

/// Two-sided probability that means of normal values without a difference are as far apart as
/// those of A and B: the t test of unequal variances (Welch, Biometrika 34, 1947). A group of one
/// value is taken as a further measurement of the other group. 1 when nothing differs, 0 when the
/// groups differ and neither scatters, NAN when no group has two values.
double significance_of_difference(const double *a, size_t n_a, const double *b, size_t n_b);

/// Half the width of the confidence interval of the difference of the means, at the level
/// 1 - ALPHA; NAN when no group has two values.
double significance_half_width(const double *a, size_t n_a, const double *b, size_t n_b,
                               double alpha);

#endif
