// SPDX-License-Identifier: BSD-3-Clause
// What stands above the rows of a timeline: phases of the program, CPU time, and counters. A
// further pass over the archive, one location after the other, keeps only what these need. What a
// counter or CPU time grew by between two of its values is spread evenly over the time between.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/result/result.h"
#include "analyzer/result/views/timeline.h"
#include "analyzer/trace/cursor.h"
#include "analyzer/trace/definitions.h"

enum { MAX_PHASES = 12, MAX_TRUNK = 64 };
#define NO_PHASE UINT8_MAX

// --- which functions are phases

static bool is_function(const struct definitions *definitions, size_t region)
{
    return definitions->regions[region].mpi == MPI_FUNCTION_NONE &&
           region != definitions->gap_region && region != definitions->no_cpu_region &&
           region != definitions->blocked_region;
}

/// Makes PHASE of the functions called NAME, which are none yet. False: there are none.
static bool choose(struct timeline *timeline, const char *name, uint8_t phase)
{
    bool is_found = false;
    for (size_t i = 0; i < timeline->definitions->n_regions; i++)
        if (timeline->phase_of[i] == NO_PHASE && is_function(timeline->definitions, i) &&
            strcmp(timeline->definitions->regions[i].name, name) == 0) {
            timeline->phase_of[i] = phase;
            is_found = true;
        }
    return is_found;
}

/// The path right below CALLER (RESULT_NONE: the outermost one) with most time; RESULT_NONE.
static uint32_t longest_below(const struct result *result, uint32_t caller, uint64_t *all_ns)
{
    uint32_t longest = RESULT_NONE;
    *all_ns = 0;
    for (uint32_t i = 0; i < result->n_paths; i++) {
        if (result->paths[i].parent != caller)
            continue;
        *all_ns += result->paths[i].inclusive_ns;
        if (longest == RESULT_NONE ||
            result->paths[i].inclusive_ns > result->paths[longest].inclusive_ns)
            longest = i;
    }
    return longest;
}

/// Marks the way down that takes nearly all of the time.
static void mark_trunk(const struct result *result, bool *is_trunk)
{
    static const double nearly_all = 0.9;
    uint64_t whole_ns, all_ns;
    uint32_t path = longest_below(result, RESULT_NONE, &whole_ns);
    for (int depth = 0; depth < MAX_TRUNK && path != RESULT_NONE &&
                        !result->regions[result->paths[path].region].is_mpi &&
                        (double)result->paths[path].inclusive_ns >= nearly_all * (double)whole_ns;
         depth++) {
        is_trunk[path] = true;
        whole_ns = result->paths[path].inclusive_ns;
        path = longest_below(result, path, &all_ns);
    }
}

void timeline_find_phases(struct timeline *timeline, const struct result *result)
{
    SCOPED bool *is_trunk = memory_zeroed(result->n_paths + 1, sizeof *is_trunk);
    SCOPED uint32_t *called = memory_new((result->n_paths + 1) * sizeof *called);
    size_t n_called = 0;
    timeline->phase_of = memory_new(timeline->definitions->n_regions + 1);
    memset(timeline->phase_of, NO_PHASE, timeline->definitions->n_regions + 1);
    timeline->phases = memory_new(MAX_PHASES * sizeof *timeline->phases);
    mark_trunk(result, is_trunk);
    for (uint32_t i = 0; i < result->n_paths; i++)
        if (!is_trunk[i] && result->paths[i].parent != RESULT_NONE &&
            is_trunk[result->paths[i].parent] && !result->regions[result->paths[i].region].is_mpi)
            called[n_called++] = i;
    SORT_NUMBERS_BY(called, n_called, result->paths, MOST(inclusive_ns));
    for (size_t i = 0; i < n_called && timeline->n_phases < MAX_PHASES; i++) {
        uint32_t region = result->paths[called[i]].region;
        if (choose(timeline, result->regions[region].name, (uint8_t)timeline->n_phases))
            timeline->phases[timeline->n_phases++] = region;
    }
    if (timeline->n_phases == 1) { // which tells nothing
        timeline->n_phases = 0;
        memset(timeline->phase_of, NO_PHASE, timeline->definitions->n_regions + 1);
    }
}

// --- the pass

static bool is_of_phase(const struct timeline *timeline, const struct event *event)
{
    return (event->kind == EVENT_ENTER || event->kind == EVENT_LEAVE) &&
           event->index != EVENT_NO_INDEX && timeline->phase_of[event->index] != NO_PHASE;
}

/// Keeps enters and leaves of phases, CPU times, and what counters grew by.
static void keep(void *context, size_t location, const struct decoded *decoded, struct batch *out)
{
    const struct timeline *timeline = context;
    bool is_master = timeline->definitions->locations[location].is_master;
    for (size_t i = 0; i < decoded->n && is_master; i++) {
        const struct event *event = &decoded->events[i];
        if (event->kind == EVENT_CPU_TIME || is_of_phase(timeline, event))
            *batch_add(out) = *event;
    }
    for (size_t i = 0; i < decoded->n_growths; i++) {
        const struct counter_growth *growth = &decoded->growths[i];
        struct event *event = batch_add(out);
        *event = (struct event){
            .time_ns = growth->time_ns, .kind = EVENT_COUNTED, .index = growth->counter};
        memcpy(&event->size_bytes, &growth->growth, sizeof growth->growth);
    }
    out->at_end = decoded->is_last;
}

