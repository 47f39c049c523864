// SPDX-License-Identifier: BSD-3-Clause
// Other programs on a machine only add time. Where repetitions show such noise, the undisturbed
// value is near their minimum, not their mean. Three kinds of noise are compared by the likelihood
// of the differences between repetitions, all with one scale relative to the value: normal,
// exponential and half-normal. The unknown value m of each point is integrated out.
#include "analyzer/model/search.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct model_data *data = context;
    size_t left = *(const size_t *)a, right = *(const size_t *)b, n = data->n_parameters;
    for (size_t k = 0; k < n; k++) {
        double x = data->x[left * n + k], y = data->x[right * n + k];
        if (x < y || x > y)
            return x < y ? -1 : 1;
    }
    return left < right ? -1 : left > right;
}

static void reserve(struct model_points *points, const struct model_data *data)
{
    if (data->n_rows > points->capacity) {
        points->capacity = data->n_rows;
        points->y = memory_resize(points->y, data->n_rows, sizeof *points->y);
        points->order = memory_resize(points->order, data->n_rows, sizeof *points->order);
        points->n_rows = memory_resize(points->n_rows, data->n_rows, sizeof *points->n_rows);
    }
    points->x = array_reserve(points->x, &points->x_capacity, data->n_rows * data->n_parameters,
                              sizeof *points->x);
}

/// Sums over the repeated points, each relative to its mean.
struct spread {
    double squares;     // of the differences to the mean
    double above_least; // sum of the differences to the minimum
    double logs;        // of the numbers of rows
    size_t n_rows, n_degrees, n_points;
};

/// Of the rows of one point.
struct repetitions {
    double mean, least;
};

static struct repetitions repetitions_of(const double *rows, size_t n)
{
    struct repetitions of = {0, INFINITY};
    for (size_t j = 0; j < n; j++) {
        of.mean += rows[j] / (double)n;
        of.least = fmin(of.least, rows[j]);
    }
    return of;
}

static struct spread spread_of(const struct model_points *points, const double *rows)
{
    struct spread spread = {0};
    for (size_t i = 0; i < points->n; rows += points->n_rows[i++]) {
        size_t n = points->n_rows[i];
        struct repetitions of = repetitions_of(rows, n);
        if (n < 2 || !(of.mean > 0))
            continue;
        for (size_t j = 0; j < n; j++)
            spread.squares += (rows[j] / of.mean - 1) * (rows[j] / of.mean - 1);
        spread.above_least += (double)n * (1 - of.least / of.mean);
        spread.logs += log((double)n);
        spread.n_rows += n;
        spread.n_degrees += n - 1;
        spread.n_points++;
    }
    return spread;
}

/// log of the likelihood of half-normal noise of standard deviation SIGMA (of the whole normal
/// distribution), with the normal likelihood NORMAL for the same.
static double half_normal(const struct model_points *points, const double *rows, double sigma)
{
    double sum = 0;
    for (size_t i = 0; i < points->n; rows += points->n_rows[i++]) {
        size_t n = points->n_rows[i];
        struct repetitions of = repetitions_of(rows, n);
        if (n < 2 || !(of.mean > 0))
            continue;
        double tail = gsl_cdf_ugaussian_P((of.least / of.mean - 1) * sqrt((double)n) / sigma);
        sum += (double)n * M_LN2 + log(fmax(tail, 1e-300));
    }
    return sum;
}

/// The mean of a density on 0 to MOST that falls from MOST down as exp(-distance / WIDTH).
static double mean_below(double most, double width)
{
    return most > 0 ? fmax(most - width + most / expm1(most / width), 0) : 0;
}

/// The mean of a normal density around MEAN, of standard deviation WIDTH * MEAN, on 0 to MOST, and
/// into VARIANCE its relative variance, without what 0 takes from that.
static double normal_mean_below(double most, double mean, double width, double *variance)
{
    static const double far = -5; // there the density falls from MOST down as an exponential one
    double zero = -1 / width, at = (most / mean - 1) / width, share = gsl_cdf_ugaussian_P(at);
    double hazard = gsl_ran_ugaussian_pdf(at) / fmax(share, 1e-300);
    *variance = width * width * fmax(1 - at * hazard - hazard * hazard, 0.01);
    if (at < far || most <= 0)
        return mean_below(most, width * mean / -at);
    share -= gsl_cdf_ugaussian_P(zero);
    if (share <= 1e-12) // MOST is next to nothing
        return most / 2;
    return mean - width * mean * (gsl_ran_ugaussian_pdf(at) - gsl_ran_ugaussian_pdf(zero)) / share;
}

