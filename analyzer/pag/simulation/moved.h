// SPDX-License-Identifier: BSD-3-Clause
// Tells the listener of a simulated run where the events of a location went (pag_moved in pag.h).
#ifndef PAGODA_PAG_SIMULATION_MOVED_H
#define PAGODA_PAG_SIMULATION_MOVED_H

#include <stdint.h>

struct engine;
struct location_state;

/// LOCATION's interval outside MPI ended at NOW_NS.
void moved_tell_outside(const struct engine *engine, const struct location_state *location,
                        uint64_t now_ns);

/// LOCATION's open call was left at NOW_NS; its last event was recorded at RECORDED_END_NS.
void moved_tell_call(const struct engine *engine, const struct location_state *location,
                     uint64_t recorded_end_ns, uint64_t now_ns);

/// A single event of LOCATION, recorded at RECORDED_NS, happened at NOW_NS.
void moved_tell_event(const struct engine *engine, const struct location_state *location,
                      uint64_t recorded_ns, uint64_t now_ns);

#endif
