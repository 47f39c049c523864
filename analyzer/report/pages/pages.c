// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/report/pages/pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/compare/difference.h"
#include "analyzer/compare/resource_path.h"
#include "analyzer/compare/scaling.h"
#include "analyzer/report/json.h"
#include "analyzer/report/report.h"
#include "analyzer/report/views/views.h"
#include "analyzer/result/result.h"
#include "analyzer/result/views/timeline.h"

#define DATA_MARK "<!-- DATA -->"

/// Prints what of PAGE, a text that the build made, comes before the data, and after them.
static void begin_page(const char *page, FILE *stream)
{
    fwrite(page, 1, (size_t)(strstr(page, DATA_MARK) - page), stream);
}

static void end_page(const char *page, FILE *stream)
{
    fputs(strstr(page, DATA_MARK) + strlen(DATA_MARK), stream);
}

/// Prints JSON as the element ID. What of it could end or begin an element stands only in its
/// strings.
static void put_data(const char *id, const char *json, FILE *stream)
{
    fprintf(stream, "<script id=\"%s\" type=\"application/json\">", id);
    for (; *json; json++)
        if (*json == '<')
            fputs("\\u003c", stream);
        else
            putc(*json, stream);
    fputs("</script>\n", stream);
}

// --- a run

// The page holds the report as JSON, a JSON of what its arrays are, and the arrays
// one after the other, deflated, in base64.

/// Made of run_page.html.
extern const char run_page_text[];

/// Arrays in the machine's order of bytes (little-endian in practice, as browsers have it). Each
/// begins where its items are aligned: wide items come first, and narrower ones in even numbers.
struct arrays {
    FILE *stream;
    char *bytes;
    size_t n_bytes;
    json_t *list;
};

static void put_array(struct arrays *arrays, const char *name, const char *type, size_t n,
                      const void *items, size_t item_bytes)
{
    fwrite(items, item_bytes, n, arrays->stream);
    json_array_append_new(
        arrays->list,
        JSON_OBJECT({"name", json_text(name)}, {"type", json_text(type)}, {"n", json_count(n)}));
}

/// N values VALUE(OF, i) of a type of C and of JavaScript.
#define PUT_ARRAY(arrays, name, js_type, c_type, n_items, value)                                   \
    do {                                                                                           \
        c_type *items_ = memory_new(((n_items) + 1) * sizeof *items_);                             \
        for (size_t i = 0; i < (n_items); i++)                                                     \
            items_[i] = (c_type)(value);                                                           \
        put_array(arrays, name, js_type, n_items, items_, sizeof *items_);                         \
        free(items_);                                                                              \
    } while (0)

// --- places of calls

/// [path, source] of each place; PLACE_OF: by call, which one is its.
static json_t *list_places(const struct result *result, const struct timeline *timeline,
                           uint32_t *place_of)
{
    SCOPED const struct timeline_call **sorted =
        memory_new((timeline->n_calls + 1) * sizeof *sorted);
    json_t *places = json_array();
    for (size_t i = 0; i < timeline->n_calls; i++)
        sorted[i] = &timeline->calls[i];
    SORT_POINTERS_BY(sorted, timeline->n_calls, LEAST(path), LEAST(site));
    for (size_t i = 0; i < timeline->n_calls; i++) {
        const struct timeline_call *call = sorted[i];
        if (i == 0 || sorted[i - 1]->path != call->path || sorted[i - 1]->site != call->site)
            json_array_append_new(
                places, json_pack("[oo]", json_index(call->path),
                                  json_text_or_null(call->site == RESULT_NONE
                                                        ? NULL
                                                        : result->sites[call->site].source)));
        place_of[call - timeline->calls] = (uint32_t)json_array_size(places) - 1;
    }
    return places;
}

// --- the data

static void put_messages(struct arrays *arrays, const struct timeline *timeline)
{
    const struct timeline_message *messages = timeline->messages;
    size_t n = timeline->n_messages;
    PUT_ARRAY(arrays, "send", "Float64Array", double, n, messages[i].send_ns);
    PUT_ARRAY(arrays, "receive", "Float64Array", double, n, messages[i].receive_ns);
    PUT_ARRAY(arrays, "message_wait", "Float64Array", double, n, messages[i].wait_ns);
    PUT_ARRAY(arrays, "bytes", "Float64Array", double, n, messages[i].size_bytes);
    PUT_ARRAY(arrays, "sender", "Uint32Array", uint32_t, n, messages[i].sender);
    PUT_ARRAY(arrays, "receiver", "Uint32Array", uint32_t, n, messages[i].receiver);
}

enum { LOST_WHOLE = UINT16_MAX };

