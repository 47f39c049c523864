// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/model/model_table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/checksum.h"
#include "analyzer/base/format/csv.h"
#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/base/threads.h"

size_t model_table_series(struct model_table *table, const char *name)
{
    uint32_t index;
    uint64_t key =
        checksum_bytes(0, name, strlen(name)); // names of the same hash have the next free ones
    for (; map_get(&table->by_name, key, &index); key++)
        if (strcmp(table->series[index].name, name) == 0)
            return index;
    map_put(&table->by_name, key, (uint32_t)table->n_series);
    *ARRAY_NEXT(table->series, table->n_series, table->series_capacity) =
        (struct model_series){.name = memory_copy_text(name)};
    return table->n_series - 1;
}

void model_series_add_row(struct model_series *series, size_t n_parameters, const double *x,
                          double value)
{
    size_t width = n_parameters + 1;
    series->rows = array_reserve(series->rows, &series->rows_capacity, (series->n_rows + 1) * width,
                                 sizeof *series->rows);
    double *row = series->rows + series->n_rows++ * width;
    memcpy(row, x, n_parameters * sizeof *x);
    row[n_parameters] = value;
}

static void add_asked(double **asked, size_t *n, size_t *capacity, const double *x,
                      size_t n_parameters)
{
    *asked = array_reserve(*asked, capacity, (*n + 1) * n_parameters, sizeof **asked);
    memcpy(*asked + (*n)++ * n_parameters, x, n_parameters * sizeof *x);
}

void model_series_ask_at(struct model_series *series, size_t n_parameters, const double *x)
{
    add_asked(&series->asked, &series->n_asked, &series->asked_capacity, x, n_parameters);
}

const double *model_table_asked(const struct model_table *table, const struct model_series *series,
                                size_t i)
{
    return i < series->n_asked ? series->asked + i * table->n_parameters
                               : table->asked + (i - series->n_asked) * table->n_parameters;
}

// ---- reading

bool model_parameter_is_name(const char *name)
{
    bool is_name = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *at = name; *at && is_name; at++)
        is_name = isalnum((unsigned char)*at) || *at == '_';
    struct formula *formula = is_name ? formula_new(name, &name, 1, NULL) : NULL;
    formula_free(formula);
    return formula;
}

static int check_name(const struct csv_reader *reader, const char *name, struct error *err)
{
    if (!model_parameter_is_name(name))
        return csv_error(reader, err,
                         "the parameter \"%s\" cannot be a name in formulas, which has letters, "
                         "digits and _, and is not a function",
                         name);
    return 0;
}

static int read_header(struct model_table *table, const struct csv_reader *reader, bool *has_series,
                       struct error *err)
{
    size_t n = reader->n_fields;
    *has_series = n > 0 && strcmp(reader->fields[0], "series") == 0;
    if (n == 0 || strcmp(reader->fields[n - 1], "value") != 0)
        return csv_error(reader, err, "the last column of the header must be \"value\"");
    if (n < 2 + (size_t)*has_series)
        return csv_error(reader, err, "there is no column of a parameter before \"value\"");
    if (n - 1 - *has_series > MODEL_MAX_PARAMETERS)
        return csv_error(reader, err, "%zu parameters are too many; a model has %d at most",
                         n - 1 - *has_series, MODEL_MAX_PARAMETERS);
    for (size_t i = *has_series; i + 1 < n; i++) {
        const char *name = reader->fields[i];
        if (check_name(reader, name, err))
            return -1;
        if (HAS_TEXT(table->parameters, table->n_parameters, name))
            return csv_error(reader, err, "there are two columns \"%s\"", name);
        words_add(&table->parameters, name);
        table->n_parameters++;
    }
    return 0;
}

static int read_row(struct model_table *table, const struct csv_reader *reader, bool has_series,
                    struct error *err)
{
    size_t n = table->n_parameters, width = n + 1 + has_series;
    double x[MODEL_MAX_PARAMETERS], value;
    struct error why;
    if (reader->n_fields != width)
        return csv_error(reader, err, "there are %zu fields, but the header has %zu",
                         reader->n_fields, width);
    for (size_t i = 0; i < n; i++)
        if (option_read_quantity(reader->fields[i + has_series], &x[i], &why))
            return csv_error(reader, err, "the parameter %s: %s", table->parameters[i], why.text);
    size_t index = model_table_series(table, has_series ? reader->fields[0] : "");
    struct model_series *series = &table->series[index];
    const char *text = reader->fields[width - 1];
    const char *unit;
    if (!*text) {
        model_series_ask_at(series, n, x);
        return 0;
    }
    if (option_read_quantity_and_unit(text, &value, &unit, &why))
        return csv_error(reader, err, "the value: %s", why.text);
    if (unit && series->unit && strcmp(unit, series->unit) != 0)
        return csv_error(reader, err, "the value %s is in %s, but one before it in %s", text, unit,
                         series->unit);
    if (unit)
        series->unit = unit;
    model_series_add_row(series, n, x, value);
    return 0;
}

