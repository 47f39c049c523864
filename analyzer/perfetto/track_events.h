// SPDX-License-Identifier: BSD-3-Clause
// A measured run as tracks for Perfetto's viewer, written while it is replayed: for each node,
// rank and thread its regions as slices, messages as flows between them, wait states, counters; and
// the critical path. Times are nanoseconds since the run's first event.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/trace/definitions.h"

struct track_events;

/// Writes to PATH and, from about MAX_BYTES on, to further files (packets.h). DEFINITIONS and
/// CATALOGUE must outlive it. NULL and ERR if nothing can be written. The caller frees.
struct track_events *track_events_new(const char *path, uint64_t max_bytes,
                                      const struct definitions *definitions,
                                      const struct catalogue *catalogue, struct error *err);
/// Removes what was written, unless track_events_finish() was successful.
void track_events_free(struct track_events *events);

/// What it is told of the replay, and a matcher_listener, whose context is EVENTS.
struct pag_listener track_events_listener(struct track_events *events);
void track_events_waited(void *events, const struct matcher_instance *instance);

/// What all ranks do over time, on tracks of their own: by columns of equal width, the last one to
/// the end of the run.
struct track_strips {
    size_t n_columns;
    uint64_t column_ns, end_ns;
    struct track_strip {
        const char *name, *unit;
        const double *values; // by column
    } * counters;
    size_t n_counters;
    const char *const *phases; // names
    const int *phase_of;       // by column; -1: none
    size_t n_phases;
};

/// After the replay, once.
void track_events_put_strips(struct track_events *events, const struct track_strips *strips);

/// After the replay: the files are whole. 0, or -1 and ERR, also for any write before.
int track_events_finish(struct track_events *events, const struct pag_result *replay,
                        struct error *err);

// --- hand_overs.c
// The hand-overs of a replay, kept in a file without name until it is known which of them are on
// the critical path. Memory does not grow with their number.

struct hand_overs;

/// The file is in FOLDER. NULL and ERR if there can be none. The caller frees.
struct hand_overs *hand_overs_new(const char *folder, size_t n_locations, struct error *err);
void hand_overs_free(struct hand_overs *hand_overs);

/// As listener.handed_over; a failure is told by hand_overs_walk().
uint64_t hand_overs_add(struct hand_overs *hand_overs, const struct pag_hand_over *hand_over);

/// LOCATION is on the critical path from BEGIN_NS to END_NS.
typedef void path_part(void *context, uint32_t location, uint64_t begin_ns, uint64_t end_ns);

/// The critical path that ends with the hand-over LAST, in the order of time: the parts follow each
/// other from 0 to END_NS. Once. 0, or -1 and ERR.
int hand_overs_walk(struct hand_overs *hand_overs, uint64_t last, uint64_t end_ns, path_part *part,
                    void *context, struct error *err);
