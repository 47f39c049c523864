// SPDX-License-Identifier: BSD-3-Clause
// With a formula and a kind of noise given, the value has a t distribution around that of the
// formula. The confidence interval is that of all these distributions mixed by their probabilities.
#include "analyzer/model/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/model/model.h"
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

/// g' (X'X)^-1 h for the values g and h of the last piece's terms at X and Y.
static double common_leverage(const struct model_hypothesis *hypothesis, size_t n_parameters,
                              const double *x, const double *y)
{
    const struct model_piece *piece = &hypothesis->formula.pieces[hypothesis->formula.n_pieces - 1];
    double at_x[MODEL_MAX_TERMS], at_y[MODEL_MAX_TERMS], sum = 0;
    for (size_t i = 0; i < piece->n_terms; i++) {
        at_x[i] = term_value(&piece->terms[i], n_parameters, x);
        at_y[i] = term_value(&piece->terms[i], n_parameters, y);
    }
    for (size_t i = 0; i < piece->n_terms; i++)
        for (size_t j = 0; j < piece->n_terms; j++)
            sum += at_x[i] * hypothesis->inverse[i][j] * at_y[j];
    return sum;
}

static double leverage(const struct model_hypothesis *hypothesis, size_t n_parameters,
                       const double *x)
{
    return fmax(common_leverage(hypothesis, n_parameters, x, x), 0);
}

