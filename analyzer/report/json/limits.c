// SPDX-License-Identifier: BSD-3-Clause
// Limits as JSON, by jansson (see report/limits.h).
#include "analyzer/report/limits.h"

#include <jansson.h>

#include "analyzer/report/json/values.h"

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
