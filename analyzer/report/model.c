// SPDX-License-Identifier: BSD-3-Clause
// Models of series, and how accurate predictions were, as text and JSON.
#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/compare/back_test.h"
#include "analyzer/model/model_table.h"
#include "analyzer/report/json.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"

// ---- JSON

static json_t *factor_object(const struct model_table *table, size_t k, struct model_factor factor)
{
    if (factor.exponent == 0 && !factor.log_exponent)
        return NULL;
    return JSON_OBJECT({"parameter", json_text(table->parameters[k])}, JSON_REAL(&factor, exponent),
                       JSON_INTEGER(&factor, log_exponent));
}

static json_t *term_object(const struct model_table *table, const struct model_series *series,
                           size_t i)
{
    const struct model_formula *formula = &series->model.formula;
    const struct model_term *term = &formula->pieces[formula->n_pieces - 1].terms[i];
    const struct model_interval *interval = &series->model.coefficients[i];
    return JSON_OBJECT(
        JSON_REAL(term, coefficient), JSON_NUMBER(interval, low), JSON_NUMBER(interval, high),
        {"factors", JSON_EACH(k, table->n_parameters, factor_object(table, k, term->factors[k]))});
}

static json_t *break_object(const struct model_table *table, const struct model_formula *formula)
{
    return JSON_OBJECT({"parameter", json_text(table->parameters[formula->break_parameter])},
                       {"value", json_real(formula->break_at)});
}

static json_t *point_object(const struct model_table *table, const double *x)
{
    json_t *object = json_object();
    for (size_t k = 0; k < table->n_parameters; k++)
        json_object_set_new(object, table->parameters[k], json_real(x[k]));
    return object;
}

static json_t *prediction_object(const struct model_table *table, const struct model_series *series,
                                 size_t i)
{
    const struct model_prediction *prediction = &series->predictions[i];
    json_t *at = point_object(table, model_table_asked(table, series, i));
    bool has_share = series->is_part && table->has_sums && i >= series->n_asked;
    double share = has_share ? prediction->value / table->sums[i - series->n_asked] : NAN;
    return JSON_OBJECT({"at", at}, JSON_NUMBER(prediction, value), JSON_NUMBER(prediction, low),
                       JSON_NUMBER(prediction, high),
                       {"by", json_string(prediction->n_past ? "past-errors" : "formulas")},
                       {"past_errors", json_count(prediction->n_past)},
                       {"share", has_share ? json_number(share) : NULL});
}

static json_t *residual_object(const struct model_table *table,
                               const struct model_residual *residual)
{
    return JSON_OBJECT({"at", point_object(table, residual->x)}, JSON_NUMBER(residual, value),
                       JSON_NUMBER(residual, fitted), JSON_NUMBER(residual, error));
}

static json_t *outlier_object(const struct model_table *table, const struct model_outlier *outlier)
{
    return JSON_OBJECT({"at", point_object(table, outlier->x)}, JSON_NUMBER(outlier, value),
                       JSON_NUMBER(outlier, expected),
                       {"factor", json_number(outlier->value / outlier->expected)});
}

static json_t *next_object(const struct model_table *table, const struct model_next *next)
{
    if (next->width >= 1)
        return json_null();
    return JSON_OBJECT({"at", point_object(table, next->x)}, JSON_REAL(next, width));
}

