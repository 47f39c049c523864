// SPDX-License-Identifier: BSD-3-Clause
// Stored runs as text, of the JSON that db/trials.h reads: the list of them, and one.

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"

static void release_json(json_t **object)
{
    json_decref(*object);
}

/// The member KEY of OBJECT: a text, "" where there is none.
static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static uint64_t count_of(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

/// The same of any number, NAN where there is none.
static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/// printf without control characters; what ends the line comes by itself.
static void print_line(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print_line(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    SCOPED char *line = memory_format_list(format, arguments);
    va_end(arguments);
    SCOPED char *clean = utf8_clean(line);
    fprintf(stream, "%s\n", clean);
}

/// Reads JSON, whose texts may be those of a damaged file. NULL: it has numbers that no JSON has,
/// and is printed as it is.
static json_t *read_json(const char *json, FILE *stream)
{
    SCOPED char *clean = utf8_clean(json);
    json_t *read = json_loads(clean, JSON_ALLOW_NUL, NULL);
    if (!read)
        fprintf(stream, "%s\n", clean);
    return read;
}

// --- tables

/// A column: what it adds to a row is of the member KEY of an object, or of all of that.
struct column {
    const char *title, *key;
    void (*add)(struct table *table, const json_t *object, const char *key);
};

static void add_text(struct table *table, const json_t *object, const char *key)
{
    table_add_cell(table, "%s", text_of(object, key));
}

static void add_count(struct table *table, const json_t *object, const char *key)
{
    table_add_cell(table, "%" PRIu64, count_of(object, key));
}

static void add_time(struct table *table, const json_t *object, const char *key)
{
    table_add_cell(table, "%s", quantity_time(count_of(object, key)).text);
}

static void add_share(struct table *table, const json_t *object, const char *key)
{
    table_add_cell(table, "%s", quantity_share(number_of(object, key)).text);
}

static void add_number(struct table *table, const json_t *object, const char *key)
{
    table_add_cell(table, "%.2f", number_of(object, key));
}

/// "2026-11-21T05:52:28Z" as a person writes it, without the seconds.
static void add_date(struct table *table, const json_t *object, const char *key)
{
    const char *time = text_of(object, key);
    if (strlen(time) < strlen("2026-11-21T05:52"))
        table_add_cell(table, "-");
    else
        table_add_cell(table, "%.10s %.5s", time, time + 11);
}

static void add_role_and_kind(struct table *table, const json_t *attribute, const char *key)
{
    const char *role = text_of(attribute, "role");
    table_add_cell(table, "%s%s%s", role, *role ? " " : "", text_of(attribute, key));
}

static void add_in_unit(struct table *table, const json_t *metric, const char *key)
{
    const char *unit = text_of(metric, "unit");
    double value = number_of(metric, key);
    if (!strcmp(unit, "share"))
        table_add_cell(table, "%s", quantity_share(value).text);
    else if (!strcmp(unit, "ns"))
        table_add_cell(table, "%s", quantity_time((uint64_t)fmax(value, 0)).text);
    else
        table_add_cell(table, "%g %s", value, unit);
}

static void add_wait_state(struct table *table, const json_t *state, const char *key)
{
    bool is_top = json_is_true(json_object_get(state, "is_top"));
    table_add_cell(table, "%s%s", text_of(state, key), is_top ? "" : " (part of another)");
}

enum { MAX_COLUMNS = 9 };

/// The first TOP objects of ARRAY, a row each with COLUMNS, below TITLE if that is not NULL.
static void print_rows(const char *title, const json_t *array,
                       const struct column columns[MAX_COLUMNS], uint64_t top, FILE *stream)
{
    struct table table = {0};
    for (size_t k = 0; k < MAX_COLUMNS && columns[k].title; k++)
        table_add_columns(&table, columns[k].title);
    for (size_t i = 0; i < json_array_size(array) && i < top; i++)
        for (size_t k = 0; k < table.n_columns; k++)
            columns[k].add(&table, json_array_get(array, i), columns[k].key);
    if (title)
        fprintf(stream, "\n%s\n", title);
    table_print(&table, title ? 2 : 0, 0, stream);
}

static const struct column of_trials[MAX_COLUMNS] = {
    {"number", "id", add_count},
    {"<application", "application", add_text},
    {"<experiment", "experiment", add_text},
    {"ranks", "ranks", add_count},
    {"time", "time_ns", add_time},
    {"efficiency", "parallel_efficiency", add_share},
    {"<started (UTC)", "started_at", add_date},
    {"<origin", "origin", add_text},
    {"<trial", "trial", add_text},
};
static const struct column of_points[MAX_COLUMNS] = {
    {"<application", "application", add_text},
    {"<experiment", "experiment", add_text},
    {"<state", "state", add_text},
    {"<point", "point", add_text},
    {"<reason", "reason", add_text},
};
static const struct column of_attributes[MAX_COLUMNS] = {{"<kind", "kind", add_role_and_kind},
                                                         {"<name", "name", add_text},
                                                         {"<value", "value", add_text}};
static const struct column of_metrics[MAX_COLUMNS] = {{"<metric", "metric", add_text},
                                                      {"value", "value", add_in_unit}};
static const struct column of_wait_states[MAX_COLUMNS] = {
    {"count", "count", add_count},
    {"time", "wait_ns", add_time},
    {"severity", "severity", add_share},
    {"confidence", "confidence", add_number},
    {"<wait state", "property", add_wait_state},
};
static const struct column of_regions[MAX_COLUMNS] = {
    {"visits", "visits", add_count},
    {"inclusive", "inclusive_ns", add_time},
    {"exclusive", "exclusive_ns", add_time},
    {"<region", "region", add_text},
    {"<file", "file", add_text},
};

// --- list

void text_print_trials(const char *json, bool are_chosen, FILE *stream)
{
    SCOPED_BY(release_json) json_t *list = read_json(json, stream);
    if (!list)
        return;
    const json_t *trials = json_object_get(list, "trials");
    const json_t *points = json_object_get(list, "points_not_run");
    if (json_array_size(trials) > 0)
        print_rows(NULL, trials, of_trials, UINT64_MAX, stream);
    else
        fprintf(stream, "no trials%s\n", are_chosen ? " of that name" : "");
    if (json_array_size(points) > 0)
        print_rows("Points of sweeps without a trial", points, of_points, UINT64_MAX, stream);
}

// --- show

static void print_prediction(const json_t *trial, FILE *stream)
{
    const json_t *prediction = json_object_get(trial, "prediction");
    if (json_is_null(prediction))
        return;
    print_line(stream, "predicted by pagoda replay %s", text_of(prediction, "change"));
    uint64_t measured_ns = count_of(prediction, "measured_ns");
    if (measured_ns == 0) {
        fprintf(stream, "from a measured trial that is not in this database\n");
        return;
    }
    double change = (double)count_of(trial, "time_ns") / (double)measured_ns - 1;
    print_line(stream, "from %s, measured: %s (%+.1f %%); replay error %+.2f %%",
               text_of(prediction, "measured_trial"), quantity_time(measured_ns).text, 100 * change,
               100 * number_of(prediction, "replay_error"));
}

static void print_interval(const json_t *interval, FILE *stream)
{
    if (json_is_null(interval))
        return;
    bool has_run = !isnan(number_of(interval, "share_of_run"));
    print_line(stream, "interval %s: from %s to %s of the run%s%s%s%s%s", text_of(interval, "name"),
               quantity_time(count_of(interval, "begin_ns")).text,
               quantity_time(count_of(interval, "end_ns")).text, has_run ? " " : "",
               has_run ? text_of(interval, "run") : "", has_run ? ", " : "",
               has_run ? quantity_share(number_of(interval, "share_of_run")).text : "",
               has_run ? " of it" : "");
}

/// Whether TRIAL is of a trace, not values that were imported.
static bool has_trace(const json_t *trial)
{
    return count_of(trial, "events") > 0;
}

static void print_sizes(const json_t *trial, FILE *stream)
{
    bool is_interval = !json_is_null(json_object_get(trial, "interval"));
    fprintf(stream, "%s on %s, %s", quantity_count(count_of(trial, "ranks"), "rank").text,
            quantity_count(count_of(trial, "nodes"), "node").text,
            quantity_time(count_of(trial, "time_ns")).text);
    if (has_trace(trial))
        fprintf(stream, ", %s%s, %s, %s", is_interval ? "trace of " : "",
                quantity_count(count_of(trial, "events"), "event").text,
                quantity_count(count_of(trial, "messages"), "message").text,
                quantity_count(count_of(trial, "collectives"), "collective").text);
    fprintf(stream, "; %s stored\n", quantity_count(count_of(trial, "values"), "value").text);
}

void text_print_trial(const char *json, uint64_t top, FILE *stream)
{
    SCOPED_BY(release_json) json_t *trial = read_json(json, stream);
    if (!trial)
        return;
    const char *started_at = text_of(trial, "started_at");
    print_line(stream, "trial %" PRIu64 ": %s (%s)", count_of(trial, "id"), text_of(trial, "trial"),
               text_of(trial, "origin"));
    print_line(stream, "application %s, experiment %s", text_of(trial, "application"),
               text_of(trial, "experiment"));
    print_line(stream, "%s%s%sstored %s", *started_at ? "started " : "", started_at,
               *started_at ? ", " : "", text_of(trial, "stored_at"));
    if (*text_of(trial, "trace"))
        print_line(stream, "trace %s", text_of(trial, "trace"));
    print_prediction(trial, stream);
    print_interval(json_object_get(trial, "interval"), stream);
    print_sizes(trial, stream);
    const json_t *warnings = json_object_get(trial, "warnings");
    for (size_t i = 0; i < json_array_size(warnings); i++)
        print_line(stream, "warning: %s [%s]", text_of(json_array_get(warnings, i), "text"),
                   text_of(json_array_get(warnings, i), "code"));
    print_rows("What was run", json_object_get(trial, "attributes"), of_attributes, UINT64_MAX,
               stream);
    print_rows("The whole program", json_object_get(trial, "metrics"), of_metrics, UINT64_MAX,
               stream);
    const json_t *states = json_object_get(trial, "wait_states");
    if (json_array_size(states) > 0)
        print_rows("Wait states", states, of_wait_states, UINT64_MAX, stream);
    else if (has_trace(trial))
        fprintf(stream, "\nNo wait states\n");
    const json_t *regions = json_object_get(trial, "regions");
    print_rows("Time by region, all ranks together", regions, of_regions, top, stream);
    if (json_array_size(regions) > top)
        fprintf(stream, "  ... and %s more (--top)\n",
                quantity_count(json_array_size(regions) - top, "region").text);
    SCOPED char *conclusion = utf8_clean(text_of(trial, "conclusion"));
    if (*conclusion) {
        fprintf(stream, "\n");
        print_paragraph(conclusion, 0, 0, text_options_for(stream).width, stream);
    }
}
