// SPDX-License-Identifier: BSD-3-Clause
// Events of one location that follow those its cursor holds.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/format/numbers.h"
#include "analyzer/base/memory.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/file_operations.h"
#include "analyzer/trace/place.h"

// Places in front of a batch for the unread events of the batch before it.
enum { BATCH_HEADROOM = 32 };

/// Events events[BATCH_HEADROOM .. BATCH_HEADROOM + n).
struct batch {
    struct event *events;
    size_t capacity; // places, headroom included
    uint32_t n;
    bool at_end; // nothing follows in the archive
    struct trace_place begin;
};

/// The batch has room for N events.
static inline void batch_reserve(struct batch *batch, size_t n)
{
    batch->events =
        array_reserve(batch->events, &batch->capacity, BATCH_HEADROOM + n, sizeof *batch->events);
}

/// The place of one more event, to be set.
static inline struct event *batch_add(struct batch *batch)
{
    batch_reserve(batch, batch->n + 1);
    return &batch->events[BATCH_HEADROOM + batch->n++];
}

/// What a counter of definitions.counters grew by since its value before, seen before an event.
struct counter_growth {
    uint32_t before; // place among the events; their number: after the last one
    uint32_t counter;
    double growth;    // at least 0
    uint64_t time_ns; // of the last value
};

/// Decoded events of a location, what its counters grew by and what it did to files; the last ones
/// if IS_LAST.
struct decoded {
    const struct event *events;
    size_t n;
    const struct counter_growth *growths; // in the order of the events
    size_t n_growths;
    const struct file_operation *operations; // likewise
    size_t n_operations;
    bool is_last;
};

/// What is made of the events of each location where they are decoded, perhaps in another thread
/// or process: for one location after the other, for several at once.
struct trace_digest {
    void *context;
    /// Makes other events of those DECODED of LOCATION, and appends them to OUT.
    void (*events)(void *context, size_t location, const struct decoded *decoded,
                   struct batch *out);
    /// Writes what the digest of a location that has ended knows besides, or reads it in another
    /// process.
    void (*pass)(void *context, size_t location, struct numbers *numbers);
};
