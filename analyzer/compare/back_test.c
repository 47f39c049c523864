// SPDX-License-Identifier: BSD-3-Clause
// Nothing of this is stored: the predicted and the measured runs are, and models follow from these.
#include "analyzer/compare/back_test.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "db/query/predictions.h"

/// What mean and standard deviation of its runs say of CASE.
static void conclude(struct back_test_case *c)
{
    double n = (double)c->n_runs;
    c->measured = gsl_stats_mean(c->runs, 1, c->n_runs);
    c->error = c->predicted / c->measured - 1;
    c->scatter = n > 1 ? gsl_stats_sd(c->runs, 1, c->n_runs) / c->measured : NAN;
}

static void add_run(struct back_test_case *c, double measured)
{
    *ARRAY_NEXT(c->runs, c->n_runs, c->runs_capacity) = measured;
}

// ---- stored predictions

/// WORDS in their order, each once, with BETWEEN between them; NULL for none. Frees WORDS; the
/// caller frees.
static char *join_distinct(char **words, const char *between)
{
    char *text = NULL;
    size_t n = words_count(words);
    if (n > 0)
        qsort(words, n, sizeof *words, text_compare);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(words[i], words[i - 1]) != 0)
            text_append(&text, "%s%s", i ? between : "", words[i]);
    words_free(words);
    return text;
}

char *change_kind(const char *change)
{
    char *copy = memory_copy_text(change), *rest = copy, *word, **options = NULL;
    while ((word = strsep(&rest, " ")))
        if (strncmp(word, "--", 2) == 0) {
            word[strcspn(word, "=")] = '\0';
            words_add(&options, word);
        }
    free(copy);
    char *kind = join_distinct(options, " ");
    return kind ? kind : memory_copy_text("stored without what-if options");
}

/// NAME of a node without its domain, and the number before that, unless it is nothing else.
static void cut_number(char *name)
{
    name[strcspn(name, ".")] = '\0';
    size_t length = strlen(name);
    while (length > 0 && strchr("0123456789", name[length - 1]))
        length--;
    if (length > 0)
        name[length] = '\0';
}

char *machine_name(const char *nodes)
{
    char *copy = memory_copy_text(nodes), *rest = copy, *name, **names = NULL;
    while ((name = strsep(&rest, "\n"))) {
        cut_number(name);
        words_add(&names, name);
    }
    free(copy);
    return join_distinct(names, ", ");
}

static struct back_test_case *add_case_of(struct back_test *test,
                                          const struct measured_prediction *row)
{
    double predicted = (double)row->predicted_ns / 1e9, error = fabs(row->replay_error);
    struct back_test_case *c = ARRAY_NEXT(test->cases, test->n_cases, test->capacity);
    *c = (struct back_test_case){
        .kind = change_kind(row->change),
        .name = memory_copy_text(row->trial),
        .question = memory_copy_text(row->question),
        .machine = machine_name(row->nodes),
        .predicted = predicted,
        .low = predicted * (1 - error),
        .high = predicted * (1 + error),
    };
    return c;
}

static int add_stored(struct database *database, const char *application, const char *experiment,
                      struct back_test *test, struct error *err)
{
    size_t n;
    struct measured_prediction *rows =
        predictions_measured(database, application, experiment, &n, err);
    for (size_t first = 0, i = 0; rows && first < n; first = i) {
        struct back_test_case *c = NULL;
        for (i = first; i < n && rows[i].id == rows[first].id; i++) {
            if (!(rows[i].measured_ns > 0))
                continue;
            c = c ? c : add_case_of(test, &rows[i]);
            add_run(c, rows[i].measured_ns / 1e9);
        }
        if (c)
            conclude(c);
        test->n_stored++;
        test->n_unmeasured += !c;
    }
    database_rows_free(rows, n, MEASURED_PREDICTION_LETTERS);
    return rows ? 0 : -1;
}

// ---- models

static const struct {
    double factor; // more than that, up to twice that
    const char *name;
} model_kinds[] = {{1, "model, up to 2 x beyond the data"},
                   {2, "model, up to 4 x beyond the data"},
                   {4, "model, up to 8 x beyond the data"}};

enum { MODEL_KINDS = sizeof model_kinds / sizeof model_kinds[0] };

