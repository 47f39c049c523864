// SPDX-License-Identifier: BSD-3-Clause
// Limits as text and JSON.
#include "analyzer/compare/limits.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/quantity.h"
#include "analyzer/report/json.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/table.h"
#include "analyzer/report/text.h"

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

int json_print_limits(const struct limit_page *page, const char *version, FILE *stream,
                      struct error *err)
{
    json_t *root = json_object(), *limits = json_array();
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "pagoda", json_string(version));
    json_object_set_new(root, "database",
                        page->database ? json_clean_text(page->database) : json_null());
    json_object_set_new(root, "source", json_clean_text(page->source));
    for (size_t i = 0; i < page->n_rows; i++) {
        const struct limit_row *row = &page->rows[i];
        json_t *object = json_object();
        json_object_set_new(object, "metric", json_clean_text(row->metric));
        json_object_set_new(object, "unit", json_clean_text(row->unit));
        json_object_set_new(object, "focus", json_clean_text(row->focus));
        json_object_set_new(object, "relation", json_string(row->is_at_least ? ">=" : "<="));
        json_object_set_new(object, "limit", json_real(row->limit));
        json_object_set_new(object, "trial", json_clean_text(row->runs));
        json_object_set_new(object, "n_trials", json_integer((json_int_t)row->n_runs));
        json_object_set_new(object, "value", json_real(row->value));
        json_object_set_new(object, "is_kept", json_boolean(row->is_kept));
        json_array_append_new(limits, object);
    }
    json_object_set_new(root, "limits", limits);
    return json_print_object(root, JSON_INDENT(1), "the limits", stream, err);
}
