// SPDX-License-Identifier: BSD-3-Clause
// Welch's t test by GSL's distributions; degrees of freedom by Welch and Satterthwaite.
#include "analyzer/compare/significance.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

/// The standard error of the difference of the means, and its degrees of freedom; NAN when no
/// group has two values.
static double standard_error(const double *a, size_t n_a, const double *b, size_t n_b,
                             double *freedom)
{
    *freedom = 1;
    if (n_a == 0 || n_b == 0 || (n_a < 2 && n_b < 2))
        return NAN;
    if (n_a < 2 || n_b < 2) {
        const double *many = n_a < 2 ? b : a;
        size_t n = n_a < 2 ? n_b : n_a;
        *freedom = (double)n - 1;
        return sqrt(gsl_stats_variance(many, 1, n) * (1 + 1 / (double)n));
    }
    double share_a = gsl_stats_variance(a, 1, n_a) / (double)n_a;
    double share_b = gsl_stats_variance(b, 1, n_b) / (double)n_b;
    double sum = share_a + share_b;
    if (sum > 0)
        *freedom = sum * sum /
                   (share_a * share_a / (double)(n_a - 1) + share_b * share_b / (double)(n_b - 1));
    return sqrt(sum);
}

double significance_of_difference(const double *a, size_t n_a, const double *b, size_t n_b)
{
    double freedom;
    double error = standard_error(a, n_a, b, n_b, &freedom);
    if (isnan(error))
        return NAN;
    double distance = fabs(gsl_stats_mean(a, 1, n_a) - gsl_stats_mean(b, 1, n_b));
    if (!(error > 0))
        return distance > 0 ? 0 : 1;
    return fmin(1, 2 * gsl_cdf_tdist_Q(distance / error, freedom));
}

double significance_half_width(const double *a, size_t n_a, const double *b, size_t n_b,
                               double alpha)
{
    double freedom;
    double error = standard_error(a, n_a, b, n_b, &freedom);
    return isnan(error) || !(error > 0) ? error : error * gsl_cdf_tdist_Qinv(alpha / 2, freedom);
}
