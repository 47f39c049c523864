// SPDX-License-Identifier: BSD-3-Clause
// With a formula and a kind of noise given, the value has a t distribution around that of the
// formula. The interval is that of all these distributions mixed by their probabilities.
#include "analyzer/model/posterior.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/model/model_formula.h"

struct model_posterior {
    struct noise_kind noises[SEARCH_NOISES];
    size_t n_points;
    double other_share, other_factor; // of struct model_points
    size_t n;
    struct model_hypothesis hypotheses[];
};

struct model_posterior *posterior_new(const struct search *search,
                                      const struct model_points *points)
{
    size_t size = search->n_found * sizeof search->found[0];
    struct model_posterior *posterior = memory_new(sizeof *posterior + size);
    posterior->n_points = points->n;
    posterior->other_share = points->other_share;
    posterior->other_factor = points->other_factor;
    posterior->n = search->n_found;
    memcpy(posterior->noises, search->noises, sizeof search->noises);
    memcpy(posterior->hypotheses, search->found, size);
    return posterior;
}

/// g' (X'X)^-1 g for the terms' values g at X.
static double leverage(const struct model_hypothesis *hypothesis, size_t n_parameters,
                       const double *x)
{
    const struct model_piece *piece = &hypothesis->formula.pieces[hypothesis->formula.n_pieces - 1];
    double terms[MODEL_MAX_TERMS], sum = 0;
    for (size_t i = 0; i < piece->n_terms; i++)
        terms[i] = term_value(&piece->terms[i], n_parameters, x);
    for (size_t i = 0; i < piece->n_terms; i++)
        for (size_t j = 0; j < piece->n_terms; j++)
            sum += terms[i] * hypothesis->inverse[i][j] * terms[j];
    return fmax(sum, 0);
}

/// The quantile of a t distribution of DEGREES where the normal one has Z (Abramowitz, Stegun,
/// 26.7.5).
static double t_quantile(double z, double degrees)
{
    double z2 = z * z, v = degrees;
    return z * (1 + (z2 + 1) / (4 * v) + ((5 * z2 + 16) * z2 + 3) / (96 * v * v) +
                (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * v * v * v));
}

struct sample {
    double value, share;
};

static int by_value(const void *a, const void *b)
{
    double left = ((const struct sample *)a)->value, right = ((const struct sample *)b)->value;
    return left < right ? -1 : left > right;
}

static double quantile(const struct sample *samples, size_t n, double share)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += samples[i].share;
        if (sum >= share)
            return samples[i].value;
    }
    return samples[n - 1].value;
}

void posterior_interval(const struct model_posterior *posterior, size_t n_parameters,
                        const double *x, double *low, double *high)
{
    enum { N_NODES = 24 };
    static const double least_share = 1e-4, outside = 0.025;
    double nodes[N_NODES], all = 0;
    for (size_t i = 0; i < N_NODES; i++)
        nodes[i] = gsl_cdf_ugaussian_Pinv(((double)i + 0.5) / N_NODES);
    struct sample *samples =
        memory_new(2 * posterior->n * SEARCH_NOISES * N_NODES * sizeof *samples);
    size_t n = 0;
    for (size_t h = 0; h < posterior->n; h++) {
        const struct model_hypothesis *hypothesis = &posterior->hypotheses[h];
        double value = model_formula_value(&hypothesis->formula, n_parameters, x);
        double lever = leverage(hypothesis, n_parameters, x);
        for (size_t k = 0; k < SEARCH_NOISES; k++) {
            const struct noise_kind *noise = &posterior->noises[k];
            if (hypothesis->shares[k] < least_share)
                continue;
            double degrees =
                2 * noise->shape + (double)posterior->n_points - (double)hypothesis->n_coefficients;
            double width = sqrt((2 * noise->scale + hypothesis->squares) / degrees * lever);
            for (size_t i = 0; i < N_NODES; i++) {
                double share = hypothesis->shares[k] / N_NODES;
                double sample = fmax(value + width * t_quantile(nodes[i], degrees), 0);
                samples[n++] = (struct sample){sample, share * (1 - posterior->other_share)};
                if (posterior->other_share > least_share)
                    samples[n++] = (struct sample){sample * posterior->other_factor,
                                                   share * posterior->other_share};
                all += share;
            }
        }
    }
    qsort(samples, n, sizeof *samples, by_value);
    *low = quantile(samples, n, outside * all);
    *high = quantile(samples, n, (1 - outside) * all);
    free(samples);
}
