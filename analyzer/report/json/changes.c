// SPDX-License-Identifier: BSD-3-Clause
// What a prediction changes, as JSON: the tables of the text report, complete.
#include "analyzer/report/json/whatif.h"

#include <stdlib.h>

#include "analyzer/result/changes.h"

/// Frees CHANGES.
static json_t *rows(struct changes changes, const char *key)
{
    json_t *array = json_array();
    for (size_t i = 0; i < changes.n; i++) {
        const struct change *change = &changes.items[i];
        json_t *object = json_object();
        json_object_set_new(object, key, json_string(change->name));
        json_object_set_new(object, "before_ns", json_integer(change->measured_ns));
        json_object_set_new(object, "predicted_ns", json_integer(change->predicted_ns));
        json_array_append_new(array, object);
    }
    changes_release(&changes);
    return array;
}

json_t *json_changes(const struct whatif_report *report, const struct result *measured)
{
    bool is_measured;
    const struct result *base = whatif_base(report, measured, &is_measured);
    const struct result *predicted = &report->predicted;
    json_t *object = json_object();
    char *why = changes_summary(base, predicted);
    json_object_set_new(object, "against", json_string(is_measured ? "measured" : "unchanged"));
    json_object_set_new(object, "why", json_string(why));
    json_object_set_new(object, "critical_path",
                        rows(changes_of_critical_path(base, predicted), "region"));
    json_object_set_new(object, "time", rows(changes_of_time(base, predicted), "where"));
    json_object_set_new(object, "wait_states",
                        rows(changes_of_waits(base, predicted), "wait_state"));
    json_object_set_new(object, "call_paths", rows(changes_of_call_paths(base, predicted), "path"));
    free(why);
    return object;
}
