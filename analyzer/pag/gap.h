// SPDX-License-Identifier: BSD-3-Clause
// Stretches in which recording was off (OTF2's MeasurementOnOff): a region of their own in the
// profile, and neither computing nor MPI.
#ifndef PAGODA_PAG_GAP_H
#define PAGODA_PAG_GAP_H

#include <stdint.h>

#include "analyzer/trace/event.h"

struct engine;
struct location_state;

/// EVENT is EVENT_MEASUREMENT_OFF or _ON and comes outside MPI calls. Repeated ones change nothing.
void gap_event(struct engine *engine, struct location_state *location, const struct event *event,
               uint64_t time_ns);

/// Leaves REGION; if recording is off and the region was entered before that, the gap stays open
/// around it.
void gap_leave(struct engine *engine, struct location_state *location, uint32_t region,
               uint64_t time_ns);

/// The location ends: so does its gap.
void gap_end(struct engine *engine, struct location_state *location, uint64_t time_ns);

#endif
