// SPDX-License-Identifier: BSD-3-Clause
// Regions that compute faster or slower (--scale REGION=F, and <region> of a machine file or of
// --speeds), and what that makes of call paths: by which mark changes know each, how its work is
// scaled, and what it has of the computation that its location is in.
#pragma once

#include "analyzer/simulation/state.h"

/// Reads the factors of SCENARIO's settings, and of their machine and speeds. 0, or -1 and ERR.
int region_scales_init(struct scenario *scenario, struct error *err);
void region_scales_release(struct region_scales *scales);

/// What PATH of LOCATION is known by (region_pattern.h).
uint64_t path_mark(const struct engine *engine, const struct location_state *location,
                   uint32_t path);

/// The patterns (region_pattern.h), a bit each, that name what LOCATION computes at a path with
/// MARK where it is.
uint64_t path_inside(const struct engine *engine, const struct location_state *location,
                     uint64_t mark);

/// What TIME of LOCATION's open call becomes: changed if it is a call for a file.
pag_work file_time(const struct engine *engine, const struct location_state *location,
                   pag_work time);

/// The kind of visit whose work SCENARIO sets (set_work.h) that what patterns INSIDE name is part
/// of at LOCATION; 0: none.
int32_t path_visit_kind(const struct scenario *scenario, uint32_t location, uint64_t inside);

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