const char *model_kind(double factor)
{
    for (size_t i = 0; i < MODEL_KINDS; i++)
        if (factor > model_kinds[i].factor && factor <= 2 * model_kinds[i].factor)
            return model_kinds[i].name;
    return NULL;
}

struct model_tester {
    struct back_test *test;
    const struct experiment_name *experiment;
    const struct model_table *table;
    const struct model_series *series;
    struct model_workspace *workspace;
    double *x, *y; // of the rows that a model is made of
};

static const double *row_of(const struct model_tester *tester, size_t i)
{
    return tester->series->rows + i * (tester->table->n_parameters + 1);
}

/// Whether the row I is one of the point X.
static bool is_at(const struct model_tester *tester, size_t i, const double *x)
{
    return memcmp(row_of(tester, i), x, tester->table->n_parameters * sizeof *x) == 0;
}

/// Collects the rows with at most MOST of the first parameter and at most X of the others. Returns
/// how many; *GREATEST is theirs of the first parameter.
static size_t collect(struct model_tester *tester, const double *x, double most, double *greatest)
{
    size_t n = 0, n_parameters = tester->table->n_parameters;
    *greatest = 0;
    for (size_t i = 0; i < tester->series->n_rows; i++) {
        const double *row = row_of(tester, i);
        bool is_smaller = row[0] <= most;
        for (size_t k = 1; k < n_parameters; k++)
            is_smaller = is_smaller && row[k] <= x[k];
        if (!is_smaller)
            continue;
        memcpy(tester->x + n * n_parameters, row, n_parameters * sizeof *row);
        tester->y[n++] = row[n_parameters];
        *greatest = fmax(*greatest, row[0]);
    }
    return n;
}

/// Adds the values measured at X to CASE.
static void add_runs_at(const struct model_tester *tester, const double *x,
                        struct back_test_case *c)
{
    for (size_t i = 0; i < tester->series->n_rows; i++)
        if (is_at(tester, i, x))
            add_run(c, row_of(tester, i)[tester->table->n_parameters]);
}

/// "app/experiment/time at ranks=8".
static char *point_name(const struct model_tester *tester, const double *x)
{
    const struct model_table *table = tester->table;
    char *name = memory_format("%s/%s/%s", tester->experiment->application,
                               tester->experiment->experiment, tester->series->name);
    for (size_t k = 0; k < table->n_parameters; k++)
        text_append(&name, "%s%s=%g", k ? "," : " at ", table->parameters[k], x[k]);
    return name;
}

/// Adds what a model of the points up to GREATEST says of the point X.
static void add_prediction(struct model_tester *tester, const char *kind, const double *x,
                           double greatest, struct model_prediction prediction)
{
    struct back_test *test = tester->test;
    struct back_test_case *c = ARRAY_NEXT(test->cases, test->n_cases, test->capacity);
    char *point = point_name(tester, x);
    *c = (struct back_test_case){
        .kind = memory_copy_text(kind),
        .name = memory_format("%s from %s<=%g", point, tester->table->parameters[0], greatest),
        .question = point,
        .machine = memory_copy_text(""),
        .predicted = prediction.value,
        .low = prediction.low,
        .high = prediction.high,
    };
    add_runs_at(tester, x, c);
    conclude(c);
}

/// Predicts the point X from smaller ones: from all, and from those that lie ever further below.
static void test_point(struct model_tester *tester, const double *x)
{
    size_t n_parameters = tester->table->n_parameters;
    for (size_t i = 0; i < MODEL_KINDS; i++) {
        double greatest;
        size_t n = collect(tester, x, nextafter(x[0] / model_kinds[i].factor, 0), &greatest);
        struct model model;
        struct error err;
        // Points that lie further below are those of the next step.
        if (n == 0 || x[0] > 2 * model_kinds[i].factor * greatest)
            continue;
        const struct model_data data = {n_parameters, n, tester->x, tester->y};
        if (model_fit(tester->workspace, &data, (const char *const *)tester->table->parameters,
                      &model, &err))
            continue;
        struct model_prediction prediction = model_predict(&model, x);
        model_release_posterior(&model);
        add_prediction(tester, model_kinds[i].name, x, greatest, prediction);
    }
}

