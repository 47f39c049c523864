// SPDX-License-Identifier: BSD-3-Clause
// An index of an archive: with it a part of the run costs in proportion to its length, not to that
// of the run. The first replay of parts makes it while it replays all of the run: at some hundred
// points evenly spread over the events it keeps where each location is in its file, and the state
// of the replay (snapshot.h); and in the end what the whole run is needed for. Later ones begin at
// the last point before their parts and end when nothing is left that could count in them.
//
// What a part's result says is the same, bit for bit:
// - Profile and times of ranks are differences between two marks (location/excerpt.c), so what was
//   before the point cancels out.
// - Wait states count for the time of the part. A call that ended before the point has none in it.
//   A wait is reported when the call is left, its last member is out, or its receives are known:
//   the replay goes on until that is true of all calls that began in the part.
// - Whether a standard send can have waited for its receiver may be proven at any time. So the
//   limits that were proven in the whole run hold from the start.
// - Counts of the run, its call trees and first and last events, and what the records of the trace
//   lack, are kept. Critical path, causes and traffic are not said of parts.
// No index is made of damaged archives, nor where a wait counted that was proven to be none
// afterwards.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/format/numbers.h"
#include "analyzer/pag/pag.h"

struct engine;

/// How an index is made, and of which archives. When there are too many points, or they take too
/// much, every second one goes.
struct pag_index_settings {
    uint64_t least_events;   // of an archive whose index is kept
    uint64_t events_between; // two points, to begin with
    uint32_t turns_between;  // of the engine between two looks at how many events there were
    size_t max_points;
    size_t max_bytes, location_bytes; // of all points, and more for each location
};
#define PAG_INDEX_SETTINGS_DEFAULT                                                                 \
    ((struct pag_index_settings){.least_events = 1000000,                                          \
                                 .events_between = 1 << 14,                                        \
                                 .turns_between = 1 << 12,                                         \
                                 .max_points = 512,                                                \
                                 .max_bytes = (size_t)8 << 20,                                     \
                                 .location_bytes = 1 << 10})

struct pag_index_point {
    uint64_t n_events;     // of all locations, before the point
    uint64_t limits[2];    // of eager messages then
    uint64_t n_held;       // waits of senders held back then
    struct numbers places; // by location: the time it has come to, and its place
    struct numbers state;
};

struct pag_index {
    struct pag_index_settings settings;
    bool is_complete; // else the replay that gets it makes it,
    bool is_none;     // unless the archive, or the run, allows none
    bool is_damaged;  // what a replay found out: its result means nothing then
    struct pag_index_point *points;
    size_t n_points, capacity;
    size_t n_bytes; // of the points
    uint64_t next_events;
    uint64_t end_ns;        // of the parts of the present replay
    struct pag_result run;  // the counts, and each location without times
    struct numbers reports; // of the locations
    uint64_t limits[2];     // of eager messages in the end
    bool has_told;          // waits of senders counted before the end of the run
    struct numbers file;    // what was read, which the above may point into
};

/// An index to be made.
struct pag_index *pag_index_new(const struct pag_index_settings *settings);
void pag_index_free(struct pag_index *index);

/// Writes a complete index, or reads one of an archive of N_LOCATIONS.
void pag_index_pass(struct pag_index *index, size_t n_locations, struct numbers *numbers);

// --- for the loop (engine.c), with parts and an index

/// Before anything of TRACE is read: puts it to the last point before all PARTS. The point; NULL:
/// the begin of the run.
const struct pag_index_point *index_begin(struct pag_index *index, struct trace *trace,
                                          const struct pag_options *options);

/// After engine_init(): reads the state of POINT. false and index->is_damaged if that cannot be.
bool index_resume(struct engine *engine, const struct pag_index_point *point);

/// Now and then, NEXT_NS being the time of the next event of all: makes a point if it is due.
/// Whether the replay has to go on.
bool index_turn(struct engine *engine, uint64_t next_ns);

/// No more events are read.
void index_stop(struct engine *engine);

/// The result has been filled: keeps it, or puts that of the whole run in its place.
void index_conclude(struct engine *engine);
