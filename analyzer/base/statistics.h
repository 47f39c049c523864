// SPDX-License-Identifier: BSD-3-Clause
// What many values have in common, by GSL.
#ifndef PAGODA_BASE_STATISTICS_H
#define PAGODA_BASE_STATISTICS_H

#include <stddef.h>

struct statistics {
    size_t n;
    double min, max, mean, median;
    double standard_deviation; // of the sample (n - 1); NAN for less than two values
};

/// Statistics of N finite values, which are sorted in ascending order. All NAN for N = 0.
struct statistics statistics_of(double *values, size_t n);

/// The FRACTION quantile (0..1) of N values in ascending order, linearly between two neighbours
/// (Hyndman and Fan's definition 7, R's default). NAN for N = 0.
double statistics_quantile(const double *sorted, size_t n, double fraction);

#endif