/// The share of the time before call I, since that before, without CPU time.
static uint32_t lost_share(const struct timeline *timeline, size_t i)
{
    const struct timeline_call *call = &timeline->calls[i];
    bool is_first = i == 0 || call[-1].rank != call->rank;
    uint64_t since_ns = is_first ? timeline_rank_begin_ns(timeline, call->rank) : call[-1].leave_ns;
    return call->lost_ns == 0 ? 0
                              : (uint32_t)lround(LOST_WHOLE * (double)call->lost_ns /
                                                 (double)(call->enter_ns - since_ns));
}

static void put_calls(struct arrays *arrays, const struct timeline *timeline,
                      const uint32_t *place_of)
{
    const struct timeline_call *calls = timeline->calls;
    size_t n = timeline->n_calls;
    PUT_ARRAY(arrays, "ended", "Float64Array", double, timeline->n_ranks,
              timeline_rank_end_ns(timeline, i));
    PUT_ARRAY(arrays, "enter", "Float64Array", double, n, calls[i].enter_ns);
    PUT_ARRAY(arrays, "release", "Float64Array", double, n, calls[i].release_ns);
    PUT_ARRAY(arrays, "leave", "Float64Array", double, n, calls[i].leave_ns);
    PUT_ARRAY(arrays, "rank", "Uint32Array", uint32_t, n, calls[i].rank);
    PUT_ARRAY(arrays, "releaser", "Uint32Array", uint32_t, n, calls[i].releaser);
    PUT_ARRAY(arrays, "place", "Uint32Array", uint32_t, n, place_of[i]);
    PUT_ARRAY(arrays, "kind", "Uint32Array", uint32_t, n, calls[i].kind);
    PUT_ARRAY(arrays, "computed", "Uint32Array", uint32_t, n, calls[i].computed_path);
    // With it they are an even number.
    PUT_ARRAY(arrays, "lost", "Uint32Array", uint32_t, n, lost_share(timeline, i));
}

static void put_spans(struct arrays *arrays, const struct timeline *timeline)
{
    const struct timeline_span *spans = timeline->spans;
    size_t n = timeline->n_spans;
    PUT_ARRAY(arrays, "span_begin", "Float64Array", double, n, spans[i].begin_ns);
    PUT_ARRAY(arrays, "span_end", "Float64Array", double, n, spans[i].end_ns);
    PUT_ARRAY(arrays, "span_thread", "Uint32Array", uint32_t, n, spans[i].thread);
    PUT_ARRAY(arrays, "span_kind", "Uint32Array", uint32_t, n, spans[i].kind);
    PUT_ARRAY(arrays, "span_path", "Uint32Array", uint32_t, n, spans[i].path);
    if (n % 2 == 1)
        PUT_ARRAY(arrays, "filler", "Uint32Array", uint32_t, 1, 0);
}

static size_t columns_in_use(const struct timeline *timeline)
{
    uint64_t n = timeline->end_ns / timeline->column_ns + 1;
    return n < timeline->n_columns ? (size_t)n : timeline->n_columns;
}

static void put_shares(struct arrays *arrays, const struct timeline *timeline)
{
    size_t row = columns_in_use(timeline) * TIMELINE_KINDS;
    for (size_t i_row = 0; i_row < timeline->n_rows; i_row++) {
        const uint16_t *shares = timeline->shares + i_row * timeline->n_columns * TIMELINE_KINDS;
        for (size_t i = 0; i < row; i++)
            putc(shares[i] / (TIMELINE_WHOLE / UINT8_MAX), arrays->stream);
    }
    json_array_append_new(arrays->list, JSON_OBJECT({"name", json_text("shares")},
                                                    {"type", json_text("Uint8Array")},
                                                    {"n", json_count(timeline->n_rows * row)}));
}

enum { MOST_COUNTERS = 8, STRIP_WHOLE = UINT16_MAX };

/// COLUMNS as shares of WHOLE. NAME is shown, of what is counted by UNIT.
static json_t *put_strip(struct arrays *arrays, const struct timeline *timeline, const char *name,
                         const char *unit, const double *columns, double whole)
{
    SCOPED char *array = memory_format("strip %zu", json_array_size(arrays->list));
    PUT_ARRAY(arrays, array, "Uint16Array", uint16_t, columns_in_use(timeline),
              lround(STRIP_WHOLE * fmin(columns[i] / whole, 1)));
    return JSON_OBJECT({"name", json_text(name)}, {"unit", json_text(unit)},
                       {"array", json_text(array)}, {"whole", json_real(whole)});
}

/// Adds what COLUMNS count to COUNTERS as shares of their greatest one, unless all are 0.
static void put_counter(json_t *counters, struct arrays *arrays, const struct timeline *timeline,
                        const char *name, const char *unit, const double *columns)
{
    double most = 0;
    for (size_t i = 0; i < timeline->n_columns; i++)
        most = fmax(most, columns[i]);
    if (most > 0 && isfinite(most))
        json_array_append_new(counters, put_strip(arrays, timeline, name, unit, columns, most));
}

