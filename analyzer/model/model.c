// SPDX-License-Identifier: BSD-3-Clause
// A model is searched twice: the weights of the first search are 1 over the measured values, those
// of the second 1 over the values of the formula found, for a value that is too low by chance would
// else count too much.
//
// One bad point of a few would decide the formula. So the model of all points competes with those
// that leave one out: such a point's value is taken from anywhere, all orders of magnitude within
// OUTLIER_RANGE alike, and few series have one (the mixture of Box and Tiao, "A Bayesian approach
// to some outlier problems", 1968, for one point). Two points that agree are never left out.
#include "analyzer/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/model/search.h"

/// Points and what was found at them.
struct attempt {
    struct model_points points;
    struct search search;
    double *weights;
    size_t weights_capacity;
};

struct model_workspace {
    struct attempt attempts[2]; // of all points, and without one
};

struct model_workspace *model_workspace_new(void)
{
    return memory_zeroed(1, sizeof(struct model_workspace));
}

void model_workspace_free(struct model_workspace *workspace)
{
    if (!workspace)
        return;
    for (size_t i = 0; i < 2; i++) {
        model_points_release(&workspace->attempts[i].points);
        search_release(&workspace->attempts[i].search);
        free(workspace->attempts[i].weights);
    }
    free(workspace);
}

void model_release_posterior(struct model *model)
{
    free(model->posterior);
    model->posterior = NULL;
}

// ---- fits

/// The coefficients of PIECE once more, by QR, which loses fewer digits than the search.
static void refit(struct model_piece *piece, const struct model_points *points,
                  const double *weights, const bool *is_here)
{
    size_t n = 0, n_terms = piece->n_terms;
    SCOPED double *terms = memory_new((points->n * n_terms + 1) * sizeof *terms);
    SCOPED double *values = memory_new((points->n + 1) * sizeof *values);
    double solution[MODEL_MAX_TERMS];
    for (size_t i = 0; i < points->n; i++) {
        if (!is_here[i])
            continue;
        const double *x = points->x + i * points->n_parameters;
        for (size_t k = 0; k < n_terms; k++)
            terms[n * n_terms + k] =
                weights[i] * term_value(&piece->terms[k], points->n_parameters, x);
        values[n++] = weights[i] * points->y[i];
    }
    bool is_good = least_squares_solve(terms, values, n, n_terms, solution);
    for (size_t k = 0; k < n_terms && is_good; k++)
        is_good = solution[k] * piece->terms[k].coefficient > 0;
    for (size_t k = 0; k < n_terms && is_good; k++)
        piece->terms[k].coefficient = solution[k];
}

/// Puts the constant first, then falling terms, then those that rise most.
static void sort_terms(struct model_piece *piece, size_t n_parameters)
{
    double order[MODEL_MAX_TERMS] = {0};
    for (size_t i = 0; i < piece->n_terms; i++)
        for (size_t k = 0; k < n_parameters; k++) {
            struct model_factor factor = piece->terms[i].factors[k];
            bool is_factor = factor.exponent != 0 || factor.log_exponent > 0;
            order[i] += is_factor ? 10 + factor.exponent + 0.01 * factor.log_exponent : 0;
        }
    for (size_t i = 1; i < piece->n_terms; i++)
        for (size_t j = i; j > 0 && order[j] < order[j - 1]; j--) {
            struct model_term term = piece->terms[j];
            piece->terms[j] = piece->terms[j - 1];
            piece->terms[j - 1] = term;
            double swapped = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swapped;
        }
}

static void refit_formula(struct model_formula *formula, const struct model_points *points,
                          const double *weights)
{
    SCOPED bool *is_here = memory_new((points->n + 1) * sizeof *is_here);
    for (size_t p = 0; p < formula->n_pieces; p++) {
        for (size_t i = 0; i < points->n; i++)
            is_here[i] = model_piece_at(formula, points->x + i * points->n_parameters) ==
                         &formula->pieces[p];
        refit(&formula->pieces[p], points, weights, is_here);
        sort_terms(&formula->pieces[p], points->n_parameters);
    }
}

