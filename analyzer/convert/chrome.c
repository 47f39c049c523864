// SPDX-License-Identifier: BSD-3-Clause
// Traces in Chrome's format, as PyTorch's Kineto and many others write them: JSON, an array of
// events or an object that has it as "traceEvents". Complete events (X) and begins and ends (B, E)
// become visits of regions; each process is one, each thread a location, named by metadata events
// (M). https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
//
// Asynchronous operations (b, e) belong to a process and a category. They overlap, so each takes a
// location of these on which none is open. Counters (C) are of a process, too: metrics of the
// thread that counted first, or of a location of their own.
//
// Events come in any order, so they are sorted in a file (paraver/record_sort.c). jansson parses
// one event at a time, and is given single bytes, so that it reads no byte of the next event.
#include "analyzer/convert/convert.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/convert/new_trace.h"
#include "analyzer/paraver/prv_trace.h"
#include "analyzer/rewrite/new_archive.h"

#define OPEN UINT64_MAX // the end of what only began

struct visit {
    uint32_t region;
    uint64_t end_ns;
};

struct chrome_location {
    struct visit *visits;
    size_t n, capacity;
    // Of operations: the first location of its category, and there how many there are, and the last
    // one on which none is open; the one before. These are one more than their numbers, 0: none.
    uint32_t first, n_further, free, free_before;
};

struct chrome {
    const char *path;
    gzFile stream; // packed or not
    size_t line;
    struct new_trace *trace;
    struct conversion *done;
    struct record_sort *sort;
    struct chrome_location *locations;
    size_t n_locations, locations_capacity;
    struct map operations; // that are open: location
    struct map counting;   // by process and counter: place in series
    struct series {
        uint32_t location;
        bool has_value;
        double last;
    } * series;
    size_t n_series, series_capacity;
    uint64_t last_ns;
    struct prv_record *records; // of one time
    size_t n_records, records_capacity;
};

static int malformed(const struct chrome *chrome, const char *what, struct error *err)
{
    return error_set(err, "%s:%zu: %s", chrome->path, chrome->line, what);
}

// --- JSON

static int next_byte(struct chrome *chrome)
{
    int byte = gzgetc(chrome->stream);
    chrome->line += byte == '\n';
    return byte;
}

/// As json_load_callback_t.
static size_t give_byte(void *buffer, size_t n, void *data)
{
    int byte = n > 0 ? next_byte(data) : -1;
    if (byte < 0)
        return 0;
    *(unsigned char *)buffer = (unsigned char)byte;
    return 1;
}