int model_table_read(struct model_table *table, const char *path, struct error *err)
{
    bool has_series = false;
    int status;
    *table = (struct model_table){0};
    struct csv_reader reader = {.stream = fopen(path, "r"), .name = path};
    if (!reader.stream)
        return error_set(err, "cannot open %s: %s", path, strerror(errno));
    status = csv_next(&reader, err);
    if (status == 0)
        status = error_set(err, "%s is empty", path);
    if (status == 1)
        status = read_header(table, &reader, &has_series, err);
    while (status == 0 && (status = csv_next(&reader, err)) == 1)
        status = read_row(table, &reader, has_series, err);
    if (status == 0 && table->n_series == 0)
        status = error_set(err, "%s has a header, but no rows", path);
    csv_release(&reader);
    fclose(reader.stream);
    if (status)
        model_table_release(table);
    return status;
}

/// One "NAME=VALUE" of a point.
static int read_coordinate(const struct model_table *table, char *text, double *x, bool *is_set,
                           struct error *err)
{
    struct error why;
    char *value = strchr(text, '=');
    if (!value)
        return error_set(err, "\"%s\" is not NAME=VALUE", text);
    *value++ = '\0';
    text = text_trim(text);
    const char *const *names = (const char *const *)table->parameters;
    size_t n = table->n_parameters, i = FIND_TEXT(names, n, text);
    if (i == n) {
        SCOPED char *list = spelling_list(names, n);
        return error_set(err, "there is no parameter \"%s\"; the data have %s", text, list);
    }
    if (is_set[i])
        return error_set(err, "the parameter %s is there twice", text);
    if (option_read_quantity(text_trim(value), &x[i], &why))
        return error_set(err, "the parameter %s: %s", text, why.text);
    if (!(x[i] > 0))
        return error_set(err, "the parameter %s is %g; it must be above 0", text, x[i]);
    is_set[i] = true;
    return 0;
}

int model_table_ask(struct model_table *table, const char *text, struct error *err)
{
    double x[MODEL_MAX_PARAMETERS];
    bool is_set[MODEL_MAX_PARAMETERS] = {false};
    char *copy = memory_copy_text(text), *rest = copy, *part;
    int status = 0;
    while (status == 0 && (part = strsep(&rest, ",")))
        status = read_coordinate(table, part, x, is_set, err);
    free(copy);
    for (size_t i = 0; i < table->n_parameters && status == 0; i++)
        if (!is_set[i])
            status = error_set(err, "the parameter %s has no value", table->parameters[i]);
    if (status)
        return error_wrap(err, "--at %s", text);
    model_table_ask_at(table, x);
    return 0;
}

void model_table_ask_at(struct model_table *table, const double *x)
{
    add_asked(&table->asked, &table->n_asked, &table->asked_capacity, x, table->n_parameters);
}

// ---- models

static const double far_beyond = 16, poor_fit = 0.2;

bool model_series_fits(const struct model_series *series)
{
    return !series->reason && series->model.rms_error <= poor_fit;
}

/// Adds NOTE, which is freed.
static void add_note(struct model_series *series, char *note)
{
    words_add(&series->notes, note);
    free(note);
}

char *model_outlier_text(const struct model_table *table, const struct model_series *series)
{
    const struct model_outlier *outlier = &series->model.outlier;
    if (!series->model.has_outlier)
        return NULL;
    SCOPED char *at = NULL;
    for (size_t k = 0; k < table->n_parameters; k++)
        text_append(&at, "%s%s=%g", k ? "," : "", table->parameters[k], outlier->x[k]);
    double factor = outlier->value / outlier->expected;
    return memory_format(
        "the value at %s does not fit: %.*f times what the others say; it is left out%s", at,
        factor < 0.95 ? 2 : 1, factor,
        outlier->is_last ? ", though another formula may hold from there on" : "");
}

/// What limits the model of SERIES.
static void note_limits(const struct model_table *table, struct model_series *series)
{
    const struct model *model = &series->model;
    if (model->has_outlier)
        add_note(series, model_outlier_text(table, series));
    if (model->n_points < 5)
        add_note(series, memory_format("only %zu different points: other formulas are as likely",
                                       model->n_points));
    if (!model_series_fits(series))
        add_note(series, memory_format("no formula fits: the best one is off by %.0f %% rms",
                                       100 * model->rms_error));
    for (size_t k = 0; k < table->n_parameters; k++) {
        bool is_far = false, is_other = false;
        bool varies = model->greatest[k] > model->least[k];
        for (size_t i = 0; i < series->n_asked + table->n_asked; i++) {
            double x = model_table_asked(table, series, i)[k];
            is_far = is_far || x > far_beyond * model->greatest[k];
            is_other = is_other || x > model->greatest[k] || x < model->least[k];
        }
        if (!varies && is_other)
            add_note(series, memory_format("%s is %g in all rows: its effect is unknown",
                                           table->parameters[k], model->least[k]));
        else if (varies && is_far)
            add_note(series, memory_format("predictions more than %g times beyond the greatest %s, "
                                           "%g, are guesses",
                                           far_beyond, table->parameters[k], model->greatest[k]));
    }
    if (isnan(model->r_squared))
        words_add(&series->notes, "all values are the same");
    if (model->n_zeros)
        words_add(&series->notes, "some values are 0, which relative errors cannot judge");
}