/// Spreads AMOUNT over the COLUMNS from BEGIN_NS to END_NS.
static void spread(const struct timeline *timeline, double *columns, uint64_t begin_ns,
                   uint64_t end_ns, double amount)
{
    uint64_t width = timeline->column_ns, last = timeline->n_columns - 1;
    if (begin_ns >= end_ns || begin_ns / width >= last) {
        columns[end_ns / width < last ? end_ns / width : last] += amount;
        return;
    }
    for (uint64_t i = begin_ns / width; i <= last && i * width < end_ns; i++) {
        uint64_t from = i * width > begin_ns ? i * width : begin_ns;
        uint64_t to = (i + 1) * width < end_ns && i < last ? (i + 1) * width : end_ns;
        columns[i] += amount * (double)(to - from) / (double)(end_ns - begin_ns);
    }
}

/// Where a location is while its events are read.
struct place {
    uint32_t depth; // of phases in each other, of which the outermost one counts
    uint32_t phase;
    uint64_t begin_ns;
    uint64_t *last_ns;                    // of each counter
    struct event counted_cpu, newest_cpu; // CPU times; without any their kind is another one
};

/// Spreads the CPU time since the last sample that counted.
static void put_cpu_time(const struct timeline *timeline, struct place *place)
{
    const struct event *from = &place->counted_cpu, *to = &place->newest_cpu;
    if (to->time_ns > from->time_ns && to->size_bytes > from->size_bytes)
        spread(timeline, timeline->cpu_s, from->time_ns, to->time_ns,
               (double)(to->size_bytes - from->size_bytes) / 1e9);
    place->counted_cpu = *to;
}

/// A process may be interrupted between its clock and its CPU time, so samples close to each other
/// tell little. What it used before its first one is not known.
static void read_cpu_time(const struct timeline *timeline, const struct event *event,
                          struct place *place)
{
    static const uint64_t most_ns = 1000000;
    uint64_t least_ns = timeline->end_ns / 1000 < most_ns ? timeline->end_ns / 1000 : most_ns;
    place->newest_cpu = *event;
    if (place->counted_cpu.kind != EVENT_CPU_TIME)
        place->counted_cpu = *event;
    else if (event->time_ns - place->counted_cpu.time_ns >= least_ns)
        put_cpu_time(timeline, place);
}

static void end_phase(const struct timeline *timeline, const struct place *place, uint64_t time_ns)
{
    if (time_ns > place->begin_ns)
        spread(timeline, timeline->phase_ns + place->phase * timeline->n_columns, place->begin_ns,
               time_ns, (double)(time_ns - place->begin_ns));
}

static void read_event(const struct timeline *timeline, const struct event *event,
                       struct place *place)
{
    if (event->kind == EVENT_COUNTED) {
        double growth;
        memcpy(&growth, &event->size_bytes, sizeof growth);
        spread(timeline, timeline->counted + event->index * timeline->n_columns,
               place->last_ns[event->index], event->time_ns, growth);
        place->last_ns[event->index] = event->time_ns;
    } else if (event->kind == EVENT_CPU_TIME) {
        read_cpu_time(timeline, event, place);
    } else if (event->kind == EVENT_ENTER && place->depth++ == 0) {
        place->phase = timeline->phase_of[event->index];
        place->begin_ns = event->time_ns;
    } else if (event->kind == EVENT_LEAVE && place->depth > 0 && --place->depth == 0) {
        end_phase(timeline, place, event->time_ns);
    }
}

void timeline_read_strips(struct timeline *timeline, struct trace *trace)
{
    const struct definitions *definitions = timeline->definitions;
    size_t n = timeline->n_columns;
    timeline->n_counters = definitions->n_counters;
    timeline->counted = memory_zeroed(timeline->n_counters * n + 1, sizeof *timeline->counted);
    timeline->phase_ns = memory_zeroed(timeline->n_phases * n + 1, sizeof *timeline->phase_ns);
    timeline->cpu_s = memory_zeroed(n, sizeof *timeline->cpu_s);
    struct place place = {.last_ns = memory_new((timeline->n_counters + 1) * sizeof(uint64_t))};
    trace_set_digest(trace, &(struct trace_digest){.context = timeline, .events = keep});
    for (size_t i = 0; i < definitions->n_locations; i++) {
        uint32_t rank = definitions->locations[i].rank;
        struct cursor *cursor = trace_cursor(trace, i);
        const struct event *event;
        place.depth = 0;
        place.counted_cpu.kind = EVENT_KINDS;
        for (size_t c = 0; c < timeline->n_counters; c++)
            place.last_ns[c] = rank == EVENT_NO_INDEX ? 0 : timeline_rank_begin_ns(timeline, rank);
        for (; (event = trace_peek(trace, i, cursor, 0)) != NULL; cursor->position++)
            read_event(timeline, event, &place);
        if (place.counted_cpu.kind == EVENT_CPU_TIME)
            put_cpu_time(timeline, &place);
        if (place.depth > 0 && rank != EVENT_NO_INDEX)
            end_phase(timeline, &place, timeline_rank_end_ns(timeline, rank));
    }
    trace_set_digest(trace, NULL);
    free(place.last_ns);
}