static json_t *series_object(const struct model_table *table, const struct model_series *series)
{
    const struct model *model = &series->model;
    const struct model_formula *formula = &model->formula;
    json_t *object =
        JSON_OBJECT(JSON_TEXT(series, name), JSON_TEXT_OR_NULL(series, unit),
                    JSON_TEXT_OR_NULL(series, formula), JSON_TEXT_OR_NULL(series, reason));
    if (series->reason)
        return object;
    size_t n_terms = formula->pieces[formula->n_pieces - 1].n_terms;
    return JSON_PUT(
        object, {"terms", JSON_EACH(i, n_terms, term_object(table, series, i))},
        {"breaks", JSON_EACH(i, formula->n_pieces - 1, break_object(table, formula))},
        {"predictions",
         JSON_EACH(i, series->n_asked + table->n_asked, prediction_object(table, series, i))},
        {"measure_next", next_object(table, &series->next)},
        {"points", json_count(model->n_points)}, {"rows", json_count(series->n_rows)},
        JSON_NUMBER(model, noise), {"one_sided_noise", json_boolean(model->is_one_sided)},
        JSON_NUMBER(model, rms_error), {"worst_error", json_number(model->worst)},
        JSON_NUMBER(model, smape), JSON_NUMBER(model, r_squared),
        {"residuals", JSON_EACH(i, model->n_points, residual_object(table, &series->residuals[i]))},
        {"outliers", JSON_EACH(i, model->has_outlier, outlier_object(table, &model->outlier))},
        {"notes", JSON_EACH(i, words_count(series->notes), json_text(series->notes[i]))});
}

void json_print_models(const struct model_table *table, FILE *stream)
{
    JSON_PRINT(stream, JSON_INDENT(1) | JSON_REAL_PRECISION(12),
               {"parameters", JSON_EACH(i, table->n_parameters, json_text(table->parameters[i]))},
               JSON_TEXT_OR_NULL(table, metric),
               {"series", JSON_EACH(i, table->n_series, series_object(table, &table->series[i]))});
}

// ---- text

static void print_point(const struct model_table *table, const double *x, FILE *stream)
{
    for (size_t k = 0; k < table->n_parameters; k++)
        fprintf(stream, "%s%s=%g", k ? "," : "", table->parameters[k], x[k]);
}

static void print_next(const struct model_table *table, const struct model_series *series,
                       FILE *stream)
{
    static const double too_little = 0.9;
    if (series->next.width > too_little)
        return;
    fputs("  measure next at ", stream);
    print_point(table, series->next.x, stream);
    fprintf(stream, ": the confidence interval would shrink to about %.0f %% of its width\n",
            100 * series->next.width);
}

enum { DIGITS = 4 }; // significant, more are noise

/// VALUE in the unit of SERIES, with a unit that reads well where that is seconds or bytes.
static struct quantity value_text(const struct model_series *series, double value)
{
    static const double most = 9e18; // of ns and bytes as integers
    const char *unit = series->unit ? series->unit : "";
    if (strcmp(unit, "s") == 0 && 1e9 * value < most)
        return quantity_time((uint64_t)llround(1e9 * value));
    if (strcmp(unit, "bytes") == 0 && value < most)
        return quantity_size((uint64_t)llround(value));
    if (strcmp(unit, "share") == 0)
        return quantity_share(value);
    return quantity_format("%.*g%s%.20s", DIGITS, value, *unit ? " " : "", unit);
}

/// What a formula is of: "time in s", "value in bytes".
static char *formula_subject(const struct model_series *series)
{
    if (!series->unit || !*series->unit || strcmp(series->unit, "share") == 0)
        return memory_copy_text("value");
    return memory_format("%s in %s", strcmp(series->unit, "s") == 0 ? "time" : "value",
                         series->unit);
}

/// The name of SERIES as it is shown; the caller frees.
static char *shown_name(const struct model_series *series)
{
    return utf8_clean(series->shown ? series->shown : series->name);
}

static void print_predictions(const struct model_table *table, const struct model_series *series,
                              FILE *stream)
{
    for (size_t i = 0; i < series->n_asked + table->n_asked; i++) {
        const struct model_prediction *prediction = &series->predictions[i];
        fputs("  at ", stream);
        print_point(table, model_table_asked(table, series, i), stream);
        fprintf(stream, ": %s (95 %%: %s to %s", value_text(series, prediction->value).text,
                value_text(series, prediction->low).text,
                value_text(series, prediction->high).text);
        if (prediction->n_past > 0)
            fprintf(stream, ", by %s", quantity_count(prediction->n_past, "past error").text);
        else
            fputs(", by the formulas alone", stream);
        fputs(")\n", stream);
    }
}

