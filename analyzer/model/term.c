// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/model/search.h"

#include <math.h>

// How often powers occur, rising and falling ones, and falling ones in sums with rising terms,
// where nearly all are work that is shared out.
static const struct {
    double exponent, rising, falling, in_sum;
} powers[] = {
    {1. / 4, 1, 1, 0}, {1. / 3, 1, 1, 1},  {1. / 2, 3, 3, 2},  {2. / 3, 2, 3, 2}, {3. / 4, 1, 2, 1},
    {1, 8, 10, 20},    {5. / 4, 1, 1, 0},  {4. / 3, 1, 1, 0},  {3. / 2, 3, 2, 1}, {5. / 3, 1, 1, 0},
    {7. / 4, 1, 1, 0}, {2, 5, 2, 2},       {9. / 4, 1, .3, 0}, {7. / 3, 1, 0, 0}, {5. / 2, 1, 0, 0},
    {8. / 3, 1, 0, 0}, {11. / 4, 1, 0, 0}, {3, 3, 1, 0},       {0.6, 0, .7, 0},   {0.8, 0, 1, 0},
    {0.9, 0, 1, 0},    {1.1, 0, 1, 0},
};
enum { N_POWERS = sizeof powers / sizeof powers[0], MAX_LOG = 2 };

static const double log_weights[MAX_LOG + 1] = {2, 1.5, 1};

static struct term_kind kind_of(double exponent, int log_exponent, double weight, double in_sum)
{
    double size = fabs(exponent);
    bool is_falling = exponent < 0;
    bool is_half = fabs(2 * size - rint(2 * size)) < 1e-9 && size < 3.1 && size != 2.5;
    bool is_simple = log_exponent == 0 ? is_half : log_exponent == 1 && (size == 0 || size == 1);
    return (struct term_kind){
        .factor = {exponent, log_exponent},
        .trend = is_falling ? TERM_FALLING : TERM_RISING,
        .is_plain = is_falling ? in_sum > 0 && log_exponent == 0 : is_simple,
        .log_prior = weight * log_weights[log_exponent],
        .log_prior_in_sum = is_falling ? in_sum : weight * log_weights[log_exponent],
    };
}

/// Makes probabilities of the weights in LOG_PRIOR.
static void normalise(struct term_kind *kinds, size_t n)
{
    double sum = 0, sum_in_sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += kinds[i].log_prior;
        sum_in_sum +=
            kinds[i].is_plain || kinds[i].trend == TERM_RISING ? kinds[i].log_prior_in_sum : 0;
    }
    for (size_t i = 0; i < n; i++) {
        kinds[i].log_prior = log(kinds[i].log_prior / sum);
        kinds[i].log_prior_in_sum = log(kinds[i].log_prior_in_sum / sum_in_sum);
    }
}

size_t term_kinds(struct term_kind kinds[TERM_MAX_KINDS], double least)
{
    size_t n = 0, n_rising;
    int max_log = least >= 1 ? MAX_LOG : 0;
    for (int j = 1; j <= max_log; j++)
        kinds[n++] = kind_of(0, j, 6, 0);
    for (size_t i = 0; i < N_POWERS; i++)
        for (int j = 0; j <= max_log && powers[i].rising > 0; j++)
            kinds[n++] = kind_of(powers[i].exponent, j, powers[i].rising, 0);
    normalise(kinds, n);
    n_rising = n;
    for (size_t i = 0; i < N_POWERS && least > 0; i++)
        for (int j = 0; j <= max_log; j++)
            if (powers[i].falling > 0 && (j == 0 || powers[i].rising > 0))
                kinds[n++] = kind_of(-powers[i].exponent, j, powers[i].falling, powers[i].in_sum);
    normalise(kinds + n_rising, n - n_rising);
    return n;
}
