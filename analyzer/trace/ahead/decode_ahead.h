// SPDX-License-Identifier: BSD-3-Clause
// Decoding in further threads: while the engine consumes one batch of a location, the next ones of
// all locations are decoded. What the engine sees does not depend on it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/trace/batch.h"

/// Decodes the next batch of LOCATION into BATCH; runs in any thread, for one location at a time.
typedef void decode_batch(void *context, size_t location, struct batch *batch);

struct decode_ahead;

/// Starts the threads that the calling one may keep busy beside itself. Where there are none, it
/// decodes itself: while it waits for a batch, and when it helps.
struct decode_ahead *decode_ahead_start(size_t n_locations, decode_batch *decode, void *context);

/// Stops the threads after the batches they are at. NULL is ignored.
void decode_ahead_stop(struct decode_ahead *ahead);

/// The next batch of LOCATION. Until it is ready the calling thread decodes, too. The batch is the
/// caller's to read, or to swap its buffer for another one, until decode_ahead_request().
struct batch *decode_ahead_wait(struct decode_ahead *ahead, size_t location);

/// Has the batch after that decoded.
void decode_ahead_request(struct decode_ahead *ahead, size_t location);

/// Decodes a requested batch in the calling thread. false: none waits for a thread.
bool decode_ahead_help(struct decode_ahead *ahead);
