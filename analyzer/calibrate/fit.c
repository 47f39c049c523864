// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/calibrate/calibration.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/model/search.h"

/// Solves for the terms USED[0..n_used) only; false when GSL cannot.
static bool solve(const double *x, const double *y, size_t n, size_t n_terms, const size_t *used,
                  size_t n_used, double *coefficients)
{
    SCOPED double *terms = memory_new(n * n_used * sizeof *terms),
                  *ones = memory_new(n * sizeof *ones);
    double solution[FIT_MAX_TERMS];
    for (size_t i = 0; i < n; i++) {
        // Divided by y, so that the error is a relative one.
        for (size_t k = 0; k < n_used; k++)
            terms[i * n_used + k] = x[i * n_terms + used[k]] / y[i];
        ones[i] = 1;
    }
    bool is_solved = least_squares_solve(terms, ones, n, n_used, solution);
    for (size_t k = 0; k < n_used && is_solved; k++)
        coefficients[used[k]] = solution[k];
    return is_solved;
}

/// Whether term K is a multiple of one before it at all points, or 0.
static bool is_redundant(const double *x, size_t n, size_t n_terms, const size_t *used,
                         size_t n_used, size_t k)
{
    bool is_zero = true;
    for (size_t i = 0; i < n; i++)
        is_zero = is_zero && x[i * n_terms + k] == 0;
    for (size_t u = 0; u < n_used; u++) {
        bool is_multiple = true;
        double here = x[k], there = x[used[u]];
        for (size_t i = 0; i < n; i++) {
            double a = x[i * n_terms + k] * there, b = x[i * n_terms + used[u]] * here;
            is_multiple = is_multiple && fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b));
        }
        if (is_multiple)
            return true;
    }
    return is_zero;
}

static size_t most_negative(const double *coefficients, const double *x, size_t n, size_t n_terms,
                            const size_t *used, size_t n_used)
{
    size_t worst = n_used;
    double worst_size = 0;
    for (size_t u = 0; u < n_used; u++) {
        double size = 0; // of the term, where it is largest
        for (size_t i = 0; i < n; i++)
            size = fmax(size, fabs(coefficients[used[u]] * x[i * n_terms + used[u]]));
        if (coefficients[used[u]] < 0 && size > worst_size) {
            worst = u;
            worst_size = size;
        }
    }
    return worst;
}

static void judge(struct fit *fit, const double *x, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double value = 0;
        for (size_t k = 0; k < fit->n_terms; k++)
            value += fit->coefficients[k] * x[i * fit->n_terms + k];
        double error = value / y[i] - 1;
        fit->sum += error * error;
        fit->worst = fmax(fit->worst, fabs(error));
    }
    fit->rms = sqrt(fit->sum / (double)n);
}

struct fit fit_terms(const double *x, const double *y, size_t n, size_t n_terms)
{
    struct fit fit = {.n_terms = n_terms};
    size_t used[FIT_MAX_TERMS], n_used = 0;
    assert(n_terms <= FIT_MAX_TERMS);
    for (size_t k = 0; k < n_terms && n_used < n; k++)
        if (!is_redundant(x, n, n_terms, used, n_used, k))
            used[n_used++] = k;
    while (n_used > 0) {
        memset(fit.coefficients, 0, sizeof fit.coefficients);
        if (!solve(x, y, n, n_terms, used, n_used, fit.coefficients)) {
            n_used--;
            continue;
        }
        size_t worst = most_negative(fit.coefficients, x, n, n_terms, used, n_used);
        if (worst == n_used)
            break;
        for (size_t i = 0; i < n; i++) // beyond rounding
            fit.is_clamped |=
                fabs(fit.coefficients[used[worst]] * x[i * n_terms + used[worst]]) > 1e-6 * y[i];
        fit.coefficients[used[worst]] = 0;
        memmove(&used[worst], &used[worst + 1], (--n_used - worst) * sizeof used[0]);
    }
    judge(&fit, x, y, n);
    return fit;
}

double fit_criterion(double sum, size_t n, size_t n_parameters)
{
    // Errors of two hundredths, as measurements repeat, are no reason for another parameter.
    double mean = sum / (double)n + 4e-4;
    return (double)n * log(mean) + (double)n_parameters * log((double)n);
}

static struct fit fit_piece(const double *x, const double *y, size_t n)
{
    double terms[2 * FIT_MAX_POINTS];
    for (size_t i = 0; i < n; i++) {
        terms[2 * i] = 1;
        terms[2 * i + 1] = x[i];
    }
    return fit_terms(terms, y, n, 2);
}

/// Best sums of squared errors of the first points in a number of pieces, and where the last of
/// these begins.
struct cuts {
    double sums[FIT_MAX_PIECES][FIT_MAX_POINTS + 1];
    size_t begins[FIT_MAX_PIECES][FIT_MAX_POINTS + 1];
};

static void cut(struct cuts *cuts, const double *x, const double *y, size_t n)
{
    for (size_t end = 0; end <= n; end++)
        cuts->sums[0][end] = end < 1 ? INFINITY : fit_piece(x, y, end).sum;
    for (size_t k = 1; k < FIT_MAX_PIECES; k++) {
        for (size_t end = 0; end <= n; end++) {
            cuts->sums[k][end] = INFINITY;
            for (size_t begin = 2 * k; begin + 2 <= end; begin++) {
                if (isinf(cuts->sums[k - 1][begin]))
                    continue;
                double sum =
                    cuts->sums[k - 1][begin] + fit_piece(x + begin, y + begin, end - begin).sum;
                if (sum >= cuts->sums[k][end])
                    continue;
                cuts->sums[k][end] = sum;
                cuts->begins[k][end] = begin;
            }
        }
    }
}

struct fit_pieces fit_line(const double *x, const double *y, size_t n)
{
    struct cuts cuts = {0};
    struct fit_pieces best = {.n_pieces = 1};
    assert(n > 0 && n <= FIT_MAX_POINTS);
    cut(&cuts, x, y, n);
    double best_criterion = INFINITY;
    for (size_t k = 0; k < FIT_MAX_PIECES; k++) {
        if (isinf(cuts.sums[k][n]))
            break;
        double criterion = fit_criterion(cuts.sums[k][n], n, 3 * k + 2);
        if (criterion >= best_criterion)
            continue;
        best_criterion = criterion;
        best.n_pieces = k + 1;
    }
    size_t end = n;
    for (size_t k = best.n_pieces; k-- > 0;) {
        size_t begin = k > 0 ? cuts.begins[k][end] : 0;
        best.pieces[k] = fit_piece(x + begin, y + begin, end - begin);
        best.ends[k] = end;
        best.rms += best.pieces[k].sum;
        best.worst = fmax(best.worst, best.pieces[k].worst);
        best.is_clamped = best.is_clamped || best.pieces[k].is_clamped;
        end = begin;
    }
    best.rms = sqrt(best.rms / (double)n);
    return best;
}
