// SPDX-License-Identifier: BSD-3-Clause
// The work of a location between two MPI calls, in simulated time.
#ifndef PAGODA_SIMULATION_COMPUTATION_H
#define PAGODA_SIMULATION_COMPUTATION_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/location/location.h"
#include "analyzer/pag/pag.h"
#include "analyzer/simulation/change/visit.h"
#include "analyzer/trace/event.h"

struct engine;
struct location_state;

/// What one call path had of the recorded computation.
struct computation_part {
    uint32_t path;
    uint64_t recorded_ns; // but what belongs to visits whose work is set:
    uint64_t visit_ns;    // of the one that is open
    pag_work work;        // set for them
    uint64_t scale;       // millionths
    uint32_t moves;       // that name it, bits
    bool is_moved;        // another rank does it
};

/// What is done with a call path, beside scaling its work.
struct path_change {
    uint32_t moves; // moves of its work that name it, bits (move.h)
    bool overlaps;  // its MPI calls are waited for later (overlap.h)
};

/// How a path's work is scaled, and what else is done with it, if some are named.
struct path_scale {
    uint64_t mark;
    uint64_t scale; // millionths
    struct path_change change;
};

/// The computation a location is in. Its private events are read when it begins; its length is
/// known when its work is done.
struct computation {
    uint64_t begin_ns;              // simulated
    uint64_t recorded_begin_ns;     // the same place in the recording
    uint64_t recorded_now_ns;       // read up to here
    uint64_t left_ps;               // of costs of visits, less than 1 ns
    uint64_t n_events;              // read
    struct computation_part *parts; // in the order of their first touch
    uint32_t n_parts;
    size_t parts_capacity;
    uint32_t *part_of_path; // index into parts; only where that part names the path
    size_t part_of_path_capacity, n_part_of_path;
    struct path_scale *scales; // of the paths seen so far
    size_t scale_capacity, n_scales;
    struct visit visit;
    bool has_set_work;                // some part has
    uint64_t recorded_ns, process_ns; // its recorded length, its process time
    pag_work own_work, arrived_work;  // of its parts that are not moved; moved here
    uint32_t arrived_path;            // of the latter
    uint64_t n_arrived;               // visits of that
    bool is_stretch_over;             // the computing before the call that is next has been a visit
    uint64_t lost_ns;                 // by which its process time is less than its wall time
    struct cpu_span cpu;
};

void computation_release(struct computation *computation);

/// Reads the private events of LOCATION, whose simulated time is BEGIN_NS and whose recorded one is
/// RECORDED_NS, up to the event that ends the computation (not consumed; NULL at the location's
/// end). *WORK is the process time until then: of CPU samples where the archive has them, wall time
/// for the rest, times the scale of the regions it was spent in, or what is set for visits; less
/// what another rank does of it, and what this one does for others (move.h).
const struct event *computation_read(struct engine *engine, struct location_state *location,
                                     struct computation *computation, uint64_t begin_ns,
                                     uint64_t recorded_ns, pag_work *work);

/// Work of PART of a computation that has been read, moved or not.
pag_work computation_part_work(const struct computation *computation,
                               const struct computation_part *part);
/// What PATH is known by (region_pattern.h).
uint64_t computation_mark(const struct engine *engine, const struct location_state *location,
                          struct computation *computation, uint32_t path);
/// The index among COMPUTATION's parts of that of PATH, made when it is new.
uint32_t computation_part_of(const struct engine *engine, struct location_state *location,
                             struct computation *computation, uint32_t path);

/// The computation ended at END_NS: its length is shared among its call paths like their work,
/// rounded so that the sum is exact.
void computation_close(const struct engine *engine, struct location_state *location,
                       struct computation *computation, uint64_t end_ns);

/// What is done with PATH of LOCATION.
struct path_change computation_change(struct engine *engine, struct location_state *location,
                                      uint32_t path);

#endif
