// SPDX-License-Identifier: BSD-3-Clause
// A location of a simulated run outside MPI: the work up to its next call, an event of its threads,
// or its end.
#ifndef PAGODA_SIMULATION_OUTSIDE_H
#define PAGODA_SIMULATION_OUTSIDE_H

#include <stdint.h>

struct engine;
struct location_state;

/// LOCATION is outside MPI from NOW_NS on, which was RECORDED_NS in the recording: reads what it
/// does up to its next call, which the scheduler lets it work.
void outside_begin(struct engine *engine, struct location_state *location, uint64_t now_ns,
                   uint64_t recorded_ns);

/// That work is done: goes on with what comes next.
void outside_is_over(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// LOCATION has no further event.
void outside_end_location(struct engine *engine, struct location_state *location, uint64_t now_ns);

#endif
