// SPDX-License-Identifier: BSD-3-Clause
// What a prediction makes of call paths: by which mark changes know them, how their work is scaled,
// and what each has of the computation that its location is in.
#ifndef PAGODA_SIMULATION_PATH_SCALE_H
#define PAGODA_SIMULATION_PATH_SCALE_H

#include "analyzer/simulation/state.h"

/// What PATH of LOCATION is known by (region_pattern.h).
uint64_t path_mark(const struct engine *engine, const struct location_state *location,
                   uint32_t path);

/// A new part of LOCATION's computation, for PATH: its index.
uint32_t path_add_part(const struct engine *engine, const struct location_state *location,
                       uint32_t path);

/// The index among the parts of LOCATION's computation of that of PATH, made when it is new.
static inline uint32_t path_part(const struct engine *engine, const struct location_state *location,
                                 uint32_t path)
{
    const struct computation *computation = &simulated_location(engine, location)->computation;
    if (path < computation->n_part_of_path) {
        uint32_t place = computation->part_of_path[path];
        if (place < computation->n_parts && computation->parts[place].path == path)
            return place;
    }
    return path_add_part(engine, location, path);
}

#endif