static void print_series(const struct model_table *table, const struct model_series *series,
                         FILE *stream)
{
    const struct model *model = &series->model;
    SCOPED char *name = shown_name(series);
    if (*name)
        fprintf(stream, "%s\n", name);
    if (series->reason) {
        fprintf(stream, "  no model: %s\n", series->reason);
        return;
    }
    SCOPED char *formula = model_formula_text(
        &model->formula, (const char *const *)table->parameters, table->n_parameters, DIGITS);
    SCOPED char *subject = formula_subject(series);
    fprintf(stream, "  %s = %s\n", subject, formula);
    fprintf(stream, "  %s, error %s rms, %s at most", quantity_count(model->n_points, "point").text,
            quantity_share(model->rms_error).text, quantity_share(model->worst).text);
    if (!isnan(model->noise))
        fprintf(stream, "; repetitions differ by %s%s", quantity_share(model->noise).text,
                model->is_one_sided ? ", the least counts" : "");
    fputc('\n', stream);
    print_predictions(table, series, stream);
    print_next(table, series, stream);
    for (size_t i = 0; i < words_count(series->notes); i++)
        fprintf(stream, "  note: %s\n", series->notes[i]);
}

static void add_part(struct table *rows, const struct model_table *table,
                     const struct model_series *series)
{
    const struct model_prediction *at = &series->predictions[series->n_asked + table->n_asked - 1];
    const double whole = table->sums[table->n_asked - 1];
    const double *x = table->asked + (table->n_asked - 1) * table->n_parameters;
    SCOPED char *growth =
        model_growth_text(&series->model.formula, (const char *const *)table->parameters,
                          table->n_parameters, series->model.greatest, x);
    if (table->has_sums)
        table_add_cell(rows, "%s", quantity_part(at->value, whole).text);
    table_add_cells(rows, value_text(series, at->value).text, value_text(series, at->low).text,
                    value_text(series, at->high).text,
                    model_series_fits(series) ? growth : "none fits",
                    series->shown ? series->shown : series->name);
}

static bool is_ranked(const struct model_table *table, const struct model_series *series)
{
    return series->is_part && !series->reason && table->n_asked > 0;
}

/// Whether a series with a name has no other value than 0.
static bool is_zero(const struct model_table *table, const struct model_series *series)
{
    size_t n = table->n_parameters + 1;
    bool is_zero = *series->name && !series->reason;
    for (size_t i = 0; i < series->n_rows && is_zero; i++)
        is_zero = !(series->rows[i * n + n - 1] > 0);
    return is_zero;
}

/// The series that are 0 everywhere, in one line.
static void print_zeros(const struct model_table *table, FILE *stream)
{
    enum { MAX_LISTED = 4 };
    size_t n = 0;
    for (size_t i = 0; i < table->n_series; i++) {
        const struct model_series *series = &table->series[table->order[i]];
        if (!is_zero(table, series) || n++ >= MAX_LISTED)
            continue;
        SCOPED char *name = shown_name(series);
        fprintf(stream, "%s%s", n == 1 ? "Always 0: " : ", ", name);
    }
    if (n > MAX_LISTED)
        fprintf(stream, " and %zu more", n - MAX_LISTED);
    if (n > 0)
        fputc('\n', stream);
}

/// The parts of stored trials among the N series of ORDER, by their shares at the last point asked
/// for.
static void print_parts(const struct model_table *table, const size_t *order, size_t n,
                        FILE *stream)
{
    SCOPED_BY(table_release) struct table rows = {0};
    if (table->has_sums)
        table_add_column(&rows, "share", false);
    table_add_columns(&rows, table->metric ? "value" : "time", "from", "to", "<growth", "<part");
    for (size_t i = 0; i < n; i++)
        if (is_ranked(table, &table->series[order[i]]))
            add_part(&rows, table, &table->series[order[i]]);
    if (rows.n_cells > 0) {
        fputs("Parts at ", stream);
        print_point(table, table->asked + (table->n_asked - 1) * table->n_parameters, stream);
        fputs(!table->metric    ? " (mean per rank; from, to: 95 %; without their waits)\n"
              : table->has_sums ? " (all ranks together; from, to: 95 %)\n"
                                : " (from, to: 95 %)\n",
              stream);
        table_print(&rows, 2, 0, stream);
    }
}