static void fit_series(struct model_table *table, struct model_series *series,
                       struct model_workspace *workspace)
{
    size_t n = table->n_parameters, n_asked = series->n_asked + table->n_asked;
    SCOPED double *x = memory_new((series->n_rows * n + 1) * sizeof *x);
    SCOPED double *y = memory_new((series->n_rows + 1) * sizeof *y);
    struct error err;
    for (size_t i = 0; i < series->n_rows; i++) {
        memcpy(x + i * n, series->rows + i * (n + 1), n * sizeof *x);
        y[i] = series->rows[i * (n + 1) + n];
    }
    const struct model_data data = {n, series->n_rows, x, y};
    const char *const *names = (const char *const *)table->parameters;
    if (model_fit(workspace, &data, names, &series->model, &err)) {
        series->reason = memory_copy_text(err.text);
    } else {
        series->formula = model_formula_text(&series->model.formula, names, n, 10);
        series->residuals = model_residuals(workspace, &series->model);
        series->predictions = memory_new((n_asked + 1) * sizeof *series->predictions);
        for (size_t i = 0; i < n_asked; i++)
            series->predictions[i] =
                model_predict(&series->model, model_table_asked(table, series, i));
        series->next.width = 1;
        if (n_asked > 0 && !series->is_part)
            series->next = model_measure_next(&series->model, &data,
                                              model_table_asked(table, series, n_asked - 1),
                                              &series->predictions[n_asked - 1]);
        model_release_posterior(&series->model);
        note_limits(table, series);
    }
}

enum { SERIES_PER_JOB = 32 };

static void fit_some(void *context, size_t number)
{
    struct model_table *table = context;
    struct model_workspace *workspace = model_workspace_new();
    size_t begin = number * SERIES_PER_JOB, end = begin + SERIES_PER_JOB;
    for (size_t i = begin; i < end && i < table->n_series; i++)
        fit_series(table, &table->series[i], workspace);
    model_workspace_free(workspace);
}

static int by_value(const void *a, const void *b, void *context)
{
    const struct model_table *table = context;
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    const struct model_series *l = &table->series[left], *r = &table->series[right];
    // The whole comes first, then its parts, last what has no model.
    int l_rank = l->reason ? 2 : l->is_part, r_rank = r->reason ? 2 : r->is_part;
    if (l_rank == 1 && r_rank == 1) {
        double l_value = l->predictions[l->n_asked + table->n_asked - 1].value;
        double r_value = r->predictions[r->n_asked + table->n_asked - 1].value;
        if (l_value < r_value || l_value > r_value)
            return l_value > r_value ? -1 : 1;
    } else if (l_rank != r_rank) {
        return l_rank - r_rank;
    }
    return left < right ? -1 : left > right;
}

/// Sums up the parts at the points all series are asked for, and ranks them at the last of these.
static void rank(struct model_table *table)
{
    table->sums = memory_zeroed(table->n_asked + 1, sizeof *table->sums);
    table->order = memory_new((table->n_series + 1) * sizeof *table->order);
    for (size_t i = 0; i < table->n_series; i++) {
        const struct model_series *series = &table->series[i];
        table->order[i] = i;
        for (size_t j = 0; j < table->n_asked && series->is_part && !series->reason; j++)
            table->sums[j] += series->predictions[series->n_asked + j].value;
    }
    if (table->n_asked > 0)
        qsort_r(table->order, table->n_series, sizeof *table->order, by_value, table);
}

size_t model_table_fit(struct model_table *table)
{
    size_t n = 0;
    threads_each((table->n_series + SERIES_PER_JOB - 1) / SERIES_PER_JOB, fit_some, table);
    for (size_t i = 0; i < table->n_series; i++)
        n += !table->series[i].reason;
    rank(table);
    return n;
}

void model_table_release(struct model_table *table)
{
    for (size_t i = 0; i < table->n_series; i++) {
        struct model_series *series = &table->series[i];
        FREE_ALL(series->name, series->shown, series->rows, series->asked, series->reason,
                 series->formula);
        words_free(series->notes);
        free(series->predictions);
        free(series->residuals);
    }
    words_free(table->parameters);
    FREE_ALL(table->unit, table->metric, table->series, table->asked, table->sums, table->order);
    map_release(&table->by_name);
    *table = (struct model_table){0};
}
