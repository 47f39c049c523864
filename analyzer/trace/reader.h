// SPDX-License-Identifier: BSD-3-Clause
// Reading an OTF2 archive forward, once, in bounded memory, by a cursor for each location
// (cursor.h).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/trace/cursor.h"
#include "analyzer/trace/definitions.h"

struct clock;
struct clock_correction;
struct local_definitions;
struct records;
struct resolved;

/// Opens an archive by its anchor file or its directory and reads all definitions. NULL and ERR
/// when it is not an archive or no definitions can be read; a location that cannot be read is only
/// reported. The caller closes.
struct trace *trace_open(const char *path, struct error *err);
void trace_close(struct trace *trace);

/// The same in all processes that work together (spread.h): each reads a part of the locations. The
/// first one replays the trace once, with a digest, and may make further passes after that, which
/// it reads alone; the others only serve it. Alone, the same as trace_open().
struct trace *trace_open_shared(const char *path, struct error *err);

/// In another process than the first: sends it what DIGEST leaves, as long as it reads.
void trace_serve(struct trace *trace, const struct trace_digest *digest);

/// The archive of FIRST from its begin on, for a further pass: FIRST itself unless it is lent, an
/// opening that was given back, or a new one. NULL and ERR when the archive can no longer be
/// opened. Several threads may ask at once; FIRST must have been read by then, and not be closed
/// before all are given back. What FIRST says of its definitions stays valid.
struct trace *trace_again(struct trace *first, struct error *err);

/// Ends a pass that trace_again() began; NULL is ignored.
void trace_give_back(struct trace *first, struct trace *again);

/// TRACE, which has been read, and is not lent, is at its begin again, and its records come as much
/// later as CORRECTION says, beyond what its clock offsets said; in further passes likewise. Times
/// count from the first event as it is then. 0; 1 and ERR, and nothing is done: the archive is
/// compressed; -1 and ERR: it can no longer be read.
int trace_correct_clocks(struct trace *trace, const struct clock_correction *correction,
                         struct error *err);

const struct definitions *trace_definitions(const struct trace *trace);
const char *trace_path(const struct trace *trace); // of the anchor file

const struct location_report *trace_location_report(const struct trace *trace, size_t location);

/// Something that an archive records and no replay uses: a counter, other than the CPU time of
/// processes, or a parameter.
struct unused {
    const char *name; // valid as long as the trace; may be ""
    bool is_parameter;
    uint64_t n_values;
};

/// Sums what location_report.n_unused counted in TRACE, which has been read: counters in the order
/// of their definitions, then parameters, each with a value at least. The caller frees *LIST.
size_t trace_unused(const struct trace *trace, struct unused **list);

/// What one place has of a metric that is a state, such as power, or a sum of a device, a node or
/// a process. Texts live as long as the trace.
struct metric_values {
    const char *name, *unit, *description; // "" when unknown; power is in W, energy in J
    enum metric_place { METRIC_OF_LOCATION, METRIC_OF_NODE, METRIC_OF_OTHER } place;
    uint32_t location;      // the one that recorded it, or of the place
    const char *place_name; // of a node or something else, as the archive has it
    bool is_state;          // false: a sum
    bool holds;             // the last value of a state is valid until the end
    uint64_t n_values;
    uint64_t first_ns, last_ns; // of the first and last value; 0: or before the first event
    double seconds;             // between them
    double min, max, last;      // of states
    // Of states, from the first value to the last: the values summed over the time in seconds. Of
    // sums: what they grew by.
    double total;
    double mean; // of the values of a state, each as long as the others
};

/// Lists what TRACE has of these metrics; it has been read to its end. In the order of locations,
/// then of first values. None where only parts of the run were read. The caller frees *LIST.
size_t trace_metric_values(const struct trace *trace, struct metric_values **list);

/// What a copy of an open archive needs to know of it (analyzer/rewrite): its records, and how its
/// events get their times. All live as long as the trace.
struct trace_source {
    const struct records *records;
    const struct resolved *resolved;
    const struct clock *clock;
};
struct trace_source trace_source(const struct trace *trace);

/// What applies to the records of LOCATION: its clock offsets, corrected or not.
const struct local_definitions *trace_local_definitions(const struct trace *trace, size_t location);
