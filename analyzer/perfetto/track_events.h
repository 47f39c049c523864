// SPDX-License-Identifier: BSD-3-Clause
// A measured run as tracks for Perfetto's viewer, written while it is replayed: for each node,
// rank and thread its regions as slices, messages as flows between them, wait states, counters; and
// the critical path. Times are nanoseconds since the run's first event.
#pragma once

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

/// As struct pag_listener has them.
void track_events_entered(struct track_events *events, const struct pag_entered *entered);
void track_events_left(struct track_events *events, uint32_t location, uint64_t time_ns);
void track_events_counted(struct track_events *events, uint32_t location, uint64_t time_ns,
                          uint32_t counter, double growth);
void track_events_message(struct track_events *events, const struct pag_message *message);
uint64_t track_events_handed_over(struct track_events *events,
                                  const struct pag_hand_over *hand_over);
/// The same of a matcher.
void track_events_waited(struct track_events *events, const struct matcher_instance *instance);

/// After the replay: the files are whole. 0, or -1 and ERR, also for any write before.
int track_events_finish(struct track_events *events, const struct pag_result *replay,
                        struct error *err);
