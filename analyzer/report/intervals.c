// SPDX-License-Identifier: BSD-3-Clause
// Intervals of a run as a table and as JSON (see intervals.h).
#include "analyzer/report/intervals.h"

#include <math.h>

#include "analyzer/base/quantity.h"
#include "analyzer/report/json.h"
#include "analyzer/report/table.h"

void text_print_intervals(const struct interval_page *page, const struct text_options *options,
                          FILE *stream)
{
    struct table table = {0};
    bool has_lost = false;
    for (size_t i = 0; i < page->n_rows; i++)
        has_lost |= page->rows[i].no_cpu_ns > 0;
    table_add_columns(&table, "from", "time", "efficiency", "load balance");
    if (has_lost)
        table_add_column(&table, "no CPU", false);
    table_add_columns(&table, "waiting", "<interval", "<biggest loss");
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
}

static json_t *row_object(const void *of, size_t i)
{
    const struct interval_row *row = &((const struct interval_page *)of)->rows[i];
    return JSON_OBJECT(
        {"name", json_text(row->name)}, {"is_phase", json_boolean(row->is_phase)},
        {"begin_ns", json_count(row->begin_ns)}, {"end_ns", json_count(row->end_ns)},
        {"time_ns", json_count(row->time_ns)}, {"useful_ns", json_count(row->useful_ns)},
        {"no_cpu_ns", json_count(row->no_cpu_ns)}, {"wait_ns", json_count(row->wait_ns)},
        {"other_mpi_ns", json_count(row->other_mpi_ns)},
        {"unrecorded_ns", json_count(row->outside_ns)},
        {"efficiency", JSON_OBJECT({"parallel", json_number(row->efficiency.parallel)},
                                   {"load_balance", json_number(row->efficiency.load_balance)},
                                   {"cpu", json_number(row->efficiency.cpu)},
                                   {"communication", json_number(row->efficiency.communication)})},
        {"headline", json_text(row->headline)});
}

int json_print_intervals(const struct interval_page *page, const char *version, FILE *stream,
                         struct error *err)
{
    json_t *root = JSON_PUT(json_document(version), {"trace", json_text(page->trace)},
                            {"intervals", json_list(page->n_rows, row_object, page)});
    return json_print_object(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12), "the intervals",
                             stream, err);
}
