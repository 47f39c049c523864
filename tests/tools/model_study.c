// SPDX-License-Identifier: BSD-3-Clause
// model_study [--series N] [--seed S] [--csv] [--worst CLASS] [--bad FACTOR]: how well models of
// random noisy series continue them. Each series has a known function, half of them with exponents
// that no hypothesis has; noise of 0, 2, 5 or 10 % is normal, adds only, or is in part shared by
// all rows of a point. The table has the relative error at 4 and 16 times the greatest parameters,
// beside the error of the generating form with fitted coefficients (the ceiling), and how often the
// interval holds the truth. With --bad one point of each series is FACTOR times too high. --csv
// prints the series as a table for `pagoda model` instead.
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/model/model.h"

enum { MAX_ROWS = 400, N_FAR = 2, N_LEVELS = 4, MAX_POINTS = 40 };

enum class {
    CLASS_GROWTH,
    CLASS_STRONG,
    CLASS_AMDAHL,
    CLASS_TWO,
    CLASS_SEGMENTED,
    CLASS_CONSTANT,
    CLASS_COMMUNICATION,
    N_CLASSES
};
static const char *const class_names[] = {"growth",    "strong",   "amdahl",       "two",
                                          "segmented", "constant", "communication"};

enum noise { NOISE_NORMAL, NOISE_ONE_SIDED, NOISE_SHARED, N_NOISES };
static const char *const noise_names[] = {"normal", "one-sided", "shared"};
static const double levels[N_LEVELS] = {0, 0.02, 0.05, 0.1};
static const double far[N_FAR] = {4, 16};

struct series {
    enum class class;
    enum noise noise;
    bool is_off_grid;
    size_t level, n_parameters, n_rows, n_points, n_repetitions;
    struct model_formula truth;
    double points[MAX_POINTS][2];
    double x[MAX_ROWS * 2], y[MAX_ROWS];
    double greatest[2];
};

// ---- random numbers (splitmix64)

static uint64_t state;
static double bad_factor; // 0: no point is bad

