// SPDX-License-Identifier: BSD-3-Clause
// Models of measured values: what must hold of any fit, noise that only adds, limits, refusals. How
// well random series are continued is a matter of tests/tools/model_study.c.
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/model/model.h"
#include "tests/unit/unit_test.h"

enum { MAX_ROWS = 200 };

struct rows {
    size_t n_parameters, n;
    double x[MAX_ROWS * 2], y[MAX_ROWS];
};

static const char *const names[] = {"p", "n"};
static uint64_t state;

/// From 0 to 1, by splitmix64.
static double uniform(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void fit(const struct rows *rows, struct model *model)
{
    struct model_workspace *workspace = model_workspace_new();
    struct error err;
    const struct model_data data = {rows->n_parameters, rows->n, rows->x, rows->y};
    if (model_fit(workspace, &data, names, model, &err))
        fail_msg("%s", err.text);
    model_workspace_free(workspace);
}

/// Rows of a kind of function, with noise of LEVEL and two repetitions.
static void make(struct rows *rows, unsigned kind, double level)
{
    *rows = (struct rows){.n_parameters = kind == 3 ? 2 : 1};
    for (double p = 2; p <= 256; p *= 2)
        for (double n = 100; n <= (kind == 3 ? 800 : 100); n *= 2)
            for (int r = 0; r < 2; r++) {
                double y = kind == 0   ? 3 + 0.1 * p * log2(p)
                           : kind == 1 ? 50 / p + 2
                           : kind == 2 ? p <= 16 ? 1 + p : 60 + 0.01 * p * p
                           : kind == 3 ? 1 + 0.01 * n * n / p + 0.3 * p
                           : kind == 4 ? 7
                                       : 1 + 0.2 * cbrt(p * p);
                rows->x[rows->n * rows->n_parameters] = p;
                if (kind == 3)
                    rows->x[rows->n * 2 + 1] = n;
                rows->y[rows->n++] = y * (1 + level * (2 * uniform() - 1));
            }
}

enum { N_KINDS = 6 };
static const double levels[] = {0, 0.01, 0.1};

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b));
}

TEST(text_of_formulas_gives_their_value)
{
    state = 1;
    for (unsigned i = 0; i < 3 * N_KINDS; i++) {
        struct rows rows;
        struct model model;
        struct error err;
        make(&rows, i % N_KINDS, levels[i / N_KINDS]);
        fit(&rows, &model);
        SCOPED char *text = model_formula_text(&model.formula, names, rows.n_parameters, 10);
        if (i == 5)
            assert_non_null(strstr(text, "*p^(2/3)"));
        struct formula *formula = formula_new(text, names, rows.n_parameters, &err);
        if (!formula)
            fail_msg("%s", err.text);
        for (double p = 1; p < 1e5; p *= 3) {
            double x[] = {p, 50 + p};
            double value = model_formula_value(&model.formula, rows.n_parameters, x);
            assert_true(near(fmax(formula_value(formula, x), 0), value));
            struct model_prediction prediction = model_predict(&model, x);
            assert_true(near(prediction.value, value));
            assert_true(prediction.low <= prediction.value && prediction.value <= prediction.high);
            assert_true(prediction.low >= 0);
        }
        formula_free(formula);
        model_release_posterior(&model);
    }
}

/// Single rows of a kind of function at 1 to 64, with noise of LEVEL.
static void make_single(struct rows *rows, unsigned kind, double level)
{
    *rows = (struct rows){.n_parameters = 1};
    for (double p = 1; p <= 64; p *= 2) {
        double y = kind == 0 ? 1 + 0.1 * p : kind == 1 ? 5 + 2 * log2(p) : 3 + 40 / p;
        rows->x[rows->n] = p;
        rows->y[rows->n++] = y * (1 + level * (2 * uniform() - 1));
    }
}

static bool has_outlier(const struct rows *rows)
{
    struct model model;
    fit(rows, &model);
    model_release_posterior(&model);
    return model.has_outlier;
}

TEST(one_bad_point_is_found_and_left_out)
{
    static const double factors[] = {3, 1. / 3, 1.5, 20};
    state = 11;
    for (unsigned kind = 0; kind < 3; kind++)
        for (size_t bad = 0; bad < 7; bad++)
            for (size_t f = 0; f < 4; f++) {
                struct rows rows;
                struct model model, other;
                make_single(&rows, kind, 0);
                fit(&rows, &model);
                assert_false(model.has_outlier);
                double right = rows.y[bad], far = 512;
                rows.y[bad] *= factors[f];
                fit(&rows, &other);
                assert_true(other.has_outlier && other.n_points == 6);
                assert_true(near(other.outlier.x[0], rows.x[bad]));
                assert_true(near(other.outlier.value, rows.y[bad]));
                assert_true(near(other.outlier.expected, right));
                assert_true(other.outlier.is_last == (bad == 6));
                assert_true(
                    near(model_predict(&model, &far).value, model_predict(&other, &far).value));
                model_release_posterior(&model);
                model_release_posterior(&other);
            }
}

