// SPDX-License-Identifier: BSD-3-Clause
// A reduction as JSON, by jansson.
#include "analyzer/report/reduction.h"

#include <jansson.h>
#include <math.h>

#include "analyzer/report/json/values.h"

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *bytes)
{
    return bytes && *bytes ? json_clean_text(bytes) : json_null();
}

static json_t *function_object(const struct reduction_row *row, bool is_any_rank)
{
    json_t *object = json_object();
    json_object_set_new(object, "function", json_clean_text(row->name));
    json_object_set_new(object, "file", text_or_null(row->file));
    json_object_set_new(object, "numcalls", json_real(row->n_calls));
    json_object_set_new(object, "usec", json_real(row->exclusive_us));
    json_object_set_new(object, "cumusec", json_real(row->inclusive_us));
    json_object_set_new(object, "percent", json_real(row->percent));
    json_object_set_new(object, "rule", text_or_null(row->rule));
    json_object_set_new(object, "rule_rank",
                        row->rule && is_any_rank ? json_count(row->rule_rank) : json_null());
    json_object_set_new(object, "then_cumusec", number_or_null(row->after_inclusive_us));
    return object;
}

static json_t *dilation_object(const struct reduction_page *page)
{
    static const char *const names[N_REDUCTION_RUNS] = {"untraced", "all", "reduced"};
    json_t *object = json_object();
    for (size_t i = 0; i < N_REDUCTION_RUNS; i++) {
        json_t *run = json_object();
        json_object_set_new(run, "wall_ns", json_count(page->runs[i].wall_ns));
        json_object_set_new(run, "events", json_count(page->runs[i].n_events));
        json_object_set_new(run, "dilation", number_or_null(reduction_dilation(page, i)));
        json_object_set_new(object, names[i], run);
    }
    json_object_set_new(object, "repetitions", json_count(page->n_repetitions));
    return object;
}

int json_print_reduction(const struct reduction_page *page, const char *version, FILE *stream,
                         struct error *err)
{
    json_t *top = json_object(), *functions = json_array();
    for (size_t i = 0; i < page->n_rows; i++)
        json_array_append_new(functions, function_object(&page->rows[i], page->is_any_rank));
    json_object_set_new(top, "schema", json_integer(1));
    json_object_set_new(top, "pagoda", json_clean_text(version));
    json_object_set_new(top, "source", json_clean_text(page->source));
    json_object_set_new(top, "ranks", json_count(page->n_ranks));
    json_object_set_new(top, "functions", functions);
    json_object_set_new(top, "output", text_or_null(page->output));
    json_object_set_new(top, "dilation", page->is_measured ? dilation_object(page) : json_null());
    return json_print_object(top, JSON_INDENT(1) | JSON_ENSURE_ASCII, "the reduction", stream, err);
}
