// SPDX-License-Identifier: BSD-3-Clause
// Reading an OTF2 archive forward, once, in bounded memory: one cursor per location decodes its
// events in batches into a small buffer that the engine looks ahead in.
#ifndef PAGODA_TRACE_READER_H
#define PAGODA_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/place.h"

struct batch;
struct clock;
struct records;
struct resolved;
struct trace;

/// Opens an archive by its anchor file or its directory and reads all definitions. NULL and ERR
/// when it is no archive or no definitions can be read; a location that cannot be read is only
/// reported. The caller closes.
struct trace *trace_open(const char *path, struct error *err);
void trace_close(struct trace *trace);

/// The archive of FIRST from its begin on, for a further pass: FIRST itself unless it is lent, an
/// opening that was given back, or a new one. NULL and ERR when the archive can no longer be
/// opened. Several threads may ask at once; FIRST must have been read by then, and not be closed
/// before all are given back. What FIRST says of its definitions stays valid.
struct trace *trace_again(struct trace *first, struct error *err);

/// Ends a pass that trace_again() began; NULL is ignored.
void trace_give_back(struct trace *first, struct trace *again);

const struct definitions *trace_definitions(const struct trace *trace);
const char *trace_path(const struct trace *trace); // of the anchor file

/// Cursor of a location (index into definitions.locations); stays valid until trace_close().
struct cursor *trace_cursor(struct trace *trace, size_t location);

/// Makes other events of N EVENTS of LOCATION, its last ones if IS_LAST, and appends them to OUT.
/// Runs where they are decoded, perhaps in another thread: for one location after the other, for
/// several at once.
typedef void trace_digest(void *context, size_t location, const struct event *events, size_t n,
                          bool is_last, struct batch *out);

/// Of a trace that has just been opened, or begun again, the cursors show the events that DIGEST
/// makes; as they are decoded once it is NULL again, when all locations are at their ends.
void trace_set_digest(struct trace *trace, trace_digest *digest, void *context);

/// Decodes more events after cursor->end (what lies before `position` is forgotten, unread events
/// move to the front) until at least MIN_AHEAD unread events are there or the location is at its
/// end. Never fails: damage ends the location and is reported by trace_location_report().
void trace_fill(struct trace *trace, size_t location, uint32_t min_ahead);

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

const struct location_report *trace_location_report(const struct trace *trace, size_t location);

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

/// What a copy of an open archive needs to know of it (analyzer/rewrite): its records, and how its
/// events get their times. All live as long as the trace.
struct trace_source {
    const struct records *records;
    const struct resolved *resolved;
    const struct clock *clock;
};
struct trace_source trace_source(const struct trace *trace);

#endif