TEST(a_bad_point_is_found_among_noise_and_with_two_parameters)
{
    unsigned n_found = 0, n_right = 0;
    state = 12;
    for (unsigned i = 0; i < 60; i++) {
        struct rows rows;
        struct model model;
        bool is_two = i % 2;
        if (is_two)
            make(&rows, 3, 0.02);
        else
            make_single(&rows, i % 3, 0.02);
        size_t bad = i % rows.n;
        rows.y[bad] *= 4;
        if (is_two) // both rows of the point
            rows.y[bad ^ 1] *= 4;
        fit(&rows, &model);
        n_found += model.has_outlier;
        n_right += model.has_outlier && near(model.outlier.x[0], rows.x[bad * rows.n_parameters]);
        model_release_posterior(&model);
    }
    assert_true(n_right == n_found && n_right >= 54);
}

TEST(noise_is_no_bad_point)
{
    unsigned n = 0;
    state = 13;
    for (unsigned i = 0; i < 150; i++) {
        struct rows rows;
        make_single(&rows, i % 3, 0.03 + 0.05 * (i % 4));
        n += has_outlier(&rows);
    }
    assert_true(n <= 1);
}

TEST(two_points_that_agree_are_no_bad_ones)
{
    state = 14;
    for (size_t first = 0; first + 1 < 7; first++)
        for (unsigned is_noisy = 0; is_noisy < 2; is_noisy++) {
            struct rows rows;
            struct model model;
            make_single(&rows, 0, is_noisy ? 0.02 : 0);
            rows.y[first] *= 3;
            rows.y[first + 1] *= 3;
            fit(&rows, &model);
            assert_false(model.has_outlier);
            if (first == 0 || first == 5) {
                assert_int_equal(model.formula.n_pieces, 2);
                assert_true(model.rms_error < 0.05);
            }
            model_release_posterior(&model);
        }
}

TEST(four_points_are_too_few_for_a_bad_one)
{
    struct rows rows = {1, 4, {1, 2, 4, 8}, {1, 2, 12, 8}};
    assert_false(has_outlier(&rows));
}

TEST(coefficients_have_intervals_and_points_residuals)
{
    unsigned n = 0, n_held = 0;
    state = 15;
    for (unsigned i = 0; i < 100; i++) {
        struct rows rows = {.n_parameters = 1};
        struct model model;
        struct error err;
        for (double p = 2; p <= 128; p *= 2) {
            rows.x[rows.n] = p;
            rows.y[rows.n++] = (2 + 0.5 * p) * (1 + 0.1 * (2 * uniform() - 1));
        }
        struct model_workspace *workspace = model_workspace_new();
        const struct model_data data = {1, rows.n, rows.x, rows.y};
        if (model_fit(workspace, &data, names, &model, &err))
            fail_msg("%s", err.text);
        struct model_residual *residuals = model_residuals(workspace, &model);
        double squares = 0;
        for (size_t k = 0; k < model.n_points; k++) {
            double value = model_formula_value(&model.formula, 1, residuals[k].x);
            assert_true(near(residuals[k].fitted, value));
            assert_true(near(residuals[k].error, value / residuals[k].value - 1));
            squares += residuals[k].error * residuals[k].error;
        }
        assert_true(near(sqrt(squares / (double)model.n_points), model.rms_error));
        const struct model_piece *piece = &model.formula.pieces[model.formula.n_pieces - 1];
        for (size_t k = 0; k < piece->n_terms; k++)
            assert_true(model.coefficients[k].low <= piece->terms[k].coefficient &&
                        piece->terms[k].coefficient <= model.coefficients[k].high);
        if (model.formula.n_pieces == 1 && piece->n_terms == 2 &&
            near(piece->terms[1].factors[0].exponent, 1) &&
            piece->terms[1].factors[0].log_exponent == 0) {
            n++;
            n_held += model.coefficients[1].low <= 0.5 && 0.5 <= model.coefficients[1].high;
        }
        free(residuals);
        model_release_posterior(&model);
        model_workspace_free(workspace);
    }
    assert_true(n >= 50 && n_held * 100 >= n * 85 && n_held < n);
}

