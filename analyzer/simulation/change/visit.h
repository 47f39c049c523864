// SPDX-License-Identifier: BSD-3-Clause
// Visits of regions whose work is set, or counted, in simulated time. A visit may be
// part of a computation between two MPI calls, or go over many of them.
#ifndef PAGODA_SIMULATION_CHANGE_VISIT_H
#define PAGODA_SIMULATION_CHANGE_VISIT_H

#include <stdbool.h>
#include <stdint.h>

struct computation;
struct engine;
struct location_state;
struct visit;

void visit_release(struct visit *visit);

/// Whether visits are set or counted in this run.
bool visit_has_any(const struct engine *engine);

/// LOCATION is at PATH: a visit may begin. True when one did.
bool visit_begin(const struct engine *engine, const struct location_state *location, uint32_t path);

/// NS of wall time passed in part PART of the computation. True when they belong to a visit whose
/// work is set, so that they are no work of their own.
bool visit_pass(struct computation *computation, uint32_t part, uint64_t ns);

/// How much more or less a part of the computation counts now, in millionths, with SCALE of its
/// path.
uint64_t visit_weight(const struct visit *visit, uint64_t scale);

/// Ends the open visit, if there is one: computation.work is increased by what it has still to do.
void visit_end(const struct engine *engine, struct location_state *location);
/// The same if the call stack is no longer inside it.
void visit_end_if_left(const struct engine *engine, struct location_state *location);

/// All of the computation is read, and its times are known: an open visit gets its part of the
/// work, and those are counted that are over.
void visit_close_computation(const struct engine *engine, struct location_state *location);

#endif