static double uniform(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double between(double low, double high)
{
    return low + (high - low) * uniform();
}

static double log_between(double low, double high)
{
    return exp(between(log(low), log(high)));
}

static size_t pick(size_t n)
{
    return (size_t)(uniform() * (double)n);
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

// ---- functions

static const double thirds_and_quarters[] = {1. / 4, 1. / 3, 1. / 2, 2. / 3, 3. / 4, 1,
                                             5. / 4, 4. / 3, 3. / 2, 5. / 3, 2,      5. / 2};

static struct model_factor rising(bool is_off_grid, double most)
{
    struct model_factor factor = {0, 0};
    do {
        factor.exponent = is_off_grid ? between(0.2, most)
                          : pick(6) == 0
                              ? 0
                              : thirds_and_quarters[pick(sizeof thirds_and_quarters / 8)];
        factor.log_exponent = pick(2) ? 0 : 1 + (int)pick(2);
    } while ((factor.exponent == 0 && factor.log_exponent == 0) || factor.exponent > most);
    return factor;
}

/// Adds a term to PIECE of SHARE times SCALE at X.
static void add_term(struct model_piece *piece, struct model_factor first,
                     struct model_factor second, double value, const double *x)
{
    struct model_term *term = &piece->terms[piece->n_terms++];
    *term = (struct model_term){.factors = {first, second}};
    term->coefficient = value / term_value(term, 2, x);
}

static const struct model_factor none = {0, 0};

static void make_points(struct series *series)
{
    static const double starts[] = {1, 2, 4, 8, 16, 32};
    bool is_two = series->n_parameters == 2, is_long = series->class == CLASS_SEGMENTED;
    size_t n_p = is_two ? 4 + pick(2) : is_long ? 8 + pick(4) : 5 + pick(4);
    size_t n_second = is_two ? 4 + pick(2) : 1;
    double p = starts[pick(6)], n0 = is_two ? log_between(10, 2000) : 1;
    if (series->class == CLASS_COMMUNICATION && !is_two) {
        n_p = 8 + pick(4);
        p = 8;
    }
    size_t style = pick(4); // powers of 2, or sometimes other steps
    series->n_points = 0;
    for (size_t i = 0; i < n_p; i++) {
        double n = rint(n0);
        for (size_t j = 0; j < n_second; j++) {
            series->points[series->n_points][0] = rint(p);
            series->points[series->n_points++][1] = n;
            n *= 2;
        }
        series->greatest[0] = rint(p);
        series->greatest[1] = n / 2;
        p *= series->class == CLASS_COMMUNICATION && !is_two ? 4
             : style == 0 && p >= 2                          ? (i % 2 ? 4. / 3 : 1.5)
                                                             : 2;
    }
}

static void make_truth(struct series *series)
{
    bool is_off_grid = series->is_off_grid;
    const double *end = series->greatest, begin[2] = {series->points[0][0], series->points[0][1]};
    double scale = log_between(1e-4, 1e3), share = log_between(0.2, 50);
    struct model_piece *piece = &series->truth.pieces[0];
    series->truth.n_pieces = 1;
    struct model_factor minus = {is_off_grid ? between(-1.2, -0.4) : pick(2) ? -1 : -2. / 3, 0};
    switch (series->class) {
    case CLASS_GROWTH:
        add_term(piece, none, none, scale, end);
        add_term(piece, rising(is_off_grid, 3), none, scale * share, end);
        break;
    case CLASS_STRONG:
        if (pick(4) == 0)
            minus.log_exponent = 1;
        add_term(piece, minus, none, scale, end);
        if (pick(2))
            add_term(piece, none, none, scale * log_between(0.02, 1), end);
        break;
    case CLASS_AMDAHL:
        add_term(piece, (struct model_factor){-1, 0}, none, scale * log_between(2, 50), begin);
        add_term(piece, none, none, scale * log_between(0.05, 1), begin);
        add_term(piece, rising(is_off_grid, 1.5), none, scale * log_between(0.2, 2), end);
        break;
    case CLASS_TWO: {
        struct model_factor p = pick(3) == 0 ? minus : rising(is_off_grid, 2),
                            n = rising(is_off_grid, 2.5);
        add_term(piece, none, none, scale, end);
        if (pick(2)) {
            add_term(piece, p, n, scale * share, end);
        } else {
            add_term(piece, p, none, scale * share, p.exponent < 0 ? begin : end);
            add_term(piece, none, n, scale * log_between(0.2, 50), end);
        }
        break;
    }
    case CLASS_SEGMENTED: {
        size_t before = 3 + pick(series->n_points - 6);
        const double *at = series->points[before], *last = series->points[before - 1];
        double level = scale * log_between(0.5, 2);
        series->truth.n_pieces = 2;
        series->truth.break_at = sqrt(at[0] * last[0]);
        add_term(piece, rising(is_off_grid, 1.5), none, scale, last);
        add_term(&series->truth.pieces[1], rising(is_off_grid, 2), none, level * log_between(1, 3),
                 at);
        if (pick(2))
            add_term(&series->truth.pieces[1], none, none, level, end);
        break;
    }
    case CLASS_CONSTANT:
        add_term(piece, none, none, scale, end);
        break;
    case CLASS_COMMUNICATION: {
        struct model_factor one = {1, 0}, log = {0, 1};
        if (series->n_parameters == 1) {
            add_term(piece, none, none, scale, end);
            add_term(piece, one, none, scale * log_between(2, 2000), end);
        } else if (pick(2)) {
            add_term(piece, log, none, scale, end);
            add_term(piece, log, one, scale * share, end);
        } else {
            add_term(piece, none, none, scale, end);
            add_term(piece, one, none, scale * log_between(0.5, 2), end);
            add_term(piece, one, one, scale * share, end);
        }
        break;
    }
    default:
        break;
    }
}

static void make_rows(struct series *series)
{
    double level = levels[series->level];
    bool is_exponential = pick(2);
    series->n_repetitions = 1 + pick(5);
    series->n_rows = 0;
    for (size_t i = 0; i < series->n_points; i++) {
        double value = model_formula_value(&series->truth, 2, series->points[i]);
        double shared = normal();
        for (size_t j = 0; j < series->n_repetitions; j++) {
            double error = level * normal();
            if (series->noise == NOISE_ONE_SIDED)
                error = is_exponential ? -level * log(uniform()) : fabs(error);
            if (series->noise == NOISE_SHARED)
                error = 0.8 * level * shared + 0.6 * error;
            memcpy(&series->x[series->n_rows * series->n_parameters], series->points[i],
                   series->n_parameters * sizeof(double));
            series->y[series->n_rows++] = value * fmax(1 + error, 0.05);
        }
    }
}

/// All values at one point are BAD_FACTOR times what they were.
static void spoil(struct series *series)
{
    size_t point = pick(series->n_points);
    for (size_t j = 0; j < series->n_repetitions; j++)
        series->y[point * series->n_repetitions + j] *= bad_factor;
}

static void make(struct series *series, size_t number, uint64_t seed)
{
    state = seed * 1000003 + number;
    for (int i = 0; i < 4; i++)
        uniform();
    *series = (struct series){.class = number % N_CLASSES, .level = number / N_CLASSES % N_LEVELS};
    series->noise = number / N_CLASSES / N_LEVELS % N_NOISES;
    series->n_parameters =
        series->class == CLASS_TWO || (series->class == CLASS_COMMUNICATION && pick(2)) ? 2 : 1;
    series->is_off_grid = pick(2) == 0;
    do { // logarithms are 0 at 1, times never
        memset(&series->truth, 0, sizeof series->truth);
        make_points(series);
        make_truth(series);
    } while (!(model_formula_value(&series->truth, 2, series->points[0]) > 0));
    make_rows(series);
    if (bad_factor > 0)
        spoil(series);
}

// ---- the ceiling: the generating form with fitted coefficients

static double ceiling_at(const struct series *series, const double *x)
{
    const struct model_piece *last = &series->truth.pieces[series->truth.n_pieces - 1];
    struct model_piece piece = *last;
    size_t k = series->n_parameters, n = 0;
    double rows[MAX_ROWS][MODEL_MAX_TERMS], value = 0;
    for (;;) {
        n = 0;
        for (size_t i = 0; i < series->n_rows; i++) {
            double at[2] = {series->x[i * k], k == 2 ? series->x[i * k + 1] : 1};
            if (model_piece_at(&series->truth, at) != last)
                continue;
            for (size_t t = 0; t < piece.n_terms; t++)
                rows[n][t] =
                    term_value(&piece.terms[t], 2, at) / model_formula_value(&series->truth, 2, at);
            n++;
        }
        gsl_matrix *terms = gsl_matrix_alloc(n, piece.n_terms);
        gsl_vector *y = gsl_vector_alloc(n), *c = gsl_vector_alloc(piece.n_terms);
        gsl_matrix *covariance = gsl_matrix_alloc(piece.n_terms, piece.n_terms);
        gsl_multifit_linear_workspace *workspace = gsl_multifit_linear_alloc(n, piece.n_terms);
        for (size_t i = 0, row = 0; i < series->n_rows; i++) {
            double at[2] = {series->x[i * k], k == 2 ? series->x[i * k + 1] : 1};
            if (model_piece_at(&series->truth, at) != last)
                continue;
            for (size_t t = 0; t < piece.n_terms; t++)
                gsl_matrix_set(terms, row, t, rows[row][t]);
            gsl_vector_set(y, row, series->y[i] / model_formula_value(&series->truth, 2, at));
            row++;
        }
        double squares, worst = 0;
        gsl_multifit_linear(terms, y, c, covariance, &squares, workspace);
        size_t negative = piece.n_terms;
        value = 0;
        for (size_t t = 0; t < piece.n_terms; t++) {
            double coefficient = gsl_vector_get(c, t);
            value += coefficient * term_value(&piece.terms[t], 2, x);
            if (coefficient < worst) {
                worst = coefficient;
                negative = t;
            }
        }
        gsl_multifit_linear_free(workspace);
        gsl_matrix_free(covariance);
        gsl_vector_free(c);
        gsl_vector_free(y);
        gsl_matrix_free(terms);
        if (negative == piece.n_terms || piece.n_terms == 1)
            return value;
        memmove(&piece.terms[negative], &piece.terms[negative + 1],
                (--piece.n_terms - negative) * sizeof piece.terms[0]);
    }
}

// ---- the table

struct outcome {
    double error[N_FAR], ceiling[N_FAR];
    bool is_held[N_FAR], is_failed, is_recovered;
};

static bool has_same_terms(const struct model_piece *a, const struct model_piece *b)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n_terms; i++)
        for (size_t j = 0; j < b->n_terms; j++) {
            bool is_same = true;
            for (size_t k = 0; k < 2; k++)
                is_same =
                    is_same &&
                    fabs(a->terms[i].factors[k].exponent - b->terms[j].factors[k].exponent) <
                        1e-6 &&
                    a->terms[i].factors[k].log_exponent == b->terms[j].factors[k].log_exponent;
            n += is_same;
        }
    return n == a->n_terms && n == b->n_terms;
}