/// CPU time, which is cores in use, and the counters that have grown.
static json_t *put_counters(struct arrays *arrays, const struct timeline *timeline)
{
    json_t *counters = json_array();
    if (timeline->cpu_s) // seconds in a second
        put_counter(counters, arrays, timeline, "cores in use", "s", timeline->cpu_s);
    size_t most = json_array_size(counters) + MOST_COUNTERS;
    for (size_t i = 0; i < timeline->n_counters && json_array_size(counters) < most; i++) {
        const struct counter *counter = &timeline->definitions->counters[i];
        put_counter(counters, arrays, timeline, counter->name, counter->unit,
                    timeline->counted + i * timeline->n_columns);
    }
    return counters;
}

/// As shares of the ranks' time.
static json_t *put_phases(struct arrays *arrays, const struct result *result,
                          const struct timeline *timeline)
{
    double whole = (double)timeline->column_ns * (double)timeline->n_ranks;
    return JSON_EACH(i, timeline->n_phases,
                     put_strip(arrays, timeline, result->regions[timeline->phases[i]].shown, "ns",
                               timeline->phase_ns + i * timeline->n_columns, whole));
}

/// [parent, name]: the texts of all paths would grow with the square of their depth.
static json_t *path_node(const struct result *result, const struct result_path *path)
{
    return json_pack("[oo]", json_index(path->parent),
                     json_text(result->regions[path->region].shown));
}

static json_t *thread_object(const struct timeline *timeline, const struct timeline_thread *thread)
{
    return JSON_OBJECT(
        JSON_COUNT(thread, rank),
        {"name", json_text(timeline->definitions->locations[thread->location].name)});
}

/// What the arrays of a timeline of RESULT are: its lane of the page.
static json_t *lane_object(const char *name, const struct result *result,
                           const struct timeline *timeline, json_t *places, json_t *phases,
                           json_t *counters, json_t *arrays)
{
    return JSON_OBJECT(
        {"name", json_text(name)}, {"ranks", json_count(timeline->n_ranks)},
        {"columns", json_count(columns_in_use(timeline))}, JSON_COUNT(timeline, column_ns),
        JSON_COUNT(timeline, end_ns), JSON_FLAG(timeline, has_all_calls),
        {"threads",
         JSON_EACH(i, timeline->n_threads, thread_object(timeline, &timeline->threads[i]))},
        JSON_FLAG(timeline, has_all_spans), JSON_FLAG(timeline, leaves_out_threads),
        {"messages", json_count(timeline->n_all_messages)}, {"places", places}, {"phases", phases},
        {"counters", counters},
        {"paths", JSON_EACH(k, result->n_paths, path_node(result, &result->paths[k]))},
        {"arrays", arrays});
}

static void print_base64(const unsigned char *bytes, size_t n, FILE *stream)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        putc(digits[group >> 18], stream);
        putc(digits[group >> 12 & 63], stream);
        putc(left > 1 ? digits[group >> 6 & 63] : '=', stream);
        putc(left > 2 ? digits[group & 63] : '=', stream);
    }
}

static int print_bytes(const char *id, const char *bytes, size_t n, FILE *stream, struct error *err)
{
    uLongf n_packed = compressBound(n);
    SCOPED unsigned char *packed = memory_new(n_packed);
    int code = compress2(packed, &n_packed, (const unsigned char *)bytes, n, Z_BEST_COMPRESSION);
    fprintf(stream, "<script id=\"%s\" type=\"application/octet-stream\">", id);
    if (code == Z_OK)
        print_base64(packed, n_packed, stream);
    fputs("</script>\n", stream);
    return code == Z_OK ? 0 : error_set(err, "cannot compress the timeline: %s", zError(code));
}

/// Prints the arrays of a TIMELINE of RESULT as the element NAME, and adds their lane to LANES.
static int print_lane(json_t *lanes, const char *name, const struct result *result,
                      const struct timeline *timeline, FILE *stream, struct error *err)
{
    struct arrays arrays = {.list = json_array()};
    SCOPED uint32_t *place_of = memory_new((timeline->n_calls + 1) * sizeof *place_of);
    json_t *places = list_places(result, timeline, place_of);
    arrays.stream = memory_stream(&arrays.bytes, &arrays.n_bytes);
    put_calls(&arrays, timeline, place_of);
    put_spans(&arrays, timeline);
    put_messages(&arrays, timeline);
    json_t *phases = put_phases(&arrays, result, timeline);
    json_t *counters = put_counters(&arrays, timeline);
    put_shares(&arrays, timeline);
    fclose(arrays.stream);
    int status = print_bytes(name, arrays.bytes, arrays.n_bytes, stream, err);
    json_array_append_new(
        lanes, lane_object(name, result, timeline, places, phases, counters, arrays.list));
    free(arrays.bytes);
    return status;
}

