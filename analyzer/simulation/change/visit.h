// SPDX-License-Identifier: BSD-3-Clause
// Visits of regions whose work is set, or counted, in simulated time. A visit may be
// part of a computation between two MPI calls, or go over many of them.
#ifndef PAGODA_SIMULATION_CHANGE_VISIT_H
#define PAGODA_SIMULATION_CHANGE_VISIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"

struct engine;
struct computation;
struct location_state;

/// Visits that are over, and whose work is told when that of the computation is known.
struct visits_over {
    int32_t kind;
    uint64_t n_visits, wall_ns; // wall time in this computation
    pag_work before;            // work before it
};

/// The visit a location is in.
struct visit {
    int32_t kind;     // positive: its work is set; negative: it is counted; 0: none
    size_t depth;     // of the call stack inside it, at least
    uint32_t path;    // where it began
    bool is_going_on; // work of an earlier computation belongs to it
    uint64_t wall_ns; // in this computation
    uint64_t scale;   // by which its work changes, about, millionths
    bool is_scaled;   // times the scale of its paths
    pag_work before;  // work before this computation
    uint32_t *parts;  // of the computation that it has touched
    size_t n_parts, part_capacity;
    struct visits_over *over;
    size_t n_over, over_capacity;
};

void visit_release(struct visit *visit);

/// Whether visits are set or counted in this run.
bool visit_has_any(const struct engine *engine);

/// LOCATION is at PATH: a visit may begin. True when one did.
bool visit_begin(const struct engine *engine, const struct location_state *location,
                 struct computation *computation, uint32_t path);

/// NS of wall time passed in part PART of the computation. True when they belong to a visit whose
/// work is set, so that they are no work of their own.
bool visit_pass(struct computation *computation, uint32_t part, uint64_t ns);

/// How much more or less a part of the computation counts now, in millionths, with SCALE of its
/// path.
uint64_t visit_weight(const struct visit *visit, uint64_t scale);

/// Ends the open visit, if there is one: *SET_WORK is increased by what it has still to do.
void visit_end(const struct engine *engine, struct location_state *location,
               struct computation *computation, pag_work *set_work);
/// The same if the call stack is no longer inside it.
void visit_end_if_left(const struct engine *engine, struct location_state *location,
                       struct computation *computation, pag_work *set_work);

/// All of the computation is read; its process time is PROCESS_NS of WALL_NS: an open visit gets
/// its part of the work, and those are counted that are over.
void visit_close_computation(const struct engine *engine, struct location_state *location,
                             struct computation *computation, uint64_t process_ns, uint64_t wall_ns,
                             pag_work *set_work);

#endif
