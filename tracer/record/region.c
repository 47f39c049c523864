// SPDX-License-Identifier: BSD-3-Clause
// Records of user regions. Names are numbered by a hash table of their texts; it only grows, so
// that a number once read stays valid.
#include "tracer/record/region.h"

#include "tracer/record/clock.h"
#include "tracer/record/module.h"
#include "tracer/record/recording.h"
#include "tracer/record/settings.h"

#include <pthread.h>
#include <string.h>

#define N_NAMES 4096 // distinct names; further ones share number 0
#define N_SLOTS (2 * N_NAMES)

static struct {
    char *text;
    uint32_t id;
    unsigned flags; // FILTER_...
} names[N_SLOTS];
static uint32_t n_names;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/// Number of a name, from 1, and what holds for it; writes its definition the first time. 0: no
/// room for more.
static uint32_t name_id(struct stream *stream, const char *text, unsigned *flags)
{
    *flags = 0;
    uint32_t hash = 2166136261U;
    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (uint8_t)*c) * 16777619U;
    pthread_mutex_lock(&lock);
    uint32_t id = 0;
    for (uint32_t i = hash % N_SLOTS;; i = (i + 1) % N_SLOTS) {
        if (!names[i].text) {
            if (n_names < N_NAMES && (names[i].text = strdup(text)) != NULL) {
                id = names[i].id = ++n_names;
                names[i].flags = filter_active ? filter_name(text) : 0;
                *flags = names[i].flags;
                stream_write_name(stream, RECORD_NAME, id, text);
            }
            break;
        }
        if (strcmp(names[i].text, text) == 0) {
            id = names[i].id;
            *flags = names[i].flags;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return id;
}

// ---- Short regions: their enter is taken back if it is the last record.

static void remember_enter(struct stream *stream, void *record)
{
    if (stream->n_enters < MAX_OPEN_ENTERS)
        stream->window.enters[stream->n_enters] = record;
    stream->n_enters++;
}

static bool is_enter_of(const struct record_function_event *enter, uint16_t kind, uint32_t id,
                        uint64_t address)
{
    return enter->head.kind == kind && enter->head.id == id &&
           (kind != RECORD_ENTER || enter->address == address);
}

/// A region is left. True: it was too short, and nothing happened inside; no trace of it is left.
/// Enters whose leave never came (longjmp, exceptions) are forgotten on the way.
static bool drop_short(struct stream *stream, uint16_t kind, uint32_t id, uint64_t address,
                       uint64_t now_ns)
{
    size_t n_bytes =
        kind == RECORD_ENTER ? sizeof(struct record_function_event) : sizeof(struct record_time);
    while (stream->n_enters > 0) {
        uint32_t top = --stream->n_enters;
        uint8_t *record = top < MAX_OPEN_ENTERS ? stream->window.enters[top] : NULL;
        const struct record_function_event *enter = (const void *)record;
        if (!record)
            return false;
        if (!is_enter_of(enter, kind, id, address))
            continue;
        if (stream->window.at != record + n_bytes ||
            now_ns - enter->time_ns >= settings.min_duration_ns)
            return false;
        stream_undo_event(stream, record, n_bytes);
        stream_count_dropped(stream);
        return true;
    }
    return false;
}

// ---- Events of user regions: by address (RECORD_ENTER, RECORD_LEAVE) or by number of the name
// (RECORD_REGION_BEGIN, RECORD_REGION_END).

static void write_event(struct stream *stream, uint16_t kind, uint32_t id, uint64_t address,
                        uint64_t now_ns)
{
    bool has_address = kind == RECORD_ENTER || kind == RECORD_LEAVE;
    size_t n_bytes =
        has_address ? sizeof(struct record_function_event) : sizeof(struct record_time);
    struct record_function_event *record = stream_reserve(stream, n_bytes);
    if (!record)
        return;
    record->time_ns = now_ns;
    if (has_address)
        record->address = address;
    stream_commit(&record->head, kind, id, n_bytes);
    if (settings.min_duration_ns != 0 && (kind == RECORD_ENTER || kind == RECORD_REGION_BEGIN))
        remember_enter(stream, record);
}

static void entered(struct stream *stream, uint16_t kind, uint32_t id, uint64_t address,
                    unsigned flags)
{
    counters_see(stream); // before the time: the region does not seem longer
    uint64_t now_ns = clock_now_ns();
    recording_check(stream, now_ns);
    if ((flags & FILTER_STARTS) != 0 && stream->off)
        recording_set(stream, true, now_ns);
    if ((flags & FILTER_EXCLUDED) != 0)
        return;
    counters_put(stream, COUNTERS_OF_NEXT);
    if (stream->off)
        recording_region_entered(stream, kind, kind == RECORD_ENTER ? address : id);
    else
        write_event(stream, kind, id, address, now_ns);
}

static void left(struct stream *stream, uint16_t kind, uint32_t id, uint64_t address,
                 unsigned flags)
{
    uint16_t enter_kind = kind == RECORD_LEAVE ? RECORD_ENTER : RECORD_REGION_BEGIN;
    uint64_t now_ns = clock_now_ns();
    recording_check(stream, now_ns);
    if ((flags & FILTER_EXCLUDED) != 0) {
        ;
    } else if (stream->off ? recording_region_left(stream)
                           : settings.min_duration_ns == 0 ||
                                 !drop_short(stream, enter_kind, id, address, now_ns)) {
        counters_take(stream);
        write_event(stream, kind, id, address, now_ns);
    }
    if ((flags & FILTER_STOPS) != 0 && !stream->off)
        recording_set(stream, false, now_ns);
}

typedef void region_event(struct stream *stream, uint16_t kind, uint32_t id, uint64_t address,
                          unsigned flags);

static inline void function_event(void *function, region_event *event, uint16_t kind)
{
    uint64_t address = (uint64_t)(uintptr_t)function;
    struct stream *stream = stream_current();
    if (!stream || dispatch_is_inside())
        return;
    unsigned flags = 0;
    if (filter_active && (flags = filter_function(address)) == FILTER_EXCLUDED) {
        stream_count_excluded(stream);
        return;
    }
    dispatch_set_inside(INSIDE_TRACER);
    module_met(stream, address);
    event(stream, kind, 0, address, flags);
    dispatch_set_inside(0);
}

static inline void named_event(const char *name, region_event *event, uint16_t kind)
{
    struct stream *stream = stream_current();
    if (!stream || dispatch_is_inside() || !name)
        return;
    dispatch_set_inside(INSIDE_TRACER);
    unsigned flags;
    uint32_t id = name_id(stream, name, &flags);
    event(stream, kind, id, 0, flags);
    dispatch_set_inside(0);
}

static void function_enter(void *function)
{
    function_event(function, entered, RECORD_ENTER);
}

static void function_leave(void *function)
{
    function_event(function, left, RECORD_LEAVE);
}

static void region_begin(const char *name)
{
    named_event(name, entered, RECORD_REGION_BEGIN);
}

static void region_end(const char *name)
{
    named_event(name, left, RECORD_REGION_END);
}

static void write_marker(struct stream *stream, uint32_t id, uint64_t now_ns, int n,
                         const char *const parameters[], const double values[])
{
    if (n < 0 || !parameters || !values)
        n = 0;
    if (n > 255)
        n = 255;
    uint32_t ids[256];
    unsigned flags;
    for (int i = 0; i < n; i++)
        ids[i] = parameters[i] ? name_id(stream, parameters[i], &flags) : 0;
    struct record_marker *record;
    size_t n_bytes = sizeof *record + (size_t)n * sizeof record->parameters[0];
    record = stream_reserve(stream, n_bytes);
    if (!record)
        return;
    record->time_ns = now_ns;
    record->n = (uint32_t)n;
    for (int i = 0; i < n; i++) {
        record->parameters[i].name = ids[i];
        record->parameters[i].value = values[i];
    }
    stream_commit(&record->head, RECORD_MARKER, id, n_bytes);
}

/// A marker that switches recording is itself recorded.
static void marker(const char *name, int n, const char *const parameters[], const double values[])
{
    struct stream *stream = stream_current();
    if (!stream || dispatch_is_inside() || !name)
        return;
    dispatch_set_inside(INSIDE_TRACER);
    unsigned flags;
    uint32_t id = name_id(stream, name, &flags);
    uint64_t now_ns = clock_now_ns();
    recording_check(stream, now_ns);
    bool was_off = stream->off;
    if ((flags & FILTER_STARTS) != 0 && was_off)
        recording_set(stream, true, now_ns);
    if (!stream->off && (flags & FILTER_EXCLUDED) == 0)
        write_marker(stream, id, now_ns, n, parameters, values);
    if ((flags & FILTER_STOPS) != 0 && !was_off)
        recording_set(stream, false, now_ns);
    dispatch_set_inside(0);
}

/// In a callback of MPI, or in a signal handler that interrupts the recorder itself, the thread
/// goes on as it was until its next event.
static void set_recording(bool on)
{
    if (pagoda_dispatch_thread.inside != 0) {
        recording_ask(on, clock_now_ns());
        return;
    }
    struct stream *stream = stream_current();
    dispatch_set_inside(INSIDE_TRACER);
    recording_set(pagoda_dispatch_thread.language == 0 ? stream : NULL, on, clock_now_ns());
    dispatch_set_inside(0);
}

static void trace_off(void)
{
    set_recording(false);
}

static void trace_on(void)
{
    set_recording(true);
}

const struct recorder region_recorder = {
    .function_enter = function_enter,
    .function_leave = function_leave,
    .api = {2, region_begin, region_end, marker, trace_off, trace_on},
};
