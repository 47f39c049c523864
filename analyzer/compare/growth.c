// SPDX-License-Identifier: BSD-3-Clause
// Fits by GSL's gsl_fit_linear (see growth.h).
#include "analyzer/compare/growth.h"

#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"

static const double constant_share = 0.02, good_r_squared = 0.8;

/// 1 less the squares that are left over those around the mean.
static double r_squared_of(const struct growth *growth, const double *x, const double *y, size_t n)
{
    double mean = gsl_stats_mean(y, 1, n), left = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        double value = growth_at(growth, x[i]);
        left += (y[i] - value) * (y[i] - value);
        all += (y[i] - mean) * (y[i] - mean);
    }
    return all > 0 ? 1 - left / all : 1;
}

static bool is_constant(const double *y, size_t n)
{
    double mean = gsl_stats_mean(y, 1, n), most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(y[i] - mean));
    return most <= constant_share * fabs(mean);
}

static struct growth fit_power(const double *x, const double *y, size_t n)
{
    struct growth growth = {.form = GROWTH_UNKNOWN, .r_squared = NAN};
    double *log_x = memory_new((n + 1) * sizeof *log_x), *log_y = memory_new((n + 1) * sizeof *y);
    for (size_t i = 0; i < n; i++) {
        if (!(y[i] > 0))
            continue;
        log_x[growth.n_points] = log(x[i]);
        log_y[growth.n_points++] = log(y[i]);
    }
    if (growth.n_points >= GROWTH_LEAST_POINTS) {
        double intercept, cov00, cov01, cov11, sum;
        gsl_fit_linear(log_x, 1, log_y, 1, growth.n_points, &intercept, &growth.b, &cov00, &cov01,
                       &cov11, &sum);
        growth.a = exp(intercept);
        growth.form = GROWTH_POWER;
        growth.r_squared = r_squared_of(&growth, x, y, n);
    }
    free(log_x);
    free(log_y);
    return growth;
}

static struct growth fit_logarithm(const double *x, const double *y, size_t n)
{
    struct growth growth = {.form = GROWTH_LOGARITHM, .n_points = n};
    double *log_x = memory_new(n * sizeof *log_x), cov00, cov01, cov11, sum;
    for (size_t i = 0; i < n; i++)
        log_x[i] = log2(x[i]);
    gsl_fit_linear(log_x, 1, y, 1, n, &growth.a, &growth.b, &cov00, &cov01, &cov11, &sum);
    growth.r_squared = r_squared_of(&growth, x, y, n);
    free(log_x);
    return growth;
}

struct growth growth_fit(const double *x, const double *y, size_t n)
{
    struct growth unknown = {.form = GROWTH_UNKNOWN, .r_squared = NAN, .n_points = n};
    if (n < GROWTH_LEAST_POINTS)
        return unknown;
    for (size_t i = 0; i < n; i++)
        if (!(x[i] > 0) || !isfinite(x[i]) || !isfinite(y[i]))
            return unknown;
    if (is_constant(y, n))
        return (struct growth){
            .form = GROWTH_CONSTANT, .a = gsl_stats_mean(y, 1, n), .r_squared = NAN, .n_points = n};
    struct growth power = fit_power(x, y, n), logarithm = fit_logarithm(x, y, n);
    // A falling logarithm ends below 0, which no time does.
    bool is_logarithm = logarithm.b > 0 && !(logarithm.r_squared <= power.r_squared);
    return is_logarithm ? logarithm : power;
}

double growth_at(const struct growth *growth, double x)
{
    switch (growth->form) {
    case GROWTH_CONSTANT:
        return fmax(growth->a, 0);
    case GROWTH_POWER:
        return growth->a * pow(x, growth->b);
    case GROWTH_LOGARITHM:
        return fmax(growth->a + growth->b * log2(x), 0);
    case GROWTH_UNKNOWN:
        break;
    }
    return NAN;
}

char *growth_law(const struct growth *growth, const char *x)
{
    switch (growth->form) {
    case GROWTH_CONSTANT:
        return memory_copy_text("constant");
    case GROWTH_POWER:
        return memory_format("%s^%.2f", x, growth->b);
    case GROWTH_LOGARITHM:
        return memory_format("log2(%s)", x);
    case GROWTH_UNKNOWN:
        break;
    }
    return memory_copy_text("?");
}

bool growth_is_good(const struct growth *growth)
{
    return growth->form == GROWTH_CONSTANT ||
           (growth->form != GROWTH_UNKNOWN && growth->r_squared >= good_r_squared);
}

double growth_overtakes(const struct growth *a, const struct growth *b, double from, double to)
{
    enum { N_STEPS = 512, N_HALVINGS = 60 };
    double low = from, high = from, factor = pow(to / from, 1.0 / N_STEPS);
    size_t step = 0;
    while (step++ < N_STEPS && !(growth_at(a, high) > growth_at(b, high))) {
        low = high;
        high *= factor;
    }
    if (!(growth_at(a, high) > growth_at(b, high)))
        return INFINITY;
    for (int i = 0; i < N_HALVINGS; i++) {
        double middle = low + (high - low) / 2;
        if (growth_at(a, middle) > growth_at(b, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}
