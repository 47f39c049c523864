// SPDX-License-Identifier: BSD-3-Clause
// Tells the listener of a simulated run where the events of a location went (pag_moved in pag.h).
#pragma once

#include <stdint.h>

struct engine;
struct event;
struct location_state;

/// The number, from 0 on among the events of LOCATION, of EVENT, a record of its open call;
/// PAG_NOT_KNOWN when no listener takes changes.
uint64_t moved_number(const struct engine *engine, const struct location_state *location,
                      const struct event *event);

/// The same of the begin of the collective operation whose end EVENT is, else PAG_NOT_KNOWN.
uint64_t moved_begin_number(const struct engine *engine, const struct location_state *location,
                            const struct event *event);

/// The event of LOCATION with this number (PAG_NOT_KNOWN: none) is left out.
void moved_tell_left_out(const struct engine *engine, uint32_t location, uint64_t number);

/// LOCATION's computation outside MPI ended at NOW_NS.
void moved_tell_outside(const struct engine *engine, const struct location_state *location,
                        uint64_t now_ns);

/// LOCATION's open call was left at NOW_NS; its last event was recorded at RECORDED_END_NS.
void moved_tell_call(const struct engine *engine, const struct location_state *location,
                     uint64_t recorded_end_ns, uint64_t now_ns);

/// A single event of LOCATION, recorded at RECORDED_NS, happened at NOW_NS.
void moved_tell_event(const struct engine *engine, const struct location_state *location,
                      uint64_t recorded_ns, uint64_t now_ns);