static void test_series(struct model_tester *tester)
{
    size_t n = tester->series->n_rows, width = tester->table->n_parameters + 1;
    tester->x = memory_new((n * width + 1) * sizeof(double));
    tester->y = memory_new((n + 1) * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        size_t first = 0;
        while (!is_at(tester, first, row_of(tester, i)))
            first++;
        if (first == i && row_of(tester, i)[width - 1] > 0)
            test_point(tester, row_of(tester, i));
    }
    FREE_ALL(tester->x, tester->y);
}

/// Tests models of the time of an experiment's runs. One whose runs cannot be modelled has none.
static void test_models(struct database *database, const struct experiment_name *experiment,
                        struct back_test *test)
{
    const struct option_list by = {0};
    const struct model_choice choice = {
        .application = experiment->application, .experiment = experiment->experiment, .by = &by};
    struct model_table table;
    struct error err;
    if (model_trials_read(database, &choice, &table, &err))
        return;
    struct model_tester tester = {.test = test,
                                  .experiment = experiment,
                                  .table = &table,
                                  .workspace = model_workspace_new()};
    for (size_t i = 0; i < table.n_series; i++) {
        tester.series = &table.series[i];
        if (!tester.series->is_part)
            test_series(&tester);
    }
    model_workspace_free(tester.workspace);
    model_table_release(&table);
}

static int add_models(struct database *database, const char *application, const char *experiment,
                      struct back_test *test, struct error *err)
{
    size_t n;
    struct experiment_name *names =
        experiments_measured(database, application, experiment, &n, err);
    for (size_t i = 0; names && i < n; i++)
        test_models(database, &names[i], test);
    database_rows_free(names, n, EXPERIMENT_NAME_LETTERS);
    return names ? 0 : -1;
}

// ---- kinds

/// The quantile SHARE of N VALUES, which it sorts; those that are NAN are left out.
static double quantile(double *values, size_t n, double share)
{
    size_t n_known = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            values[n_known++] = values[i];
    gsl_sort(values, 1, n_known);
    return n_known ? gsl_stats_quantile_from_sorted_data(values, 1, n_known, share) : NAN;
}

static struct back_test_kind summarise(const struct back_test_case *cases, size_t n)
{
    struct back_test_kind kind = {.kind = cases[0].kind, .n = n};
    double *errors = memory_new(3 * n * sizeof *errors), *sizes = errors + n, *scatters = sizes + n;
    size_t n_known = 0, n_within = 0;
    for (size_t i = 0; i < n; i++) {
        errors[i] = cases[i].error;
        sizes[i] = fabs(cases[i].error);
        scatters[i] = cases[i].scatter;
        n_known += !isnan(cases[i].low);
        n_within += cases[i].low <= cases[i].measured && cases[i].measured <= cases[i].high;
    }
    kind.median = quantile(errors, n, 0.5);
    kind.median_size = quantile(sizes, n, 0.5);
    kind.size_90 = quantile(sizes, n, 0.9);
    kind.scatter = quantile(scatters, n, 0.5);
    kind.within = n_known ? (double)n_within / (double)n_known : NAN;
    free(errors);
    return kind;
}

static void find_kinds(struct back_test *test)
{
    SORT_BY(test->cases, test->n_cases, LEAST(kind), LEAST(name));
    test->kinds = memory_new((test->n_cases + 1) * sizeof *test->kinds);
    for (size_t begin = 0, end; begin < test->n_cases; begin = end) {
        end = begin;
        while (end < test->n_cases && strcmp(test->cases[end].kind, test->cases[begin].kind) == 0)
            end++;
        test->kinds[test->n_kinds++] = summarise(&test->cases[begin], end - begin);
    }
}

int back_test_read(struct database *database, const char *application, const char *experiment,
                   unsigned kinds, struct back_test *test, struct error *err)
{
    *test = (struct back_test){0};
    int status = 0;
    if (kinds & BACK_TEST_STORED)
        status = add_stored(database, application, experiment, test, err);
    if (status == 0 && kinds & BACK_TEST_MODELS)
        status = add_models(database, application, experiment, test, err);
    find_kinds(test);
    if (status)
        back_test_release(test);
    return status;
}

void back_test_release(struct back_test *test)
{
    FREE_MEMBERS(test->cases, test->n_cases, kind, name, question);
    FREE_MEMBERS(test->cases, test->n_cases, machine, runs);
    FREE_ALL(test->cases, test->kinds);
    *test = (struct back_test){0};
}
