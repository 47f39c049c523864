// SPDX-License-Identifier: BSD-3-Clause
// A sweep as JSON, by jansson.
#include <jansson.h>

#include "analyzer/report/json/values.h"
#include "analyzer/report/sweep.h"

static json_t *text_or_null(const char *bytes)
{
    return bytes && *bytes ? json_clean_text(bytes) : json_null();
}

static json_t *row_object(const struct sweep_row *row, size_t number)
{
    json_t *object = json_object();
    json_object_set_new(object, "number", json_integer((json_int_t)number));
    json_object_set_new(object, "trial", json_clean_text(row->name));
    json_object_set_new(object, "state", json_string(sweep_state_names[row->state]));
    json_object_set_new(object, "reason", text_or_null(row->reason));
    json_object_set_new(object, "command", json_clean_text(row->command));
    json_object_set_new(object, "wall_ns",
                        row->wall_ns ? json_integer((json_int_t)row->wall_ns) : json_null());
    return object;
}

int sweep_report_print_json(const struct sweep_report *report, const char *version, FILE *stream,
                            struct error *err)
{
    json_t *top = json_object(), *points = json_array();
    for (size_t i = 0; i < report->n_rows; i++)
        json_array_append_new(points, row_object(&report->rows[i], i + 1));
    json_object_set_new(top, "schema", json_integer(1));
    json_object_set_new(top, "pagoda", json_clean_text(version));
    json_object_set_new(top, "database", json_clean_text(report->database));
    json_object_set_new(top, "experiment", json_clean_text(report->experiment));
    json_object_set_new(top, "folder", json_clean_text(report->dir));
    json_object_set_new(top, "stored_now", json_integer((json_int_t)report->n_stored_now));
    json_object_set_new(top, "stopped_by", text_or_null(report->stopped_by));
    json_object_set_new(top, "points", points);
    return json_print_object(top, JSON_INDENT(1) | JSON_ENSURE_ASCII, "the sweep", stream, err);
}
