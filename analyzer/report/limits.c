// SPDX-License-Identifier: BSD-3-Clause
// Runs compared with limits, as text and JSON.
#include "analyzer/compare/limits.h"

#include <math.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/report/json.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"

static struct quantity amount(const struct limit_row *row, double value)
{
    if (strcmp(row->unit, "ns") == 0 && value >= 0)
        return quantity_time((uint64_t)llround(value));
    return strcmp(row->unit, "share") == 0 ? quantity_format("%.1f %%", 100 * value)
                                           : quantity_format("%.10g", value);
}

static const char *focus_of(const struct limit_row *row)
{
    return *row->focus ? row->focus : "program";
}

void text_print_limits(const struct limit_page *page, FILE *stream)
{
    struct table table = {0};
    table_add_columns(&table, "<", "value", "limit", "runs", "<trial", "<metric", "<focus");
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
}

void text_print_limit_violations(const struct limit_page *page, FILE *stream)
{
    for (size_t i = 0; i < page->n_rows; i++) {
        const struct limit_row *row = &page->rows[i];
        if (row->is_kept)
            continue;
        fprintf(stream, "%s: %s of %s: %s is not %s %s\n", row->runs, row->metric, focus_of(row),
                amount(row, row->value).text,
                row->is_at_least ? ">=" : "<=", amount(row, row->limit).text);
    }
}

static json_t *limit_object(const void *of, size_t i)
{
    const struct limit_row *row = &((const struct limit_page *)of)->rows[i];
    return JSON_OBJECT(JSON_TEXT(row, metric), JSON_TEXT(row, unit), JSON_TEXT(row, focus),
                       {"relation", json_string(row->is_at_least ? ">=" : "<=")},
                       JSON_REAL(row, limit), {"trial", json_text(row->runs)},
                       {"n_trials", json_count(row->n_runs)}, JSON_REAL(row, value),
                       JSON_FLAG(row, is_kept));
}

void json_print_limits(const struct limit_page *page, FILE *stream)
{
    JSON_PRINT(stream, JSON_INDENT(1), JSON_TEXT_OR_NULL(page, database), JSON_TEXT(page, source),
               {"limits", json_list(page->n_rows, limit_object, page)});
}
