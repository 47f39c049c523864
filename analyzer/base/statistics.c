// SPDX-License-Identifier: BSD-3-Clause
// See statistics.h.
#include "analyzer/base/statistics.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

struct statistics statistics_of(double *values, size_t n)
{
    if (n == 0)
        return (struct statistics){0, NAN, NAN, NAN, NAN, NAN};
    gsl_sort(values, 1, n);
    return (struct statistics){
        .n = n,
        .min = values[0],
        .max = values[n - 1],
        .mean = gsl_stats_mean(values, 1, n),
        .median = gsl_stats_median_from_sorted_data(values, 1, n),
        .standard_deviation = n < 2 ? NAN : gsl_stats_sd(values, 1, n),
    };
}

double statistics_quantile(const double *sorted, size_t n, double fraction)
{
    return n ? gsl_stats_quantile_from_sorted_data(sorted, 1, n, fraction) : NAN;
}