static void put_shown(json_t *names, const char *name, const char *shown)
{
    if (strcmp(name, shown) == 0)
        return;
    json_t *key = json_text(name); // whatever its bytes are
    json_object_set_new(names, json_string_value(key), json_text(shown));
    json_decref(key);
}

static void put_shown_path(json_t *names, const struct result *result, uint32_t path)
{
    if (path != RESULT_NONE)
        put_shown(names, result->paths[path].path, result->paths[path].shown);
}

/// Releases JSON.
static void put_compact(const char *id, json_t *json, FILE *stream)
{
    SCOPED char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(12));
    put_data(id, text, stream);
    json_decref(json);
}

/// How names that the page shows are shown, where that is shorter.
static void print_names(const struct result *result, FILE *stream)
{
    json_t *names = json_object();
    for (size_t i = 0; i < result->n_regions; i++)
        put_shown(names, result->regions[i].name, result->regions[i].shown);
    for (size_t i = 0; i < result->n_patterns; i++)
        if (result->patterns[i].worst.wait_ns > 0)
            put_shown_path(names, result, result->patterns[i].worst.path);
    if (result->iterations.n > 0)
        put_shown_path(names, result, result->iterations.path);
    put_compact("names", names, stream);
}

/// Without what the page does not show, and grows with ranks times paths or with depths of paths.
static void print_report(const struct run_page *page, FILE *stream)
{
    json_t *report = json_report(page->result, page->predicted), *path;
    size_t i;
    json_object_del(report, "counters");
    json_object_del(report, "metrics");
    json_object_del(report, "files");
    json_array_foreach(json_object_get(report, "profile"), i, path)
    {
        json_object_del(path, "path"); // those of the lane, in the same order
    }
    put_compact("report", report, stream);
}

int run_page_print(const struct run_page *page, FILE *stream, struct error *err)
{
    json_t *lanes = json_array();
    begin_page(run_page_text, stream);
    print_report(page, stream);
    print_names(page->result, stream);
    int status = print_lane(lanes, "measured", page->result, page->timeline, stream, err);
    if (status == 0 && page->predicted)
        status = print_lane(lanes, "predicted", &page->predicted->predicted,
                            page->predicted_timeline, stream, err);
    put_compact("lanes", lanes, stream);
    end_page(run_page_text, stream);
    return status;
}

// --- a database

/// Made of store_page.html.
extern const char store_page_text[];

/// Puts what PRINT prints of PAGE as the element ID.
#define PUT_PRINTED(id, print, page, stream)                                                       \
    do {                                                                                           \
        char *json_;                                                                               \
        size_t n_;                                                                                 \
        FILE *text_ = memory_stream(&json_, &n_);                                                  \
        print(page, text_);                                                                        \
        fclose(text_);                                                                             \
        put_data(id, json_, stream);                                                               \
        free(json_);                                                                               \
    } while (0)

/// [parent, name]
static json_t *tree_path(const struct trial_trees *trees, size_t i, const struct shown_paths *shown)
{
    size_t parent = trees->parents[i];
    SCOPED char *name = shown_paths_text(shown, resource_path_last(trees->paths[i]));
    return json_pack("[oo]", parent == TRIAL_TREES_ROOT ? json_null() : json_count(parent),
                     json_text(name));
}

static json_t *tree_times(const struct trial_trees *trees, size_t trial)
{
    const double *ns = &trees->ns[trial * trees->n_paths];
    return JSON_OBJECT({"id", json_count((uint64_t)trees->ids[trial])},
                       {"ns", JSON_EACH(i, trees->n_paths, json_number(ns[i]))});
}

static void put_trees(const struct trial_trees *trees, FILE *stream)
{
    SCOPED_BY(shown_paths_release) struct shown_paths shown = {0};
    for (size_t i = 0; i < trees->n_paths; i++)
        shown_paths_add(&shown, trees->paths[i]);
    shown_paths_complete(&shown);
    put_compact("trees",
                JSON_OBJECT({"paths", JSON_EACH(i, trees->n_paths, tree_path(trees, i, &shown))},
                            {"trials", JSON_EACH(i, trees->n_trials, tree_times(trees, i))}),
                stream);
}

void store_page_print(const struct store_page *page, FILE *stream)
{
    begin_page(store_page_text, stream);
    put_data("trials", page->trials, stream);
    PUT_PRINTED("tests", json_print_back_test, page->test, stream);
    put_trees(page->trees, stream);
    if (page->scaling)
        PUT_PRINTED("scaling", json_print_scaling, page->scaling, stream);
    end_page(store_page_text, stream);
}
