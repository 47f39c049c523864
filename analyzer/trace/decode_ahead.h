// SPDX-License-Identifier: BSD-3-Clause
// Decoding in a second thread: while the engine consumes one batch of a location, the next one is
// decoded. What the engine sees does not depend on it.
#ifndef PAGODA_TRACE_DECODE_AHEAD_H
#define PAGODA_TRACE_DECODE_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/event.h"
#include "analyzer/trace/place.h"

// Places in front of a batch for the unread events of the batch before it.
enum { BATCH_HEADROOM = 32 };

/// Decoded events of one location: events[BATCH_HEADROOM .. BATCH_HEADROOM + n).
struct batch {
    struct event *events;
    size_t capacity; // places, headroom included
    uint32_t n;
    bool at_end; // nothing follows in the archive
    struct trace_place begin;
};

/// Decodes the next batch of LOCATION into BATCH; runs in the second thread.
typedef void decode_batch(void *context, size_t location, struct batch *batch);

struct decode_ahead;

/// Starts the thread; NULL when threads_count() allows none, or none is to be had: then decode in
/// place.
struct decode_ahead *decode_ahead_start(size_t n_locations, decode_batch *decode, void *context);

/// Stops the thread after the batch it is at. NULL is ignored.
void decode_ahead_stop(struct decode_ahead *ahead);

/// The next batch of LOCATION, waited for if need be. It is the caller's to read, or to swap its
/// buffer for another one, until decode_ahead_request().
struct batch *decode_ahead_wait(struct decode_ahead *ahead, size_t location);

/// Has the batch after that decoded.
void decode_ahead_request(struct decode_ahead *ahead, size_t location);

#endif
