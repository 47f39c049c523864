// SPDX-License-Identifier: BSD-3-Clause
// Limits on a terminal (see report/limits.h).
#include "analyzer/report/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/quantity.h"
#include "analyzer/report/table.h"

void limit_page_release(struct limit_page *page)
{
    for (size_t i = 0; i < page->n_rows; i++) {
        free(page->rows[i].metric);
        free(page->rows[i].unit);
        free(page->rows[i].focus);
    }
    free(page->rows);
    *page = (struct limit_page){0};
}

size_t limit_page_count_violations(const struct limit_page *page)
{
    size_t n = 0;
    for (size_t i = 0; i < page->n_rows; i++)
        n += !page->rows[i].is_kept;
    return n;
}

static struct quantity amount(const struct limit_row *row, double value)
{
    struct quantity text;
    if (strcmp(row->unit, "ns") == 0 && value >= 0)
        return quantity_time((uint64_t)llround(value));
    if (strcmp(row->unit, "share") == 0)
        snprintf(text.text, sizeof text.text, "%.1f %%", 100 * value);
    else
        snprintf(text.text, sizeof text.text, "%.10g", value);
    return text;
}

static const char *focus_of(const struct limit_row *row)
{
    return *row->focus ? row->focus : "program";
}

void text_print_limits(const struct limit_page *page, FILE *stream)
{
    struct table table = {0};
    table_add_column(&table, "", true);
    table_add_column(&table, "value", false);
    table_add_column(&table, "limit", false);
    table_add_column(&table, "runs", false);
    table_add_column(&table, "trial", true);
    table_add_column(&table, "metric", true);
    table_add_column(&table, "focus", true);
    for (size_t i = 0; i < page->n_rows; i++) {
        const struct limit_row *row = &page->rows[i];
        table_add_cell(&table, "%s", row->is_kept ? "" : "*");
        table_add_cell(&table, "%s", amount(row, row->value).text);
        table_add_cell(&table, "%s %s",
                       row->is_at_least ? ">=" : "<=", amount(row, row->limit).text);
        table_add_cell(&table, "%zu", row->n_runs);
        table_add_cell(&table, "%s", row->runs);
        table_add_cell(&table, "%s", row->metric);
        table_add_cell(&table, "%s", focus_of(row));
    }
    fprintf(stream, "%s: %zu of %s not kept (*)\n", page->source, limit_page_count_violations(page),
            quantity_count(page->n_rows, "limit").text);
    table_print(&table, 2, 0, stream);
    table_release(&table);
}

void text_print_limit_violations(const struct limit_page *page, FILE *stream)
{
    for (size_t i = 0; i < page->n_rows; i++) {
        const struct limit_row *row = &page->rows[i];
        if (row->is_kept)
            continue;
        fprintf(stream, "%s: %s of %s: %s", row->runs, row->metric, focus_of(row),
                amount(row, row->value).text);
        fprintf(stream, " is not %s %s\n",
                row->is_at_least ? ">=" : "<=", amount(row, row->limit).text);
    }
}
