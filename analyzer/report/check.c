// SPDX-License-Identifier: BSD-3-Clause
// Findings of `pagoda check` as data, text and JSON (see check.h).
#include "analyzer/report/check.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/base/text.h"
#include "analyzer/report/json_values.h"

void check_add_locations(struct check *check, const struct trace *trace)
{
    const struct definitions *definitions = trace_definitions(trace);
    check->n_locations = definitions->n_locations;
    check->locations = memory_zeroed(check->n_locations, sizeof *check->locations);
    for (size_t i = 0; i < check->n_locations; i++) {
        const struct location *location = &definitions->locations[i];
        const struct location_report *report = trace_location_report(trace, i);
        check->locations[i] = (struct check_location){
            .id = location->id,
            .rank = location->rank == EVENT_NO_INDEX ? RESULT_NONE : location->rank,
            .name = utf8_clean(location->name),
            .n_declared = location->n_events,
            .n_read = report->n_read,
            .n_unknown = report->n_unknown,
            .n_bad_references = report->n_bad_references,
            .n_backward = report->n_backward,
            .reason = utf8_clean(report->reason),
        };
    }
}

void check_add_patterns(struct check *check, const struct catalogue *catalogue)
{
    check->pattern_ids = memory_zeroed(catalogue->n_patterns, sizeof *check->pattern_ids);
    for (size_t i = 0; i < catalogue->n_patterns; i++)
        if (strcmp(catalogue->patterns[i].file, check->path) == 0)
            check->pattern_ids[check->n_patterns++] = memory_copy_text(catalogue->patterns[i].id);
}

static void print_archive(const struct check *check, FILE *stream)
{
    const struct result *result = &check->result;
    fprintf(stream, "%s: OTF2 archive", check->path);
    if (*result->creator)
        fprintf(stream, " by %s", result->creator);
    fprintf(stream, ": %s, %s, %s, %s, %s, %s\n", quantity_count(result->n_ranks, "rank").text,
            quantity_count(result->n_locations, "location").text,
            quantity_count(result->n_events, "event").text,
            quantity_count(result->n_messages, "message").text,
            quantity_count(result->n_collectives, "collective").text,
            quantity_time(result->time_ns).text);
    for (size_t i = 0; i < result->n_warnings; i++)
        fprintf(stream, "  %s: %s\n", result->warnings[i].code, result->warnings[i].text);
    if (result->n_warnings == 0)
        fprintf(stream, "  nothing wrong\n");
}

static void print_catalogue(const struct check *check, FILE *stream)
{
    fprintf(stream, "%s: catalogue of %s\n", check->path,
            quantity_count(check->n_patterns, "pattern").text);
    for (size_t i = 0; i < check->n_patterns; i++)
        fprintf(stream, "  %s\n", check->pattern_ids[i]);
    fprintf(stream, "  nothing wrong\n");
}

static void print_clean(const struct check *check, FILE *stream)
{
    if (check->kind == CHECK_ARCHIVE)
        print_archive(check, stream);
    else if (check->kind == CHECK_CATALOGUE)
        print_catalogue(check, stream);
    else if (check->kind == CHECK_SETTINGS)
        fprintf(stream, "%s: configuration of pagoda trace: %s\n  nothing wrong\n", check->path,
                quantity_count(check->n_entries, "setting").text);
    else if (check->kind == CHECK_FILTER)
        fprintf(stream, "%s: filter file: %s\n  nothing wrong\n", check->path,
                quantity_count(check->n_entries, "rule").text);
    else if (check->kind == CHECK_MACHINE)
        fprintf(stream, "%s: machine file: %s\n  nothing wrong\n", check->path,
                quantity_count(check->n_entries, "collective").text);
    else if (check->kind == CHECK_POLICY)
        fprintf(stream, "%s: policy: %s\n  nothing wrong\n", check->path,
                quantity_count(check->n_entries, "rule").text);
    else if (check->kind == CHECK_SWEEP)
        fprintf(stream, "%s: sweep file: %s\n  nothing wrong\n", check->path,
                quantity_count(check->n_entries, "point").text);
    else if (check->kind == CHECK_PROPERTIES)
        fprintf(stream, "%s: properties over experiments: %" PRIu64 "\n  nothing wrong\n",
                check->path, (uint64_t)check->n_entries);
    else if (check->kind == CHECK_RULES)
        fprintf(stream, "%s: rules of pagoda reduce: %s\n  nothing wrong\n", check->path,
                quantity_count(check->n_entries, "rule").text);
}

void check_print(const struct check *check, FILE *stream)
{
    char *path = utf8_clean(check->path);
    struct check clean = *check;
    clean.path = path;
    print_clean(&clean, stream);
    free(path);
}

void check_release(struct check *check)
{
    for (size_t i = 0; i < check->n_locations; i++) {
        free(check->locations[i].name);
        free(check->locations[i].reason);
    }
    for (size_t i = 0; i < check->n_patterns; i++)
        free(check->pattern_ids[i]);
    free(check->locations);
    free(check->pattern_ids);
    free(check->error);
    result_release(&check->result);
}

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