TEST(order_and_unit_do_not_matter)
{
    state = 2;
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        struct rows rows, other;
        struct model model, changed;
        make(&rows, kind, 0.05);
        other = rows;
        for (size_t i = 0; i < rows.n; i++) {
            size_t from = rows.n - 1 - i;
            other.y[i] = 1000 * rows.y[from];
            memcpy(other.x + i * rows.n_parameters, rows.x + from * rows.n_parameters,
                   rows.n_parameters * sizeof *rows.x);
        }
        fit(&rows, &model);
        fit(&other, &changed);
        const double x[] = {1024, 3200};
        struct model_prediction a = model_predict(&model, x), b = model_predict(&changed, x);
        assert_true(near(1000 * a.value, b.value));
        assert_true(near(1000 * a.low, b.low) && near(1000 * a.high, b.high));
        model_release_posterior(&model);
        model_release_posterior(&changed);
    }
}

/// Sum of the squared errors of FORMULA relative to those of MODEL.
static double squares(const struct rows *rows, const struct model_formula *formula,
                      const struct model *model)
{
    double sum = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const double *x = rows->x + i * rows->n_parameters;
        double value = model_formula_value(formula, rows->n_parameters, x);
        double weight = 1 / model_formula_value(&model->formula, rows->n_parameters, x);
        sum += pow((value - rows->y[i]) * weight, 2);
    }
    return sum;
}

TEST(no_other_coefficients_fit_better)
{
    state = 3;
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        struct rows rows;
        struct model model;
        make(&rows, kind, 0.02);
        fit(&rows, &model);
        double least = squares(&rows, &model.formula, &model);
        for (size_t p = 0; p < model.formula.n_pieces; p++)
            for (size_t i = 0; i < model.formula.pieces[p].n_terms; i++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    struct model_formula other = model.formula;
                    other.pieces[p].terms[i].coefficient *= 1 + 0.1 * sign;
                    assert_true(squares(&rows, &other, &model) > least);
                }
        model_release_posterior(&model);
    }
}

TEST(intervals_follow_the_noise)
{
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        double widths[3];
        for (unsigned i = 0; i < 3; i++) {
            struct rows rows;
            struct model model;
            const double x[] = {1024, 3200};
            state = 4;
            make(&rows, kind, levels[i]);
            fit(&rows, &model);
            struct model_prediction prediction = model_predict(&model, x);
            widths[i] = (prediction.high - prediction.low) / prediction.value;
            model_release_posterior(&model);
        }
        assert_true(widths[0] < 1e-3);
        assert_true(widths[0] < widths[1] && widths[1] < widths[2]);
    }
}

/// Five repetitions at each p of 10 / p with the relative differences SPREAD.
static void make_spread(struct rows *rows, const double spread[5])
{
    *rows = (struct rows){.n_parameters = 1};
    for (int k = 1; k <= 10; k++)
        for (int r = 0; r < 5; r++) {
            rows->x[rows->n] = exp2(k);
            rows->y[rows->n++] = 10 / exp2(k) * (1 + spread[(r + 2 * k) % 5]);
        }
}

TEST(noise_that_only_adds_is_taken_away)
{
    // Quantiles of an exponential distribution of mean 0.1, and of a normal one.
    static const double added[] = {0.01, 0.035, 0.07, 0.12, 0.23};
    static const double normal[] = {-0.116, -0.05, 0, 0.05, 0.116};
    const double x[] = {4096};
    struct rows rows;
    struct model model;
    make_spread(&rows, added);
    fit(&rows, &model);
    assert_true(model.is_one_sided);
    assert_true(fabs(model_predict(&model, x).value / (10. / 4096) - 1) < 0.02);
    model_release_posterior(&model);
    make_spread(&rows, normal);
    fit(&rows, &model);
    assert_false(model.is_one_sided);
    assert_true(fabs(model_predict(&model, x).value / (10. / 4096) - 1) < 0.02);
    model_release_posterior(&model);
}

TEST(one_of_three_runs_that_is_much_slower_makes_no_zero)
{
    static const double slower[] = {1.2, 5, 30, 1000, 1e9};
    for (unsigned i = 0; i < sizeof slower / sizeof slower[0]; i++) {
        struct rows rows = {.n_parameters = 1};
        struct model model;
        for (double p = 2; p <= 64; p *= 2)
            for (int r = 0; r < 3; r++) {
                rows.x[rows.n] = p;
                rows.y[rows.n++] = r == 0 ? slower[i] : 1 + r / 100.;
            }
        fit(&rows, &model);
        for (double p = 2; p <= 64; p *= 2) {
            double value = model_predict(&model, &p).value;
            assert_true(value > 0.3 && value < 1.1);
        }
        model_release_posterior(&model);
    }
}

TEST(limits_are_found)
{
    struct rows rows = {.n_parameters = 1};
    struct model model;
    for (double p = 1; p <= 64; p *= 2) { // waiting for rank 0, mean of all ranks
        rows.x[rows.n] = p;
        rows.y[rows.n++] = 5 - 5 / p;
    }
    fit(&rows, &model);
    const double x[] = {4096};
    assert_true(fabs(model_predict(&model, x).value / (5 - 5 / x[0]) - 1) < 1e-6);
    assert_int_equal(model.n_zeros, 1);
    assert_true(model.worst < 1e-6);
    model_release_posterior(&model);
}