/// The hypothesis whose continuation is nearest to those of all, by their probability: the median
/// of what may be, as one formula.
static size_t choose(const struct search *search, const struct model_points *points)
{
    enum { N_TARGETS = 3, MOST = 48 };
    static const double factors[N_TARGETS] = {2, 4, 16};
    double at[MODEL_MAX_PARAMETERS], values[MOST][N_TARGETS], best = INFINITY;
    size_t n = search->n_found < MOST ? search->n_found : MOST, chosen = 0;
    size_t n_parameters = points->n_parameters;
    for (size_t t = 0; t < N_TARGETS; t++) {
        for (size_t k = 0; k < n_parameters; k++) {
            at[k] = 0;
            for (size_t i = 0; i < points->n; i++)
                at[k] = fmax(at[k], factors[t] * points->x[i * n_parameters + k]);
        }
        for (size_t i = 0; i < n; i++)
            values[i][t] =
                log(fmax(model_formula_value(&search->found[i].formula, n_parameters, at), 1e-300));
    }
    for (size_t i = 0; i < n; i++) {
        double distance = 0;
        for (size_t j = 0; j < n; j++)
            for (size_t t = 0; t < N_TARGETS; t++)
                distance +=
                    search->found[j].probability * fmin(fabs(values[i][t] - values[j][t]), 2);
        if (distance < best) {
            best = distance;
            chosen = i;
        }
    }
    return chosen;
}

static int refuse(const struct model_data *data, const char *const *names, struct error *err)
{
    static const double greatest_value = 1e60, greatest_parameter = 1e18;
    for (size_t i = 0; i < data->n_rows; i++) {
        if (!isfinite(data->y[i]))
            return error_set(err, "a value is not a finite number");
        if (data->y[i] < 0)
            return error_set(err, "the value %g is below 0", data->y[i]);
        if (data->y[i] > greatest_value || (data->y[i] > 0 && data->y[i] < 1 / greatest_value))
            return error_set(err, "the value %g is too large or small to be fitted", data->y[i]);
        for (size_t k = 0; k < data->n_parameters; k++) {
            double x = data->x[i * data->n_parameters + k];
            if (!isfinite(x) || x < 0)
                return error_set(err, "%s is %g; parameters must not be below 0", names[k], x);
            if (x > greatest_parameter || (x > 0 && x < 1 / greatest_parameter))
                return error_set(err, "%s is %g, too large or small for powers of it", names[k], x);
        }
    }
    return 0;
}

/// Whether the logarithms of two parameters lie on a line, so that no point tells their effects
/// apart.
static bool change_together(const struct model_points *points, size_t a, size_t b)
{
    double sums[5] = {0};
    for (size_t i = 0; i < points->n; i++) {
        double x = log(points->x[i * points->n_parameters + a] + 1e-9);
        double y = log(points->x[i * points->n_parameters + b] + 1e-9);
        double terms[] = {x, y, x * x, y * y, x * y};
        for (size_t k = 0; k < 5; k++)
            sums[k] += terms[k] / (double)points->n;
    }
    double xx = sums[2] - sums[0] * sums[0], yy = sums[3] - sums[1] * sums[1];
    double xy = sums[4] - sums[0] * sums[1];
    return xx > 1e-12 && yy > 1e-12 && xy * xy > (1 - 1e-9) * xx * yy;
}

static int refuse_points(const struct model_points *points, const char *const *names,
                         struct error *err)
{
    if (points->n < MODEL_LEAST_POINTS)
        return error_set(err, "%zu different point%s too few for a model; it needs %d, better 5",
                         points->n, points->n == 1 ? " is" : "s are", MODEL_LEAST_POINTS);
    for (size_t a = 0; a < points->n_parameters; a++)
        for (size_t b = a + 1; b < points->n_parameters; b++)
            if (change_together(points, a, b))
                return error_set(err,
                                 "%s and %s change together at all points, so their effects cannot "
                                 "be separated",
                                 names[a], names[b]);
    return 0;
}

