// SPDX-License-Identifier: BSD-3-Clause
// The cursors of an open archive, one for each location: its events are decoded in batches into a
// small buffer that the engine looks ahead in.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/batch.h"

struct trace;

/// Cursor of a location (index into definitions.locations); stays valid until trace_close().
struct cursor *trace_cursor(struct trace *trace, size_t location);

/// Of a trace that has just been opened, or begun again, the cursors show the events that DIGEST
/// makes; as they are decoded once it is NULL again, when all locations are at their ends.
void trace_set_digest(struct trace *trace, const struct trace_digest *digest);

/// Decodes more events after cursor->end (what lies before `position` is forgotten, unread events
/// move to the front) until at least MIN_AHEAD unread events are there or the location is at its
/// end. Never fails: damage ends the location and is reported by trace_location_report().
void trace_fill(struct trace *trace, size_t location, uint32_t min_ahead);

/// Ends the reading of all locations, wherever they are: their cursors have no more events. What
/// that took of memory is free again.
void trace_stop_reading(struct trace *trace);

/// Where reading a location is, before its next unread event; only in a trace that keeps places.
struct trace_place trace_place(const struct trace *trace, size_t location);

/// Has TRACE, of which nothing has been read yet, keep places. false where it cannot: the library
/// reads its events, or a location is damaged so far.
bool trace_keep_places(struct trace *trace);

/// Reads on at PLACE, of the same archive. A place that cannot be is damage.
void trace_go_to(struct trace *trace, size_t location, const struct trace_place *place);

/// Writes the counts of a location's report, or reads them; then nothing of TRACE may be read any
/// more.
void trace_report_pass(struct trace *trace, size_t location, struct numbers *numbers);

/// The event AHEAD places after the next unread one, NULL at the location's end.
static inline const struct event *trace_peek(struct trace *trace, size_t location,
                                             struct cursor *cursor, uint32_t ahead)
{
    if (cursor->position + ahead >= cursor->end) {
        if (cursor->at_end)
            return NULL;
        trace_fill(trace, location, ahead + 1);
        if (cursor->position + ahead >= cursor->end)
            return NULL;
    }
    return &cursor->events[cursor->position + ahead];
}