static void judge(struct model_workspace *workspace, const struct series *series,
                  struct outcome *outcome, bool is_loud)
{
    struct model model;
    struct error err;
    const struct model_data data = {series->n_parameters, series->n_rows, series->x, series->y};
    *outcome = (struct outcome){0};
    static const char *const names[] = {"p", "n"};
    if (model_fit(workspace, &data, names, &model, &err)) {
        outcome->is_failed = true;
        fprintf(stderr, "%s: %s\n", class_names[series->class], err.text);
        return;
    }
    SCOPED char *found = model_formula_text(&model.formula, names, series->n_parameters, 10);
    SCOPED char *truth = model_formula_text(&series->truth, names, 2, 10);
    outcome->is_recovered = has_same_terms(&model.formula.pieces[model.formula.n_pieces - 1],
                                           &series->truth.pieces[series->truth.n_pieces - 1]);
    for (size_t f = 0; f < N_FAR; f++) {
        double at[2] = {far[f] * series->greatest[0], far[f] * series->greatest[1]};
        double value = model_formula_value(&series->truth, 2, at);
        struct model_prediction prediction = model_predict(&model, at);
        outcome->error[f] = fabs(prediction.value / value - 1);
        outcome->ceiling[f] = fabs(ceiling_at(series, at) / value - 1);
        double slack = 1e-6 * value;
        outcome->is_held[f] = prediction.low <= value + slack && value <= prediction.high + slack;
        if (f == 0 && is_loud && outcome->error[0] > 0.05)
            printf("%6.3f (%6.3f) held %d [%.3g %.3g %.3g] %s %g x%zu, %zu points to %g\n"
                   "        truth %s\n        found %s\n",
                   outcome->error[0], outcome->ceiling[0], outcome->is_held[0], prediction.low,
                   value, prediction.high, noise_names[series->noise], levels[series->level],
                   series->n_repetitions, series->n_points, series->greatest[0], truth, found);
    }
    model_release_posterior(&model);
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double quantile_of(double *values, size_t n, double share)
{
    qsort(values, n, sizeof *values, by_value);
    return n ? values[(size_t)(share * (double)(n - 1) + 0.5)] : NAN;
}

/// A row of the table: series of CLASS (N_CLASSES: all) with any noise or that of LEVEL and NOISE.
static void print_row(const char *name, const struct outcome *outcomes, const bool *is_in, size_t n)
{
    double *errors = memory_new((n + 1) * sizeof *errors), median, held = 0, recovered = 0;
    SCOPED double *ceilings = memory_new((n + 1) * sizeof *errors);
    printf("%-30s", name);
    for (size_t f = 0; f < N_FAR; f++) {
        size_t m = 0;
        held = recovered = 0;
        for (size_t i = 0; i < n; i++) {
            if (!is_in[i] || outcomes[i].is_failed)
                continue;
            errors[m] = outcomes[i].error[f];
            ceilings[m++] = outcomes[i].ceiling[f];
            held += outcomes[i].is_held[f];
            recovered += outcomes[i].is_recovered;
        }
        if (f == 0)
            printf("%6zu", m);
        median = quantile_of(errors, m, 0.5);
        printf("  %6.1f %6.1f", 100 * median, 100 * quantile_of(errors, m, 0.9));
        printf(" (%5.1f %5.1f)", 100 * quantile_of(ceilings, m, 0.5),
               100 * quantile_of(ceilings, m, 0.9));
        printf(" %4.0f", 100 * held / (double)m);
        if (f == N_FAR - 1)
            printf("  %4.0f", 100 * recovered / (double)m);
    }
    printf("\n");
    free(errors);
}

static void print_table(const struct outcome *outcomes, const struct series *all, size_t n)
{
    SCOPED bool *is_in = memory_new((n + 1) * sizeof *is_in);
    printf("%-30s%6s  %34s  %34s\n", "relative errors, %", "series",
           "4 x: median 90 % (ceiling) held", "16 x: median 90 % (ceiling) held");
    for (size_t c = 0; c <= N_CLASSES; c++)
        for (int off = 0; off < 2; off++) {
            for (size_t i = 0; i < n; i++)
                is_in[i] = (c == N_CLASSES || all[i].class == c) && all[i].level > 0 &&
                           all[i].is_off_grid == off;
            char name[64];
            snprintf(name, sizeof name, "%s, noise%s", c < N_CLASSES ? class_names[c] : "all",
                     off ? ", any exponents" : "");
            print_row(name, outcomes, is_in, n);
        }
    for (size_t l = 0; l < N_LEVELS; l++)
        for (size_t k = 0; k < (l ? N_NOISES : 1); k++) {
            for (size_t i = 0; i < n; i++)
                is_in[i] = all[i].level == l && (l == 0 || all[i].noise == k);
            char name[64];
            snprintf(name, sizeof name, "all, %g %% %s", 100 * levels[l], l ? noise_names[k] : "");
            print_row(name, outcomes, is_in, n);
        }
}

static void print_csv(size_t n, uint64_t seed)
{
    struct series series;
    printf("series,p,n,value\n");
    for (size_t i = 0; i < n; i++) {
        make(&series, i, seed);
        if (series.n_parameters != 1)
            continue;
        for (size_t j = 0; j < series.n_rows; j++)
            printf("%06zu,%.17g,1,%.17g\n", i, series.x[j], series.y[j]);
    }
}

int main(int argc, char **argv)
{
    size_t n = 2100, loud = N_CLASSES;
    uint64_t seed = 1;
    bool wants_csv = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--csv") == 0)
            wants_csv = true;
        else if (strcmp(argv[i], "--series") == 0 && i + 1 < argc)
            n = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            seed = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--bad") == 0 && i + 1 < argc)
            bad_factor = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--worst") == 0 && i + 1 < argc)
            for (loud = 0, i++; loud < N_CLASSES && strcmp(class_names[loud], argv[i]) != 0;)
                loud++;
    }
    if (wants_csv) {
        print_csv(n, seed);
        return 0;
    }
    SCOPED struct series *all = memory_new(n * sizeof *all);
    SCOPED struct outcome *outcomes = memory_new(n * sizeof *outcomes);
    struct model_workspace *workspace = model_workspace_new();
    for (size_t i = 0; i < n; i++) {
        make(&all[i], i, seed);
        judge(workspace, &all[i], &outcomes[i], all[i].class == loud);
    }
    print_table(outcomes, all, n);
    model_workspace_free(workspace);
    return 0;
}