static void describe(struct model *model, const struct model_points *points)
{
    double squares = 0, mean = 0, left = 0, all = 0;
    for (size_t k = 0; k < points->n_parameters; k++) {
        model->least[k] = INFINITY;
        model->greatest[k] = -INFINITY;
    }
    for (size_t i = 0; i < points->n; i++)
        mean += points->y[i] / (double)points->n;
    for (size_t i = 0; i < points->n; i++) {
        const double *x = points->x + i * points->n_parameters;
        double value = model_formula_value(&model->formula, points->n_parameters, x);
        double y = points->y[i], error = y > 0 ? value / y - 1 : value > 1e-6 * mean;
        squares += error * error;
        model->n_zeros += !(y > 0);
        model->worst = fmax(model->worst, fabs(error));
        model->smape += value + y > 0 ? 200 * fabs(value - y) / (value + y) / (double)points->n : 0;
        left += (value - y) * (value - y);
        all += (y - mean) * (y - mean);
        for (size_t k = 0; k < points->n_parameters; k++) {
            model->least[k] = fmin(model->least[k], x[k]);
            model->greatest[k] = fmax(model->greatest[k], x[k]);
        }
    }
    model->rms_error = sqrt(squares / (double)points->n);
    model->r_squared = all > 0 ? 1 - left / all : NAN;
    model->n_points = points->n;
    model->noise = points->n_degrees > 0 ? sqrt(points->row_variance) : NAN;
    model->is_one_sided = points->is_one_sided;
}

/// 1 over the VALUE that Y is about. Next to nothing need not be met so exactly.
static double weight_of(double y, double value, double greatest)
{
    static const double least_share = 1e-4, share_of_nothing = 0.05;
    return 1 / fmax(value, (y > 0 ? least_share : share_of_nothing) * greatest);
}

/// Takes the values of the formula that was found for the weights, if it fits at all.
static void set_weights(struct attempt *attempt, double greatest)
{
    static const double worst_fit = 0.1;
    const struct model_points *points = &attempt->points;
    const struct model_hypothesis *found = &attempt->search.found[0];
    if (found->squares > worst_fit * worst_fit * (double)points->n)
        return;
    for (size_t i = 0; i < points->n; i++)
        attempt->weights[i] = weight_of(points->y[i],
                                        model_formula_value(&found->formula, points->n_parameters,
                                                            points->x + i * points->n_parameters),
                                        greatest);
}

static double greatest_of(const struct model_points *points)
{
    double greatest = 0;
    for (size_t i = 0; i < points->n; i++)
        greatest = fmax(greatest, points->y[i]);
    return greatest;
}

/// Searches for formulas at the points of ATTEMPT, not all of which are 0.
static void search_points(struct attempt *attempt)
{
    const struct model_points *points = &attempt->points;
    double greatest = greatest_of(points);
    attempt->weights = array_reserve(attempt->weights, &attempt->weights_capacity, points->n,
                                     sizeof *attempt->weights);
    for (size_t i = 0; i < points->n; i++)
        attempt->weights[i] = weight_of(points->y[i], points->y[i], greatest);
    search_run(&attempt->search, points, attempt->weights, false);
    set_weights(attempt, greatest);
    search_run(&attempt->search, points, attempt->weights, true);
}

// ---- one bad point

enum { OUTLIER_LEAST_POINTS = 5, OUTLIER_DEGREES = 2 };

/// log of the probability that one point of N is bad, and has the value Y then.
static double log_outlier(size_t n, double y)
{
    static const double share_of_series = 0.03, log_range = 9.2; // four orders of magnitude
    return log(share_of_series / (double)n) - log(log_range * y);
}

/// The rows of DATA that are not at the point X.
static void read_without(struct model_points *points, const struct model_data *data,
                         const double *x)
{
    size_t k = data->n_parameters, n = 0;
    SCOPED double *left_x = memory_new((data->n_rows * k + 1) * sizeof *left_x);
    SCOPED double *left_y = memory_new((data->n_rows + 1) * sizeof *left_y);
    for (size_t i = 0; i < data->n_rows; i++) {
        if (memcmp(data->x + i * k, x, k * sizeof *x) == 0)
            continue;
        memcpy(left_x + n * k, data->x + i * k, k * sizeof *x);
        left_y[n++] = data->y[i];
    }
    const struct model_data left = {k, n, left_x, left_y};
    model_points_read(points, &left);
}