void text_print_models(const struct model_table *table, size_t top, FILE *stream)
{
    size_t *order = memory_new((table->n_series + 1) * sizeof *order), n = 0;
    for (size_t i = 0; i < table->n_series; i++)
        if (!is_zero(table, &table->series[table->order[i]]))
            order[n++] = table->order[i];
    size_t n_shown = top < n ? top : n, i = 0;
    for (; i < n_shown && !is_ranked(table, &table->series[order[i]]); i++)
        print_series(table, &table->series[order[i]], stream);
    print_parts(table, order, n_shown, stream);
    for (; i < n_shown; i++)
        if (!is_ranked(table, &table->series[order[i]]))
            print_series(table, &table->series[order[i]], stream);
    if (n_shown < n)
        fprintf(stream, "and %zu more (--top)\n", n - n_shown);
    print_zeros(table, stream);
    free(order);
}

// ---- how accurate predictions were

void text_print_back_test(const struct back_test *test, FILE *stream)
{
    struct table table = {0};
    fprintf(stream, "%zu of %s measured as well, with the same parameters\n",
            test->n_stored - test->n_unmeasured,
            quantity_count(test->n_stored, "stored prediction").text);
    table_add_columns(&table, "<predicted by", "number", "error", "its size", "90 % below",
                      "runs +-", "within", "next one");
    for (size_t i = 0; i < test->n_kinds; i++) {
        const struct back_test_kind *kind = &test->kinds[i];
        table_add_cells(&table, kind->kind, quantity_number(kind->n).text,
                        quantity_format("%+.1f %%", 100 * kind->median).text,
                        quantity_share(kind->median_size).text, quantity_share(kind->size_90).text,
                        quantity_share(kind->scatter).text, quantity_share(kind->within).text);
        if (kind->coverage > 0)
            table_add_cell(&table, "%+.1f to %+.1f %% (%.0f %%)", 100 * (1 / kind->most - 1),
                           100 * (1 / kind->least - 1), 100 * kind->coverage);
        else
            table_add_cell(&table, "-");
    }
    if (test->n_kinds > 0)
        fputs("\n  Errors (medians; runs +-: scatter of repeated runs; within: the predicted "
              "confidence interval;\n  next one: error to expect, with its probability)\n",
              stream);
    if (test->n_kinds > 0)
        table_print(&table, 2, 0, stream);
    else
        table_release(&table);
}

static json_t *kind_object(const struct back_test_kind *kind)
{
    bool is_known = kind->coverage > 0;
    return JSON_OBJECT(JSON_TEXT(kind, kind), {"count", json_count(kind->n)},
                       {"median_error", json_number(kind->median)},
                       {"median_absolute_error", json_number(kind->median_size)},
                       {"p90_absolute_error", json_number(kind->size_90)},
                       JSON_NUMBER(kind, scatter), JSON_NUMBER(kind, within),
                       {"coverage", is_known ? json_real(kind->coverage) : json_null()},
                       {"low_error", is_known ? json_number(1 / kind->most - 1) : json_null()},
                       {"high_error", is_known ? json_number(1 / kind->least - 1) : json_null()});
}

static json_t *case_object(const struct back_test_case *c)
{
    return JSON_OBJECT(JSON_TEXT(c, kind), JSON_TEXT(c, name), JSON_NUMBER(c, predicted),
                       JSON_NUMBER(c, measured), JSON_NUMBER(c, low), JSON_NUMBER(c, high),
                       JSON_NUMBER(c, error), JSON_NUMBER(c, scatter));
}

void json_print_back_test(const struct back_test *test, FILE *stream)
{
    JSON_PRINT(stream, JSON_INDENT(1) | JSON_REAL_PRECISION(12),
               {"stored", json_count(test->n_stored)},
               {"unmeasured", json_count(test->n_unmeasured)},
               {"kinds", JSON_EACH(i, test->n_kinds, kind_object(&test->kinds[i]))},
               {"cases", JSON_EACH(i, test->n_cases, case_object(&test->cases[i]))});
}
