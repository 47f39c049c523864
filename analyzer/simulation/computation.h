// SPDX-License-Identifier: BSD-3-Clause
// The work of a location between two MPI calls, in simulated time.
#pragma once

#include <stdint.h>

#include "analyzer/pag/pag.h"

struct computation;
struct engine;
struct event;
struct location_state;

void computation_release(struct computation *computation);

/// Reads the private events of LOCATION, whose simulated time is BEGIN_NS and whose recorded one is
/// RECORDED_NS, up to the event that ends the computation (not consumed; NULL at the location's
/// end). computation.work is the process time until then: of CPU samples where the archive has
/// them, wall time for the rest, times the scale of the regions it was spent in, or what is set for
/// visits; less what another rank does of it, and what this one does for others (move.h).
const struct event *computation_read(struct engine *engine, struct location_state *location,
                                     uint64_t begin_ns, uint64_t recorded_ns);

/// The computation of LOCATION ended at END_NS: its length is shared among its call paths like
/// their work, rounded so that the sum is exact.
void computation_close(const struct engine *engine, struct location_state *location,
                       uint64_t end_ns);