/// Tries the model without the point I of all. True: it is the better explanation.
static bool try_without(struct model_workspace *workspace, const struct model_data *data,
                        const char *const *names, size_t i, struct model_outlier *outlier)
{
    static const double least_factor = 1.1;
    struct attempt *all = &workspace->attempts[0], *others = &workspace->attempts[1];
    size_t k = data->n_parameters, n = all->points.n;
    const double *x = all->points.x + i * k;
    struct error ignored;
    read_without(&others->points, data, x);
    if (refuse_points(&others->points, names, &ignored))
        return false;
    search_points(others);
    const struct model_hypothesis *found = &others->search.found[0];
    *outlier = (struct model_outlier){.value = all->points.y[i],
                                      .expected = model_formula_value(&found->formula, k, x),
                                      .is_last = k == 1 && i == n - 1};
    memcpy(outlier->x, x, k * sizeof *x);
    double factor = outlier->value / outlier->expected;
    return found->n_coefficients + OUTLIER_DEGREES < n && fmax(factor, 1 / factor) > least_factor &&
           others->search.log_evidence + log_outlier(n, outlier->value) > all->search.log_evidence;
}

/// Looks for a point without which the others are more probable. The attempt that counts.
static const struct attempt *choose_attempt(struct model_workspace *workspace,
                                            const struct model_data *data, const char *const *names,
                                            struct model *model)
{
    enum { N_TRIED = 2 };
    static const double nats_hopeless = 0;
    const struct attempt *all = &workspace->attempts[0];
    size_t n = all->points.n;
    if (n < OUTLIER_LEAST_POINTS)
        return all;
    SCOPED double *evidences = memory_new(n * sizeof *evidences);
    search_without_each(&all->search, evidences);
    for (size_t i = 0; i < n; i++)
        evidences[i] =
            all->points.y[i] > 0 ? evidences[i] + log_outlier(n, all->points.y[i]) : -INFINITY;
    for (size_t tried = 0; tried < N_TRIED && !model->has_outlier; tried++) {
        size_t best = 0;
        for (size_t i = 1; i < n; i++)
            best = evidences[i] > evidences[best] ? i : best;
        if (!(evidences[best] > all->search.log_evidence - nats_hopeless))
            return all;
        evidences[best] = -INFINITY;
        model->has_outlier = try_without(workspace, data, names, best, &model->outlier);
    }
    return &workspace->attempts[model->has_outlier];
}

int model_fit(struct model_workspace *workspace, const struct model_data *data,
              const char *const *names, struct model *model, struct error *err)
{
    struct attempt *all = &workspace->attempts[0];
    *model = (struct model){.n_parameters = data->n_parameters};
    if (refuse(data, names, err))
        return -1;
    model_points_read(&all->points, data);
    if (refuse_points(&all->points, names, err))
        return -1;
    if (!(greatest_of(&all->points) > 0)) {
        model->formula.n_pieces = 1; // without terms
        describe(model, &all->points);
        return 0;
    }
    search_points(all);
    const struct attempt *attempt = choose_attempt(workspace, data, names, model);
    const struct search *search = &attempt->search;
    size_t chosen = choose(search, &attempt->points);
    model->formula = search->found[chosen].formula;
    refit_formula(&model->formula, &attempt->points, attempt->weights);
    model->posterior = posterior_new(search, &attempt->points);
    const struct model_piece *last = &model->formula.pieces[model->formula.n_pieces - 1];
    for (size_t k = 0; k < last->n_terms; k++)
        model->coefficients[k] =
            posterior_coefficient(model->posterior, chosen, last->terms[k].factors);
    describe(model, &attempt->points);
    return 0;
}

struct model_residual *model_residuals(const struct model_workspace *workspace,
                                       const struct model *model)
{
    const struct model_points *points = &workspace->attempts[model->has_outlier].points;
    size_t k = points->n_parameters;
    struct model_residual *residuals = memory_new((points->n + 1) * sizeof *residuals);
    for (size_t i = 0; i < points->n; i++) {
        const double *x = points->x + i * k;
        double value = points->y[i], fitted = model_formula_value(&model->formula, k, x);
        residuals[i] = (struct model_residual){
            .value = value, .fitted = fitted, .error = value > 0 ? fitted / value - 1 : NAN};
        memcpy(residuals[i].x, x, k * sizeof *x);
    }
    return residuals;
}

struct model_prediction model_predict(const struct model *model, const double *x)
{
    struct model_prediction prediction = {0};
    if (!model->posterior)
        return prediction;
    struct model_interval interval = posterior_interval(model->posterior, model->n_parameters, x);
    prediction.value = model_formula_value(&model->formula, model->n_parameters, x);
    prediction.low = fmin(interval.low, prediction.value);
    prediction.high = fmax(interval.high, prediction.value);
    return prediction;
}
