// SPDX-License-Identifier: BSD-3-Clause
// Intervals of a run as a table.
#include "analyzer/report/intervals.h"
#include "analyzer/base/quantity.h"
#include "analyzer/report/table.h"

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
