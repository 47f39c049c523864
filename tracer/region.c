// SPDX-License-Identifier: BSD-3-Clause
// Records of user regions. Names are numbered by a hash table of their texts; it only grows, so
// that a number once read stays valid.
#include "tracer/region.h"

#include "tracer/clock.h"
#include "tracer/module.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define N_NAMES 4096 // distinct names; further ones share number 0
#define N_SLOTS (2 * N_NAMES)

static struct {
    char *text;
    uint32_t id;
} names[N_SLOTS];
static uint32_t n_names;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Number of a name, from 1; writes its definition the first time. 0: no room for more.
static uint32_t name_id(struct stream *stream, const char *text)
{
    uint32_t hash = 2166136261U;
    uint32_t id = 0;

    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (uint8_t)*c) * 16777619U;
    pthread_mutex_lock(&lock);
    for (uint32_t i = hash % N_SLOTS;; i = (i + 1) % N_SLOTS) {
        if (names[i].text == NULL) {
            if (n_names < N_NAMES && (names[i].text = strdup(text)) != NULL) {
                id = names[i].id = ++n_names;
                stream_write_name(stream, RECORD_NAME, id, text);
            }
            break;
        }
        if (strcmp(names[i].text, text) == 0) {
            id = names[i].id;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return id;
}

// What the callbacks of MPI do belongs to the call.
static bool inside_mpi(void)
{
    return pagoda_dispatch_thread.inside != 0 || pagoda_dispatch_thread.language != 0;
}

static void write_function(uint16_t kind, void *function)
{
    struct stream *stream = stream_current();
    struct record_function_event *record;
    uint64_t address = (uint64_t)(uintptr_t)function;

    if (stream == NULL || inside_mpi())
        return;
    module_met(stream, address);
    record = stream_reserve(stream, sizeof *record);
    if (record == NULL)
        return;
    record->time_ns = clock_now_ns();
    record->address = address;
    stream_commit(&record->head, kind, 0, sizeof *record);
}

static void function_enter(void *function)
{
    write_function(RECORD_ENTER, function);
}

static void function_leave(void *function)
{
    write_function(RECORD_LEAVE, function);
}

static void write_named(uint16_t kind, const char *name)
{
    struct stream *stream = stream_current();
    struct record_time *record;
    uint32_t id;

    if (stream == NULL || inside_mpi() || name == NULL)
        return;
    id = name_id(stream, name);
    record = stream_reserve(stream, sizeof *record);
    if (record == NULL)
        return;
    record->time_ns = clock_now_ns();
    stream_commit(&record->head, kind, id, sizeof *record);
}

static void region_begin(const char *name)
{
    write_named(RECORD_REGION_BEGIN, name);
}

static void region_end(const char *name)
{
    write_named(RECORD_REGION_END, name);
}

static void marker(const char *name, int n, const char *const parameters[], const double values[])
{
    struct stream *stream = stream_current();
    struct record_marker *record;
    uint32_t ids[256];
    uint32_t id;
    size_t n_bytes;

    if (stream == NULL || inside_mpi() || name == NULL)
        return;
    if (n < 0 || parameters == NULL || values == NULL)
        n = 0;
    if (n > 255)
        n = 255;
    id = name_id(stream, name);
    for (int i = 0; i < n; i++)
        ids[i] = parameters[i] != NULL ? name_id(stream, parameters[i]) : 0;
    n_bytes = sizeof *record + (size_t)n * sizeof record->parameters[0];
    record = stream_reserve(stream, n_bytes);
    if (record == NULL)
        return;
    record->time_ns = clock_now_ns();
    record->n = (uint32_t)n;
    for (int i = 0; i < n; i++) {
        record->parameters[i].name = ids[i];
        record->parameters[i].value = values[i];
    }
    stream_commit(&record->head, RECORD_MARKER, id, n_bytes);
}

const struct recorder region_recorder = {
    .function_enter = function_enter,
    .function_leave = function_leave,
    .api = {1, region_begin, region_end, marker},
};