static double degrees_of(const struct model_posterior *posterior,
                         const struct model_hypothesis *hypothesis, const struct noise_kind *noise)
{
    return 2 * noise->shape + (double)posterior->n_points - (double)hypothesis->n_coefficients;
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

enum { N_NODES = 24 };
static const double least_share = 1e-4;

/// What a quantity may be, as values with shares that sum to ALL.
struct samples {
    struct sample *list;
    size_t n;
    double all;
    double nodes[N_NODES]; // of a normal distribution
};

/// Makes room for N hypotheses.
static void samples_init(struct samples *samples, size_t n)
{
    *samples = (struct samples){
        .list = memory_new(2 * n * SEARCH_NOISES * N_NODES * sizeof(struct sample))};
    for (size_t i = 0; i < N_NODES; i++)
        samples->nodes[i] = gsl_cdf_ugaussian_Pinv(((double)i + 0.5) / N_NODES);
}

/// Adds what HYPOTHESIS says of a quantity that has the value VALUE there, with the variance of the
/// noise times LEVER, and is LEAST at least.
static void samples_add(struct samples *samples, const struct model_posterior *posterior,
                        const struct model_hypothesis *hypothesis, double value, double lever,
                        double least)
{
    for (size_t k = 0; k < SEARCH_NOISES; k++) {
        const struct noise_kind *noise = &posterior->noises[k];
        if (hypothesis->shares[k] < least_share)
            continue;
        double degrees = degrees_of(posterior, hypothesis, noise);
        double width = sqrt((2 * noise->scale + hypothesis->squares) / degrees * lever);
        for (size_t i = 0; i < N_NODES; i++) {
            double share = hypothesis->shares[k] / N_NODES;
            double sample = fmax(value + width * t_quantile(samples->nodes[i], degrees), least);
            samples->list[samples->n++] =
                (struct sample){sample, share * (1 - posterior->other_share)};
            if (posterior->other_share > least_share)
                samples->list[samples->n++] = (struct sample){sample * posterior->other_factor,
                                                              share * posterior->other_share};
            samples->all += share;
        }
    }
}

/// What 95 % of SAMPLES, which are freed, lie between.
static struct model_interval samples_interval(struct samples *samples)
{
    static const double outside = 0.025;
    SORT_BY(samples->list, samples->n, LEAST(value));
    struct model_interval interval = {
        quantile(samples->list, samples->n, outside * samples->all),
        quantile(samples->list, samples->n, (1 - outside) * samples->all)};
    free(samples->list);
    return interval;
}

struct model_interval posterior_interval(const struct model_posterior *posterior,
                                         size_t n_parameters, const double *x)
{
    struct samples samples;
    samples_init(&samples, posterior->n);
    for (size_t h = 0; h < posterior->n; h++) {
        const struct model_hypothesis *hypothesis = &posterior->hypotheses[h];
        samples_add(&samples, posterior, hypothesis,
                    model_formula_value(&hypothesis->formula, n_parameters, x),
                    leverage(hypothesis, n_parameters, x), 0);
    }
    return samples_interval(&samples);
}

static bool has_factors(const struct model_term *term, const struct model_factor *factors)
{
    bool has = true;
    for (size_t k = 0; k < MODEL_MAX_PARAMETERS; k++)
        has = has && term->factors[k].log_exponent == factors[k].log_exponent &&
              fabs(term->factors[k].exponent - factors[k].exponent) < 1e-9;
    return has;
}

struct model_interval posterior_coefficient(const struct model_posterior *posterior, size_t h,
                                            const struct model_factor *factors)
{
    const struct model_hypothesis *hypothesis = &posterior->hypotheses[h];
    const struct model_piece *piece = &hypothesis->formula.pieces[hypothesis->formula.n_pieces - 1];
    size_t term = 0;
    while (term + 1 < piece->n_terms && !has_factors(&piece->terms[term], factors))
        term++;
    double value = piece->terms[term].coefficient;
    struct samples samples;
    samples_init(&samples, 1);
    samples_add(&samples, posterior, hypothesis, value, hypothesis->inverse[term][term],
                value > 0 ? 0 : -INFINITY);
    return samples_interval(&samples);
}

// ---- what another point would tell

/// What a hypothesis says of the logarithms of the value at the target and of the one to be
/// measured.
struct outlook {
    double probability, target, target_variance;
    double measured, measured_variance; // with the noise
    double covariance;
};

/// The variance of the noise of a point's value, relative.
static double noise_of(const struct model_posterior *posterior,
                       const struct model_hypothesis *hypothesis)
{
    double sum = 0;
    for (size_t k = 0; k < SEARCH_NOISES; k++) {
        const struct noise_kind *noise = &posterior->noises[k];
        sum += hypothesis->shares[k] / hypothesis->probability *
               (2 * noise->scale + hypothesis->squares) / degrees_of(posterior, hypothesis, noise);
    }
    return sum;
}

static struct outlook outlook_of(const struct model_posterior *posterior, size_t h,
                                 size_t n_parameters, const double *x, const double *candidate)
{
    const struct model_hypothesis *hypothesis = &posterior->hypotheses[h];
    const struct model_formula *formula = &hypothesis->formula;
    double target = fmax(model_formula_value(formula, n_parameters, x), 1e-300);
    double measured = fmax(model_formula_value(formula, n_parameters, candidate), 1e-300);
    double noise = noise_of(posterior, hypothesis);
    struct outlook outlook = {
        .probability = hypothesis->probability,
        .target = log(target),
        .target_variance = noise * leverage(hypothesis, n_parameters, x) / target / target,
        .measured = log(measured),
        .measured_variance = noise,
    };
    // Only the last piece says something of both; the other one is known as well as any.
    if (model_piece_at(formula, candidate) == &formula->pieces[formula->n_pieces - 1]) {
        outlook.measured_variance +=
            noise * leverage(hypothesis, n_parameters, candidate) / measured / measured;
        outlook.covariance =
            noise * common_leverage(hypothesis, n_parameters, x, candidate) / target / measured;
    }
    return outlook;
}

/// The variance of the target where the mean of the hypothesis TRUE_ONE was measured; before the
/// measurement if that is NULL.
static double variance_after(const struct outlook *outlooks, size_t n,
                             const struct outlook *true_one)
{
    double all = 0, mean = 0, squares = 0;
    for (size_t h = 0; h < n; h++) {
        const struct outlook *o = &outlooks[h];
        double share = o->probability, target = o->target, variance = o->target_variance;
        if (true_one) {
            double difference = true_one->measured - o->measured;
            double both = o->measured_variance + true_one->measured_variance;
            share *= exp(-difference * difference / both / 2) / sqrt(both);
            target += o->covariance / o->measured_variance * difference;
            variance -= o->covariance * o->covariance / o->measured_variance;
        }
        all += share;
        mean += share * target;
        squares += share * (target * target + fmax(variance, 0));
    }
    return fmax(squares / all - mean / all * (mean / all), 0);
}

/// How wide the confidence interval LOW to HIGH at X would be if CANDIDATE were measured as well, a
/// share of its present width: expected from what POSTERIOR says of both values.
static double width_after(const struct model_posterior *posterior, size_t n_parameters,
                          const double *x, double low, double high, const double *candidate)
{
    enum { MOST = 24 }; // of the most probable ones
    static const double lowest_share = 1e-3;
    struct outlook outlooks[MOST];
    size_t n = posterior->n < MOST ? posterior->n : MOST;
    // Formulas that the confidence interval leaves out must not outweigh those within.
    double least = log(fmax(low, lowest_share * high)), most = log(high), all = 0, after = 0;
    for (size_t h = 0; h < n; h++) {
        struct outlook *o = &outlooks[h];
        *o = outlook_of(posterior, h, n_parameters, x, candidate);
        o->target = fmin(fmax(o->target, least), most);
        o->target_variance = fmin(o->target_variance, (most - least) * (most - least) / 4);
        all += o->probability;
    }
    for (size_t h = 0; h < n; h++)
        after += outlooks[h].probability / all * variance_after(outlooks, n, &outlooks[h]);
    double before = variance_after(outlooks, n, NULL);
    return before > 0 ? fmin(sqrt(after / before), 1) : 1;
}

// --- what to measure next

// Candidates are the values that parameters have in the data, for repetitions and gaps in the
// grid, and the target's value, at most a factor of two beyond the data: the next larger run.

enum { MAX_VALUES = 12 };

static void add_value(double *values, size_t *n, double value)
{
    for (size_t i = 0; i < *n; i++)
        if (!(values[i] < value || values[i] > value))
            return;
    if (*n < MAX_VALUES)
        values[(*n)++] = value;
}

/// The values of the parameter K that candidates have.
static size_t values_of(const struct model *model, const struct model_data *data, size_t k,
                        const double *at, double values[MAX_VALUES])
{
    size_t n = 0;
    add_value(values, &n, model->least[k]);
    add_value(values, &n, model->greatest[k]);
    if (model->greatest[k] > model->least[k])
        add_value(values, &n, fmin(fmax(at[k], model->least[k] / 2), 2 * model->greatest[k]));
    for (size_t i = 0; i < data->n_rows && data->n_parameters <= 2; i++)
        add_value(values, &n, data->x[i * data->n_parameters + k]);
    return n;
}

struct model_next model_measure_next(const struct model *model, const struct model_data *data,
                                     const double *at, const struct model_prediction *prediction)
{
    struct model_next best = {.width = 1};
    double values[MODEL_MAX_PARAMETERS][MAX_VALUES], x[MODEL_MAX_PARAMETERS];
    size_t n[MODEL_MAX_PARAMETERS], n_candidates = 1;
    if (!model->posterior || !(prediction->high > prediction->low * (1 + 1e-3)))
        return best;
    for (size_t k = 0; k < model->n_parameters; k++) {
        n[k] = values_of(model, data, k, at, values[k]);
        n_candidates *= n[k];
    }
    for (size_t i = 0; i < n_candidates; i++) {
        for (size_t k = 0, rest = i; k < model->n_parameters; rest /= n[k++])
            x[k] = values[k][rest % n[k]];
        double width = width_after(model->posterior, model->n_parameters, at, prediction->low,
                                   prediction->high, x);
        if (!(width < best.width))
            continue;
        best.width = width;
        memcpy(best.x, x, sizeof x);
    }
    return best;
}