/// Puts the estimates of the points from ROWS into Y, by half-normal noise of SIGMA or exponential
/// noise of SCALE, whichever is above 0: what the value is in the mean if all from 0 to the least
/// row are as likely before the rows are known. Returns the mean relative variance.
static double estimate(const struct model_points *points, const double *rows, double sigma,
                       double scale, double *y)
{
    double variance = 0;
    for (size_t i = 0; i < points->n; rows += points->n_rows[i++]) {
        struct repetitions of = repetitions_of(rows, points->n_rows[i]);
        double n = (double)points->n_rows[i], own_variance = 0;
        y[i] = of.mean;
        if (scale > 0) {
            y[i] = mean_below(of.least, of.mean * scale / n);
            own_variance = scale * scale / (n * n);
        } else if (sigma > 0 && of.mean > 0) {
            y[i] = normal_mean_below(of.least, of.mean, sigma / sqrt(n), &own_variance);
        }
        variance += own_variance;
    }
    return variance / (double)points->n;
}

/// Decides between noise to both sides and noise that only adds, and sets the values.
static void judge_noise(struct model_points *points, const double *rows)
{
    enum { N_WIDTHS = 5 };
    static const double least_rows = 3, share_one_sided = 0.4;
    struct spread spread = spread_of(points, rows);
    points->n_degrees = spread.n_degrees;
    double n = (double)spread.n_degrees, mean_rows = 0;
    for (size_t i = 0; i < points->n; i++)
        mean_rows += 1 / (double)points->n_rows[i] / (double)points->n;
    points->row_variance = n > 0 ? spread.squares / n : NAN;
    points->variance = points->row_variance * mean_rows;
    points->is_one_sided = false;
    points->other_share = 0;
    estimate(points, rows, 0, 0, points->y);
    if (n < 4 || spread.n_rows < least_rows * (double)spread.n_points ||
        points->row_variance < 1e-12)
        return;
    double normal = -n / 2 * (log(2 * M_PI * points->row_variance) + 1) - spread.logs / 2;
    double scale = spread.above_least / n, exponential = -n * (log(scale) + 1) - spread.logs;
    double half = -INFINITY, sigma = 0;
    for (int i = 0; i < N_WIDTHS; i++) {
        double width = sqrt(points->row_variance) * (1.3 + 0.15 * i);
        double log_likelihood = -n / 2 * log(2 * M_PI * width * width) - spread.logs / 2 -
                                spread.squares / (2 * width * width) +
                                half_normal(points, rows, width);
        if (log_likelihood > half) {
            half = log_likelihood;
            sigma = width;
        }
    }
    bool is_exponential = exponential > half;
    double odds =
        (1 - share_one_sided) / share_one_sided * exp(fmin(normal - fmax(exponential, half), 600));
    double mean = 0, other = 0, *values = memory_new(points->n * sizeof *values);
    double variance =
        estimate(points, rows, is_exponential ? 0 : sigma, is_exponential ? scale : 0, values);
    for (size_t i = 0; i < points->n; i++) {
        mean += points->y[i];
        other += values[i];
    }
    points->is_one_sided = odds < 1;
    points->other_share = odds < 1 ? odds / (1 + odds) : 1 / (1 + odds);
    points->other_factor = odds < 1 ? mean / other : other / mean;
    if (points->is_one_sided) {
        memcpy(points->y, values, points->n * sizeof *values);
        points->variance = variance;
    }
    free(values);
}

void model_points_read(struct model_points *points, const struct model_data *data)
{
    size_t n_parameters = points->n_parameters = data->n_parameters;
    reserve(points, data);
    for (size_t i = 0; i < data->n_rows; i++)
        points->order[i] = i;
    qsort_r(points->order, data->n_rows, sizeof *points->order, compare_rows, (void *)data);
    SCOPED double *rows = memory_new((data->n_rows + 1) * sizeof *rows);
    points->n = 0;
    for (size_t i = 0; i < data->n_rows; i++) {
        const double *x = data->x + points->order[i] * n_parameters;
        rows[i] = data->y[points->order[i]];
        if (points->n == 0 ||
            memcmp(points->x + (points->n - 1) * n_parameters, x, n_parameters * sizeof *x) != 0) {
            memcpy(points->x + points->n * n_parameters, x, n_parameters * sizeof *x);
            points->n_rows[points->n++] = 0;
        }
        points->n_rows[points->n - 1]++;
    }
    judge_noise(points, rows);
}

void model_points_release(struct model_points *points)
{
    FREE_ALL(points->x, points->y, points->order, points->n_rows);
    *points = (struct model_points){0};
}