/// The next byte that is no blank, without taking it; -1: there is none.
static int peek(struct chrome *chrome)
{
    int byte;
    do
        byte = next_byte(chrome);
    while (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r');
    return byte < 0 ? -1 : gzungetc(byte, chrome->stream);
}

/// An object, array or text that begins here. NULL and ERR if it is none.
static json_t *read_value(struct chrome *chrome, struct error *err)
{
    json_error_t why;
    json_t *value =
        json_load_callback(give_byte, chrome, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &why);
    if (!value)
        malformed(chrome, why.text, err);
    return value;
}

// --- events

/// A process or thread is a number or a text.
static char *text_of(const json_t *value)
{
    return json_is_string(value) ? memory_copy_text(json_string_value(value))
           : json_is_integer(value)
               ? memory_format("%" JSON_INTEGER_FORMAT, json_integer_value(value))
               : memory_copy_text("0");
}

static uint32_t process_of(struct chrome *chrome, const json_t *event)
{
    SCOPED char *pid = text_of(json_object_get(event, "pid"));
    return new_trace_process(chrome->trace, pid, new_trace_node(chrome->trace, "node"));
}

/// The location NAME, freed here, of the event's process; SEPARATOR: of locations of its kind.
static uint32_t location_named(struct chrome *chrome, const json_t *event, char separator,
                               char *name)
{
    uint32_t process = process_of(chrome, event);
    SCOPED char *key = memory_format("%" PRIu32 "%c%s", process, separator, name);
    uint32_t location = new_trace_location(chrome->trace, process, key, name);
    free(name);
    return location;
}

static uint32_t location_of(struct chrome *chrome, const json_t *event)
{
    return location_named(chrome, event, ' ', text_of(json_object_get(event, "tid")));
}

/// The region NAME; one that ends in a number ("ProfilerStep#12") is one for all numbers.
static uint32_t region_of(struct chrome *chrome, const char *name)
{
    const char *mark = strrchr(name, '#');
    bool is_numbered =
        mark && mark > name && mark[1] && mark[1 + strspn(mark + 1, "0123456789")] == '\0';
    SCOPED char *general = is_numbered ? memory_format("%.*s", (int)(mark - name), name) : NULL;
    return new_trace_region(chrome->trace, general ? general : name);
}

/// Microseconds. Whole numbers are exact.
static bool read_time(const json_t *value, uint64_t *time_ns)
{
    const double most_us = 4e15;
    double time_us = json_number_value(value);
    if (!json_is_number(value) || !(time_us >= 0 && time_us <= most_us))
        return false;
    *time_ns = json_is_integer(value) ? (uint64_t)json_integer_value(value) * 1000
                                      : (uint64_t)llround(time_us * 1000);
    return true;
}

static void read_name(struct chrome *chrome, const json_t *event, const char *what)
{
    const char *name = json_string_value(json_object_get(json_object_get(event, "args"), "name"));
    if (name && strcmp(what, "thread_name") == 0)
        new_trace_name_location(chrome->trace, location_of(chrome, event), name);
    else if (name && strcmp(what, "process_name") == 0)
        new_trace_name_process(chrome->trace, process_of(chrome, event), name);
}

/// The first location of the operations of the event's process and category.
static uint32_t operations_location_of(struct chrome *chrome, const json_t *event)
{
    const char *category = json_string_value(json_object_get(event, "cat"));
    return location_named(chrome, event, '/', memory_format("async %s", category ? category : ""));
}

/// Events with the same one are of one operation. An "id" is that of the whole trace.
static uint64_t operation_of(struct chrome *chrome, const json_t *event)
{
    const char *category = json_string_value(json_object_get(event, "cat"));
    const json_t *both = json_object_get(event, "id2"), *local = json_object_get(both, "local");
    const json_t *global = both ? json_object_get(both, "global") : json_object_get(event, "id");
    SCOPED char *id = text_of(local ? local : global);
    uint64_t operation =
        rewrite_hash(local ? process_of(chrome, event) : UINT64_MAX, category ? category : "");
    return rewrite_hash(rewrite_hash(operation, " "), id);
}

/// The series of a counter of the event's process.
static uint32_t series_of(struct chrome *chrome, const json_t *event, uint32_t counter)
{
    uint32_t process = process_of(chrome, event), series;
    uint64_t key = (uint64_t)process << 32 | counter;
    if (!map_get(&chrome->counting, key, &series)) {
        series = (uint32_t)chrome->n_series;
        *ARRAY_NEXT(chrome->series, chrome->n_series, chrome->series_capacity) =
            (struct series){.location = json_object_get(event, "tid")
                                            ? location_of(chrome, event)
                                            : new_trace_counters_location(chrome->trace, process)};
        map_put(&chrome->counting, key, series);
    }
    return series;
}

/// Each number of the event's arguments is a value of a counter.
static void read_counter(struct chrome *chrome, const json_t *event, const char *name,
                         uint64_t time_ns)
{
    json_t *arguments = json_object_get(event, "args"), *value;
    const json_t *id = json_object_get(event, "id");
    SCOPED char *number = id ? text_of(id) : NULL;
    const char *part;
    json_object_foreach(arguments, part, value)
    {
        if (!json_is_number(value))
            continue;
        bool is_whole = strcmp(part, name) == 0 || strcmp(part, "value") == 0;
        SCOPED char *text =
            memory_format("%s%s%s%s%s", name, number ? " " : "", number ? number : "",
                          is_whole ? "" : ": ", is_whole ? "" : part);
        uint32_t counter = new_trace_counter(chrome->trace, text, OTF2_TYPE_DOUBLE);
        struct prv_record record = {.time_ns = time_ns,
                                    .kind = PRV_EVENT,
                                    .location = series_of(chrome, event, counter),
                                    .type = counter};
        double amount = json_number_value(value);
        memcpy(&record.value, &amount, sizeof amount);
        record_sort_add(chrome->sort, &record);
    }
}

static int read_event(struct chrome *chrome, const json_t *event, struct error *err)
{
    const char *phase = json_string_value(json_object_get(event, "ph"));
    const char *name = json_string_value(json_object_get(event, "name"));
    uint64_t begin_ns, long_ns = 0;
    if (!phase)
        return malformed(chrome, "an event is an object with a phase, \"ph\"", err);
    if (strcmp(phase, "M") == 0 && name)
        read_name(chrome, event, name);
    if (!strchr("XBEbeC", phase[0]) || strlen(phase) != 1) {
        chrome->done->n_ignored += strcmp(phase, "M") != 0;
        return 0;
    }
    bool is_whole = phase[0] == 'X', is_end = phase[0] == 'E' || phase[0] == 'e';
    bool is_async = phase[0] == 'b' || phase[0] == 'e';
    if (!read_time(json_object_get(event, "ts"), &begin_ns) ||
        (is_whole && !read_time(json_object_get(event, "dur"), &long_ns)))
        return malformed(chrome, "\"ts\" and \"dur\" are microseconds, 0 to 4e15", err);
    if (!is_end && !name)
        return malformed(chrome, "an event that begins needs a \"name\", a counter, too", err);
    chrome->done->n_events++;
    if (phase[0] == 'C') {
        read_counter(chrome, event, name, begin_ns);
        return 0;
    }
    struct prv_record record = {.time_ns = begin_ns,
                                .kind = PRV_STATE,
                                .type = name ? region_of(chrome, name) : 0,
                                .value = (uint64_t)phase[0],
                                .end_ns = is_whole ? begin_ns + long_ns : OPEN};
    if (is_async)
        record.end_ns = operation_of(chrome, event);
    if (!is_async)
        record.location = location_of(chrome, event);
    else if (!is_end) // else it is that of the begin
        record.location = operations_location_of(chrome, event);
    record_sort_add(chrome->sort, &record);
    return 0;
}

static int read_array(struct chrome *chrome, struct error *err)
{
    int byte;
    next_byte(chrome); // [
    // The last bracket may be missing: the program ended early.
    while ((byte = peek(chrome)) != ']' && byte >= 0) {
        json_t *event = read_value(chrome, err);
        int status = event ? read_event(chrome, event, err) : -1;
        json_decref(event);
        if (status == 0 && interrupt_has_come())
            status = error_set(err, "interrupted");
        if (status != 0)
            return status;
        byte = peek(chrome);
        if (byte == ',')
            next_byte(chrome);
        else if (byte != ']' && byte >= 0)
            return malformed(chrome, "a comma is missing between events", err);
    }
    next_byte(chrome);
    return 0;
}

/// The value of another key of the outermost object.
static int skip_value(struct chrome *chrome, struct error *err)
{
    int byte = peek(chrome);
    if (byte != '{' && byte != '[' && byte != '"') { // jansson would take a byte after it
        while ((byte = peek(chrome)) != ',' && byte != '}' && byte >= 0)
            next_byte(chrome);
        return 0;
    }
    json_t *value = read_value(chrome, err);
    json_decref(value);
    return value ? 0 : -1;
}

static int read_file(struct chrome *chrome, struct error *err)
{
    int byte = peek(chrome), status = 0;
    bool has_events = byte == '[';
    if (has_events)
        return read_array(chrome, err);
    if (byte != '{')
        return malformed(chrome,
                         "this is no trace in Chrome's format: it is neither a JSON object "
                         "nor an array",
                         err);
    do {
        next_byte(chrome); // { or ,
        json_t *key = peek(chrome) == '"' ? read_value(chrome, err) : NULL;
        if (!key)
            return has_events ? 0 : malformed(chrome, "a key is missing, in quotes", err);
        bool is_events = strcmp(json_string_value(key), "traceEvents") == 0;
        json_decref(key);
        if (peek(chrome) != ':')
            return malformed(chrome, "a colon is missing after a key", err);
        next_byte(chrome);
        has_events |= is_events;
        status =
            is_events && peek(chrome) == '[' ? read_array(chrome, err) : skip_value(chrome, err);
    } while (status == 0 && peek(chrome) == ',');
    return status != 0 || has_events ? status
                                     : malformed(chrome, "there is no key \"traceEvents\"", err);
}

// --- visits and counters, in the order of time

static struct chrome_location *location_at(struct chrome *chrome, uint32_t location)
{
    while (chrome->n_locations <= location)
        *ARRAY_NEXT(chrome->locations, chrome->n_locations, chrome->locations_capacity) =
            (struct chrome_location){0};
    return &chrome->locations[location];
}

static void leave(struct chrome *chrome, uint32_t location, uint64_t time_ns)
{
    struct chrome_location *at = &chrome->locations[location];
    new_trace_wrote(chrome->trace, OTF2_EvtWriter_Leave(new_trace_events(chrome->trace, location),
                                                        NULL, time_ns, at->visits[--at->n].region));
    chrome->last_ns = time_ns > chrome->last_ns ? time_ns : chrome->last_ns;
}

/// What ends at TIME_NS or before it.
static void leave_until(struct chrome *chrome, uint32_t location, uint64_t time_ns)
{
    struct chrome_location *at = location_at(chrome, location);
    while (at->n > 0 && at->visits[at->n - 1].end_ns <= time_ns)
        leave(chrome, location, at->visits[at->n - 1].end_ns);
}

static void enter(struct chrome *chrome, uint32_t location, const struct prv_record *record,
                  uint64_t end_ns)
{
    struct chrome_location *at = &chrome->locations[location];
    *ARRAY_NEXT(at->visits, at->n, at->capacity) = (struct visit){record->type, end_ns};
    new_trace_wrote(chrome->trace, OTF2_EvtWriter_Enter(new_trace_events(chrome->trace, location),
                                                        NULL, record->time_ns, record->type));
    chrome->last_ns = record->time_ns > chrome->last_ns ? record->time_ns : chrome->last_ns;
}

static void apply_visit(struct chrome *chrome, const struct prv_record *record)
{
    leave_until(chrome, record->location, record->time_ns);
    struct chrome_location *at = &chrome->locations[record->location];
    if (record->value == 'E') {
        size_t begun = at->n;
        while (begun > 0 && at->visits[begun - 1].end_ns != OPEN)
            begun--;
        chrome->done->n_unmatched += begun == 0;
        while (begun > 0 && at->n >= begun)
            leave(chrome, record->location, record->time_ns);
        return;
    }
    // One that outlasts the visit around it ends with that.
    uint64_t most_ns = at->n > 0 ? at->visits[at->n - 1].end_ns : OPEN;
    uint64_t end_ns = record->end_ns < most_ns ? record->end_ns : most_ns;
    chrome->done->n_cut += record->value == 'X' && end_ns < record->end_ns;
    enter(chrome, record->location, record, end_ns);
}

/// A location of the category that begins with FIRST, on which no operation is open.
static uint32_t free_location(struct chrome *chrome, uint32_t first)
{
    struct chrome_location *category = location_at(chrome, first);
    uint32_t location = first;
    if (category->free > 0) {
        location = category->free - 1;
        category->free = chrome->locations[location].free_before;
    } else if (category->n_further++ > 0) {
        location = new_trace_further_location(chrome->trace, first, category->n_further);
        location_at(chrome, location)->first = first;
    } else {
        category->first = first;
    }
    return location;
}

static void apply_operation(struct chrome *chrome, const struct prv_record *record)
{
    uint32_t location;
    uint64_t operation = record->end_ns;
    bool is_open = map_get(&chrome->operations, operation, &location);
    if (record->value == 'b') {
        if (!is_open) {
            location = free_location(chrome, record->location);
            map_put(&chrome->operations, operation, location);
        }
        enter(chrome, location, record, OPEN);
        return;
    }
    chrome->done->n_unmatched += !is_open;
    if (is_open)
        leave(chrome, location, record->time_ns);
    if (is_open && chrome->locations[location].n == 0) {
        struct chrome_location *category = &chrome->locations[chrome->locations[location].first];
        map_remove(&chrome->operations, operation);
        chrome->locations[location].free_before = category->free;
        category->free = location + 1;
    }
}

/// The location of a RECORD of a counter is its series.
static void apply_counter(struct chrome *chrome, const struct prv_record *record)
{
    const OTF2_Type type = OTF2_TYPE_DOUBLE;
    struct series *series = &chrome->series[record->location];
    OTF2_MetricValue value;
    memcpy(&value.floating_point, &record->value, sizeof value.floating_point);
    if (series->has_value && value.floating_point < series->last)
        new_trace_counter_falls(chrome->trace, record->type);
    series->has_value = true;
    series->last = value.floating_point;
    leave_until(chrome, series->location, record->time_ns);
    new_trace_wrote(chrome->trace,
                    OTF2_EvtWriter_Metric(new_trace_events(chrome->trace, series->location), NULL,
                                          record->time_ns, record->type, 1, &type, &value));
    chrome->last_ns = record->time_ns > chrome->last_ns ? record->time_ns : chrome->last_ns;
}

static void apply(struct chrome *chrome, const struct prv_record *record)
{
    if (record->kind == PRV_EVENT)
        apply_counter(chrome, record);
    else if (record->value == 'b' || record->value == 'e')
        apply_operation(chrome, record);
    else
        apply_visit(chrome, record);
}

/// Of complete events that begin at the same time the longer one is around the other.
static int compare_ends(const void *a, const void *b)
{
    const struct prv_record *left = a, *right = b;
    bool is_left = left->value == 'X', is_right = right->value == 'X';
    return ORDER_BY(LESS_FIRST(left->kind, right->kind), LESS_FIRST(is_left, is_right),
                    is_left ? MORE_FIRST(left->end_ns, right->end_ns) : 0,
                    LESS_FIRST(left->post_ns, right->post_ns));
}

static void apply_all(struct chrome *chrome)
{
    for (size_t i = 0; i < chrome->n_records; i++)
        chrome->records[i].post_ns = i; // as they came
    if (chrome->n_records > 1)
        qsort(chrome->records, chrome->n_records, sizeof *chrome->records, compare_ends);
    for (size_t i = 0; i < chrome->n_records; i++)
        apply(chrome, &chrome->records[i]);
    chrome->n_records = 0;
}

/// As record_sort_put.
static void take_record(void *context, const struct prv_record *record)
{
    struct chrome *chrome = context;
    if (chrome->n_records > 0 && chrome->records[0].time_ns != record->time_ns)
        apply_all(chrome);
    *ARRAY_NEXT(chrome->records, chrome->n_records, chrome->records_capacity) = *record;
}

static int write_visits(struct chrome *chrome, struct error *err)
{
    int status = record_sort_walk(chrome->sort, take_record, chrome, err);
    apply_all(chrome);
    for (uint32_t i = 0; i < chrome->n_locations; i++) {
        leave_until(chrome, i, OPEN - 1);
        while (chrome->locations[i].n > 0)
            leave(chrome, i, chrome->last_ns);
        free(chrome->locations[i].visits);
    }
    return status;
}

int convert_chrome(const char *path, const char *folder, struct new_trace *trace,
                   struct conversion *done, uint64_t *end_ns, struct error *err)
{
    struct chrome chrome = {
        .path = path, .line = 1, .stream = gzopen(path, "re"), .trace = trace, .done = done};
    int status = -1;
    map_init(&chrome.operations);
    map_init(&chrome.counting);
    if (!chrome.stream)
        return error_set(err, "cannot read '%s': %s", path, strerror(errno));
    chrome.sort = record_sort_new(folder, err);
    if (chrome.sort)
        status = read_file(&chrome, err);
    int damage;
    const char *why = gzerror(chrome.stream, &damage);
    if (damage == Z_ERRNO)
        status = error_set(err, "cannot read '%s': %s", path, strerror(errno));
    else if (damage < 0)
        status = error_set(err, "%s", why); // that names the file
    if (status == 0)
        status = write_visits(&chrome, err);
    *end_ns = chrome.last_ns;
    record_sort_free(chrome.sort);
    map_release(&chrome.operations);
    map_release(&chrome.counting);
    FREE_ALL(chrome.series, chrome.locations, chrome.records);
    gzclose(chrome.stream);
    return status;
}
