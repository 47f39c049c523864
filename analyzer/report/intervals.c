// SPDX-License-Identifier: BSD-3-Clause
// Intervals of a run as a table and as JSON (see intervals.h).
#include "analyzer/report/intervals.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/table.h"

void interval_page_add(struct interval_page *page, const struct result *result)
{
    page->rows = array_reserve(page->rows, &page->capacity, page->n_rows + 1, sizeof *page->rows);
    page->rows[page->n_rows++] = (struct interval_row){
        .name = memory_copy_text(result->interval.what),
        .is_phase = result->interval.is_phase,
        .begin_ns = result->interval.begin_ns,
        .end_ns = result->interval.end_ns,
        .time_ns = result->time_ns,
        .efficiency = result->efficiency,
        .useful_ns = result->useful_ns,
        .no_cpu_ns = result->no_cpu_ns,
        .wait_ns = result->wait_ns,
        .other_mpi_ns = result->other_mpi_ns,
        .outside_ns = result->unrecorded_ns,
        .total_ns = result->total_ns,
        .headline = memory_copy_text(result->headline),
    };
}

void interval_page_release(struct interval_page *page)
{
    for (size_t i = 0; i < page->n_rows; i++) {
        free(page->rows[i].name);
        free(page->rows[i].headline);
    }
    free(page->rows);
    *page = (struct interval_page){0};
}

void text_print_intervals(const struct interval_page *page, const struct text_options *options,
                          FILE *stream)
{
    struct table table = {0};
    bool has_lost = false;
    for (size_t i = 0; i < page->n_rows; i++)
        has_lost |= page->rows[i].no_cpu_ns > 0;
    table_add_column(&table, "from", false);
    table_add_column(&table, "time", false);
    table_add_column(&table, "efficiency", false);
    table_add_column(&table, "load balance", false);
    if (has_lost)
        table_add_column(&table, "no CPU", false);
    table_add_column(&table, "waiting", false);
    table_add_column(&table, "interval", true);
    table_add_column(&table, "biggest loss", true);
    for (size_t i = 0; i < page->n_rows; i++) {
        const struct interval_row *row = &page->rows[i];
        table_add_cell(&table, "%s", quantity_time(row->begin_ns).text);
        table_add_cell(&table, "%s", quantity_time(row->time_ns).text);
        table_add_cell(&table, "%s", quantity_share(row->efficiency.parallel).text);
        table_add_cell(&table, "%s", quantity_share(row->efficiency.load_balance).text);
        if (has_lost)
            table_add_cell(&table, "%s",
                           quantity_part((double)row->no_cpu_ns, (double)row->total_ns).text);
        table_add_cell(&table, "%s",
                       quantity_part((double)row->wait_ns, (double)row->total_ns).text);
        table_add_cell(&table, "%s", row->name);
        table_add_cell(&table, "%s", row->headline);
    }
    fprintf(stream, "trace %s: %s\n\n", page->trace, quantity_count(page->n_rows, "interval").text);
    table_print(&table, 2, options->cuts_lines ? options->width : 0, stream);
    table_release(&table);
}

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