TEST(refusals_name_the_reason)
{
    static const struct {
        size_t n_parameters, n;
        double x[8], y[4];
        const char *reason;
    } cases[] = {
        {1, 2, {1, 2}, {1, 2}, "2 different points are too few for a model; it needs 3, better 5"},
        {1, 3, {1, 2, 3}, {1, -2, 3}, "the value -2 is below 0"},
        {1, 3, {1, 2, 3}, {1, NAN, 3}, "a value is not a finite number"},
        {1, 3, {-1, 2, 3}, {1, 2, 3}, "p is -1; parameters must not be below 0"},
        {2,
         4,
         {1, 3, 2, 6, 4, 12, 8, 24},
         {1, 2, 3, 4},
         "p and n change together at all points, so their effects cannot be separated"},
    };
    struct model_workspace *workspace = model_workspace_new();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model model;
        struct error err;
        const struct model_data data = {cases[i].n_parameters, cases[i].n, cases[i].x, cases[i].y};
        assert_int_equal(model_fit(workspace, &data, names, &model, &err), -1);
        assert_string_equal(err.text, cases[i].reason);
    }
    model_workspace_free(workspace);
}

/// By how much the logarithm of the interval at X is shorter with two rows at CANDIDATE, a share.
static double width_with(const struct rows *rows, const double *x, const double *candidate,
                         unsigned kind, double level)
{
    struct rows more = *rows, all;
    struct model before, after;
    struct model_prediction was, is;
    state = 77;
    make(&all, kind, level);
    fit(rows, &before);
    was = model_predict(&before, x);
    model_release_posterior(&before);
    for (size_t i = 0; i < all.n; i++) {
        const double *point = all.x + i * all.n_parameters;
        if (memcmp(point, candidate, all.n_parameters * sizeof *point) != 0)
            continue;
        memcpy(more.x + more.n * more.n_parameters, point, all.n_parameters * sizeof *point);
        more.y[more.n++] = all.y[i];
    }
    assert_int_equal(more.n, rows->n + 2);
    fit(&more, &after);
    is = model_predict(&after, x);
    model_release_posterior(&after);
    return log(is.high / fmax(is.low, 1e-3 * is.high)) /
           log(was.high / fmax(was.low, 1e-3 * was.high));
}

static int by_number(const void *a, const void *b)
{
    return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b;
}

/// Of random series up to p = 64: measured where the model says, the interval at p = 1024 shrinks
/// more than with a measurement at any of their points, and about as much as the model says.
TEST(measuring_where_it_says_helps_most)
{
    enum { N_SERIES = 60 };
    double there[N_SERIES], elsewhere[N_SERIES], expected[N_SERIES];
    size_t n = 0;
    for (unsigned i = 0; i < N_SERIES; i++) {
        unsigned kind = i % 4;
        const double x[] = {1024, 800}, other[] = {ldexp(1, 1 + (int)(i / 4 % 6)), 400};
        struct rows rows, kept = {0};
        struct model model;
        state = 1000 + i;
        make(&rows, kind, 0.1);
        kept.n_parameters = rows.n_parameters;
        for (size_t r = 0; r < rows.n; r++) {
            const double *point = rows.x + r * rows.n_parameters;
            if (point[0] > 64)
                continue;
            memcpy(kept.x + kept.n * rows.n_parameters, point, rows.n_parameters * sizeof *point);
            kept.y[kept.n++] = rows.y[r];
        }
        fit(&kept, &model);
        const struct model_data data = {kept.n_parameters, kept.n, kept.x, kept.y};
        struct model_prediction prediction = model_predict(&model, x);
        struct model_next next = model_measure_next(&model, &data, x, &prediction);
        model_release_posterior(&model);
        if (next.width > 0.95)
            continue;
        there[n] = width_with(&kept, x, next.x, kind, 0.1);
        elsewhere[n] = width_with(&kept, x, other, kind, 0.1);
        expected[n] = there[n] / next.width;
        n++;
    }
    assert_true(n > N_SERIES / 2);
    qsort(there, n, sizeof *there, by_number);
    qsort(elsewhere, n, sizeof *elsewhere, by_number);
    qsort(expected, n, sizeof *expected, by_number);
    print_message("median width %.3f there, %.3f elsewhere; %.2f of what was expected\n",
                  there[n / 2], elsewhere[n / 2], expected[n / 2]);
    assert_true(there[n / 2] < 0.85 * elsewhere[n / 2]);
    assert_true(expected[n / 2] > 0.6 && expected[n / 2] < 1.5);
}
