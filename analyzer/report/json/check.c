// SPDX-License-Identifier: BSD-3-Clause
// Findings of `pagoda check` as JSON, by jansson (see check.h).
#include "analyzer/report/json/check.h"

#include <jansson.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/json/values.h"

static json_t *location_object(const struct check_location *location)
{
    json_t *object = json_object();
    char *id = memory_format("%llu", (unsigned long long)location->id);
    json_object_set_new(object, "id", json_string(id)); // 64 bits: more than a number can hold
    free(id);
    json_object_set_new(object, "rank",
                        location->rank == RESULT_NONE ? json_null() : json_integer(location->rank));
    json_object_set_new(object, "name", json_clean_text(location->name));
    json_object_set_new(object, "declared_events", json_count(location->n_declared));
    json_object_set_new(object, "events", json_count(location->n_read));
    json_object_set_new(object, "unknown_records", json_count(location->n_unknown));
    json_object_set_new(object, "bad_references", json_count(location->n_bad_references));
    json_object_set_new(object, "backward_times", json_count(location->n_backward));
    json_object_set_new(object, "damage",
                        *location->reason ? json_clean_text(location->reason) : json_null());
    return object;
}

static void add_archive(json_t *object, const struct check *check)
{
    const struct result *result = &check->result;
    json_object_set_new(object, "creator", json_clean_text(result->creator));
    json_object_set_new(object, "ranks", json_count(result->n_ranks));
    json_object_set_new(object, "events", json_count(result->n_events));
    json_object_set_new(object, "messages", json_count(result->n_messages));
    json_object_set_new(object, "collectives", json_count(result->n_collectives));
    json_object_set_new(object, "time_ns", json_count(result->time_ns));
    json_t *warnings = json_array();
    for (size_t i = 0; i < result->n_warnings; i++) {
        json_t *warning = json_object();
        json_object_set_new(warning, "code", json_clean_text(result->warnings[i].code));
        json_object_set_new(warning, "count", json_count(result->warnings[i].count));
        json_object_set_new(warning, "text", json_clean_text(result->warnings[i].text));
        json_array_append_new(warnings, warning);
    }
    json_object_set_new(object, "warnings", warnings);
    json_t *locations = json_array();
    for (size_t i = 0; i < check->n_locations; i++)
        json_array_append_new(locations, location_object(&check->locations[i]));
    json_object_set_new(object, "locations", locations);
}

static json_t *check_object(const struct check *check)
{
    static const char *const kinds[] = {
        [CHECK_UNKNOWN] = "unknown",     [CHECK_ARCHIVE] = "archive",
        [CHECK_CATALOGUE] = "catalogue", [CHECK_SETTINGS] = "settings",
        [CHECK_FILTER] = "filter",       [CHECK_MACHINE] = "machine",
        [CHECK_SWEEP] = "sweep",         [CHECK_PROPERTIES] = "properties",
        [CHECK_RULES] = "rules",         [CHECK_POLICY] = "policy"};
    json_t *object = json_object();
    json_object_set_new(object, "path", json_clean_text(check->path));
    json_object_set_new(object, "kind", json_string(kinds[check->kind]));
    json_object_set_new(object, "status", json_integer(check->status));
    json_object_set_new(object, "error",
                        check->error ? json_clean_text(check->error) : json_null());
    if (check->error)
        return object;
    if (check->kind == CHECK_ARCHIVE)
        add_archive(object, check);
    json_t *patterns = json_array();
    for (size_t i = 0; i < check->n_patterns; i++)
        json_array_append_new(patterns, json_clean_text(check->pattern_ids[i]));
    if (check->kind == CHECK_CATALOGUE)
        json_object_set(object, "patterns", patterns);
    else if (check->kind != CHECK_ARCHIVE)
        json_object_set_new(object, "entries", json_integer((json_int_t)check->n_entries));
    json_decref(patterns);
    return object;
}

int json_print_checks(const struct check *checks, size_t n, const char *version, FILE *stream,
                      struct error *err)
{
    json_t *root = json_object();
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "pagoda", json_string(version));
    json_t *files = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(files, check_object(&checks[i]));
    json_object_set_new(root, "files", files);
    return json_print_object(root, JSON_INDENT(2), "the findings", stream, err);
}
