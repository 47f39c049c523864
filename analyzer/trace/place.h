// SPDX-License-Identifier: BSD-3-Clause
// Places between two events of a location, from which a later opening of the same archive can read
// on. An event file can be entered where a batch of events began to be decoded: so a place is such
// a point, and the number of events from there to the place.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/format/numbers.h"

struct trace_place {
    uint64_t event;          // number of the event after it, from 0 on
    uint64_t n_skipped;      // events from file_at to the place
    uint64_t file_at;        // in the event file, where a record begins or the time stamp before it
    uint64_t n_read;         // records before that
    uint64_t raw_ticks;      // time stamp of the one before
    uint64_t clock_interval; // of the location's clock offsets
    int64_t last_ticks;      // of the event before
    bool in_polls;
    uint64_t polls_end_ns;
};

/// Writes or reads PLACE.
void trace_place_pass(struct trace_place *place, struct numbers *numbers);

/// Where the batches began that hold the unread events of a location.
struct batch_begins {
    struct trace_place *items; // `event` is the first one of the batch
    size_t n, capacity;
    uint64_t n_events; // of all batches
};

/// N_EVENTS follow, decoded from BEGIN on; N_UNREAD events of the batches before are still to be
/// read.
void batch_begins_add(struct batch_begins *begins, const struct trace_place *begin,
                      uint32_t n_unread, uint32_t n_events);

/// The place before the last N_UNREAD events.
struct trace_place batch_begins_find(const struct batch_begins *begins, uint32_t n_unread);
