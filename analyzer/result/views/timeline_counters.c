// SPDX-License-Identifier: BSD-3-Clause
// Counters on the time axis of a timeline: a further pass over the archive, one location after the
// other, of which only the counters are kept. What one grew by between two of its values is spread
// evenly over the time between.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/result/views/timeline.h"
#include "analyzer/trace/cursor.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/reader.h"

/// Instead of events, what counters grew by.
static void keep_growths(void *context, size_t location, const struct decoded *decoded,
                         struct batch *out)
{
    (void)context;
    (void)location;
    for (size_t i = 0; i < decoded->n_growths; i++) {
        const struct counter_growth *growth = &decoded->growths[i];
        struct event *event = batch_add(out);
        *event = (struct event){
            .time_ns = growth->time_ns, .kind = EVENT_COUNTED, .index = growth->counter};
        memcpy(&event->size_bytes, &growth->growth, sizeof growth->growth);
    }
    out->at_end = decoded->is_last;
}

/// Adds GROWTH from BEGIN_NS to END_NS to the columns of COUNTER.
static void spread(const struct timeline *timeline, size_t counter, uint64_t begin_ns,
                   uint64_t end_ns, double growth)
{
    double *columns = timeline->counted + counter * timeline->n_columns;
    uint64_t width = timeline->column_ns, last = timeline->n_columns - 1;
    if (begin_ns >= end_ns || begin_ns / width >= last) {
        columns[end_ns / width < last ? end_ns / width : last] += growth;
        return;
    }
    for (uint64_t i = begin_ns / width; i <= last && i * width < end_ns; i++) {
        uint64_t from = i * width > begin_ns ? i * width : begin_ns;
        uint64_t to = (i + 1) * width < end_ns && i < last ? (i + 1) * width : end_ns;
        columns[i] += growth * (double)(to - from) / (double)(end_ns - begin_ns);
    }
}

static void count_location(const struct timeline *timeline, struct trace *trace, size_t location,
                           uint64_t *last_ns)
{
    const struct definitions *definitions = timeline->definitions;
    uint32_t rank = definitions->locations[location].rank;
    struct cursor *cursor = trace_cursor(trace, location);
    const struct event *event;
    for (size_t i = 0; i < definitions->n_counters; i++)
        last_ns[i] = rank == EVENT_NO_INDEX ? 0 : timeline_rank_begin_ns(timeline, rank);
    for (; (event = trace_peek(trace, location, cursor, 0)) != NULL; cursor->position++) {
        double growth;
        memcpy(&growth, &event->size_bytes, sizeof growth);
        spread(timeline, event->index, last_ns[event->index], event->time_ns, growth);
        last_ns[event->index] = event->time_ns;
    }
}

void timeline_count(struct timeline *timeline, struct trace *trace)
{
    const struct definitions *definitions = timeline->definitions;
    uint64_t *last_ns = memory_new((definitions->n_counters + 1) * sizeof *last_ns);
    timeline->n_counters = definitions->n_counters;
    timeline->counted =
        memory_zeroed(timeline->n_counters * timeline->n_columns + 1, sizeof *timeline->counted);
    trace_set_digest(trace, &(struct trace_digest){.events = keep_growths});
    for (size_t i = 0; i < definitions->n_locations; i++)
        count_location(timeline, trace, i, last_ns);
    trace_set_digest(trace, NULL);
    free(last_ns);
}
