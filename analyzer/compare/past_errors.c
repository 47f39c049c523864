// SPDX-License-Identifier: BSD-3-Clause
// Conformal intervals: quantiles of past errors with the weight of one more that may lie anywhere.
#include "analyzer/compare/back_test.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

/// A measured run of a past prediction.
struct ratio {
    const char *question;
    double value;  // measured over predicted time
    double weight; // those of a question sum to 1
};

struct ratios {
    struct ratio *items;
    size_t n, capacity, n_questions;
};

static void weigh(struct ratios *ratios)
{
    if (ratios->n > 0)
        qsort(ratios->items, ratios->n, sizeof *ratios->items, text_compare);
    for (size_t begin = 0, end; begin < ratios->n; begin = end) {
        end = begin;
        while (end < ratios->n &&
               strcmp(ratios->items[begin].question, ratios->items[end].question) == 0)
            end++;
        for (size_t i = begin; i < end; i++)
            ratios->items[i].weight = 1 / (double)(end - begin);
        ratios->n_questions++;
    }
    SORT_BY(ratios->items, ratios->n, LEAST(value));
}

/// Those of KIND on MACHINE (NULL: on any), ascending.
static struct ratios ratios_of(const struct back_test *test, const char *kind, const char *machine)
{
    struct ratios ratios = {0};
    for (size_t i = 0; i < test->n_cases; i++) {
        const struct back_test_case *c = &test->cases[i];
        if (strcmp(c->kind, kind) != 0 || (machine && strcmp(c->machine, machine) != 0) ||
            !(c->predicted > 0))
            continue;
        for (size_t k = 0; k < c->n_runs; k++)
            *ARRAY_NEXT(ratios.items, ratios.n, ratios.capacity) =
                (struct ratio){.question = c->question, .value = c->runs[k] / c->predicted};
    }
    weigh(&ratios);
    return ratios;
}

/// Bounds of which each leaves out (1 - COVERAGE) / 2 of a further ratio's probability, with one
/// question's weight beyond each end. False: no finite ones do.
static bool find_bounds(const struct ratios *ratios, double coverage, struct past_errors *errors)
{
    static const double rounding = 1e-9; // of sums of weights
    double most = ((double)ratios->n_questions + 1) * (1 - coverage) / 2 - 1 + rounding;
    double below = 0, above = 0;
    size_t least = 0, greatest = ratios->n;
    if (most < 0)
        return false;
    while (below + ratios->items[least].weight <= most)
        below += ratios->items[least++].weight;
    while (above + ratios->items[greatest - 1].weight <= most)
        above += ratios->items[--greatest].weight;
    errors->least = ratios->items[least].value;
    errors->most = ratios->items[greatest - 1].value;
    errors->coverage = coverage;
    return true;
}

/// Fills the bounds for the first of N COVERAGES for which the ratios of the kind on MACHINE (NULL:
/// on any) are enough.
static bool find_first(const struct back_test *test, const char *kind, const char *machine,
                       const double *coverages, size_t n, struct past_errors *errors)
{
    struct ratios ratios = ratios_of(test, kind, machine);
    size_t i = 0;
    while (i < n && !find_bounds(&ratios, coverages[i], errors))
        i++;
    errors->n = ratios.n_questions;
    free(ratios.items);
    return i < n;
}

static bool find_of_change(const struct back_test *test, const char *kind, const char *machine,
                           struct past_errors *errors)
{
    static const double coverages[] = {0.9, 0.8};
    return find_first(test, kind, machine, coverages, sizeof coverages / sizeof coverages[0],
                      errors);
}

static bool find_of_model(const struct back_test *test, const char *kind,
                          struct past_errors *errors)
{
    static const double coverage = 0.95;
    return find_first(test, kind, NULL, &coverage, 1, errors);
}

void past_errors_of_change(const struct back_test *test, const char *change, const char *nodes,
                           struct past_errors *errors)
{
    char *machine = machine_name(nodes);
    *errors = (struct past_errors){.kind = change_kind(change)};
    if (*machine && find_of_change(test, errors->kind, machine, errors)) {
        errors->machine = machine;
        return;
    }
    free(machine);
    find_of_change(test, errors->kind, NULL, errors);
}

void past_errors_of_kinds(struct back_test *test)
{
    for (size_t i = 0; i < test->n_kinds; i++) {
        struct back_test_kind *kind = &test->kinds[i];
        struct past_errors errors = {0};
        if (strncmp(kind->kind, "model", strlen("model")) == 0)
            find_of_model(test, kind->kind, &errors);
        else
            find_of_change(test, kind->kind, NULL, &errors);
        kind->coverage = errors.coverage;
        kind->least = errors.least;
        kind->most = errors.most;
    }
}

static void use_past_errors(const struct back_test *test, const char *kind,
                            struct model_prediction *prediction)
{
    struct past_errors errors = {0};
    if (find_of_model(test, kind, &errors)) {
        prediction->low = prediction->value * errors.least;
        prediction->high = prediction->value * errors.most;
        prediction->n_past = errors.n;
    }
}

void past_errors_of_models(const struct back_test *test, struct model_table *table)
{
    for (size_t i = 0; i < table->n_series; i++) {
        struct model_series *series = &table->series[i];
        for (size_t k = 0;
             !series->reason && !series->is_part && k < series->n_asked + table->n_asked; k++) {
            double x = model_table_asked(table, series, k)[0];
            const char *kind = model_kind(x / series->model.greatest[0]);
            if (kind)
                use_past_errors(test, kind, &series->predictions[k]);
        }
    }
}
