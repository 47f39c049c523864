// SPDX-License-Identifier: BSD-3-Clause
// Intervals of a run as JSON, by jansson.
#include <jansson.h>
#include <math.h>

#include "analyzer/report/intervals.h"
#include "analyzer/report/json/values.h"

static json_t *share(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *row_object(const struct interval_row *row)
{
    const struct {
        const char *key;
        uint64_t ns;
    } times[] = {
        {"begin_ns", row->begin_ns},         {"end_ns", row->end_ns},
        {"time_ns", row->time_ns},           {"useful_ns", row->useful_ns},
        {"no_cpu_ns", row->no_cpu_ns},       {"wait_ns", row->wait_ns},
        {"other_mpi_ns", row->other_mpi_ns}, {"unrecorded_ns", row->outside_ns},
    };
    json_t *object = json_object(), *efficiency = json_object();
    json_object_set_new(object, "name", json_clean_text(row->name));
    json_object_set_new(object, "is_phase", json_boolean(row->is_phase));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        json_object_set_new(object, times[i].key, json_integer((json_int_t)times[i].ns));
    json_object_set_new(efficiency, "parallel", share(row->efficiency.parallel));
    json_object_set_new(efficiency, "load_balance", share(row->efficiency.load_balance));
    json_object_set_new(efficiency, "cpu", share(row->efficiency.cpu));
    json_object_set_new(efficiency, "communication", share(row->efficiency.communication));
    json_object_set_new(object, "efficiency", efficiency);
    json_object_set_new(object, "headline", json_clean_text(row->headline));
    return object;
}

int json_print_intervals(const struct interval_page *page, const char *version, FILE *stream,
                         struct error *err)
{
    json_t *top = json_object(), *rows = json_array();
    for (size_t i = 0; i < page->n_rows; i++)
        json_array_append_new(rows, row_object(&page->rows[i]));
    json_object_set_new(top, "schema", json_integer(1));
    json_object_set_new(top, "pagoda", json_clean_text(version));
    json_object_set_new(top, "trace", json_clean_text(page->trace));
    json_object_set_new(top, "intervals", rows);
    return json_print_object(top, JSON_INDENT(1) | JSON_REAL_PRECISION(12), "the intervals", stream,
                             err);
}
