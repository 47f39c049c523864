// SPDX-License-Identifier: BSD-3-Clause
// One trace read by several processes (analyzer/spread): each decodes and digests locations of its
// own, and the first one gets what their digests left. A location's next block is sent when the
// first process asks for it, which is when it begins with the one before: that bounds the memory.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/batch.h"

struct trace;

/// Begins to share TRACE, of which nothing is open yet: its readers know which are remote.
void shared_begin(struct trace *trace);

/// What a process finds out when it opens its locations.
struct opening {
    int64_t first_ticks;    // of its earliest event, INT64_MAX: none
    bool exceeds_a_promise; // a location has more events than the archive promises
};

/// All processes have opened their locations: what they have found out. Does not return where one
/// could not (spread_each()).
struct opening shared_agree(struct trace *trace, struct opening own);

/// In the first process: waits until the next block of LOCATION, which another process reads, is
/// there to be unpacked; decodes meanwhile.
void shared_await(struct trace *trace, size_t location);
/// Unpacks it; in any thread.
void shared_unpack(struct trace *trace, size_t location, struct batch *batch);
/// Asks for the block after that.
void shared_request(struct trace *trace, size_t location);

/// In the others: sends blocks until the first process wants no more.
void shared_serve(struct trace *trace);

/// Ends the sharing; the first process need not have read all. TRACE decodes nothing ahead any
/// more. It may have ended before.
void shared_end(struct trace *trace);
