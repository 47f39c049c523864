// SPDX-License-Identifier: BSD-3-Clause
// Call tree and times of one location.
#ifndef PAGODA_PAG_PROFILE_H
#define PAGODA_PAG_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/map.h"

struct engine;
struct location_state;

/// A node of a location's call tree, one cache line.
struct path {
    uint64_t exclusive_ns;
    uint64_t mark_ns; // exclusive_ns when the open leaf of the lineage began (if epoch matches)
    uint32_t epoch;   // of the open leaf that touched this path last
    uint32_t last_child_region; // the child found last, to skip the look-up
    uint32_t last_child;
    uint32_t region;
    uint64_t visits;
    uint64_t inclusive_ns;
    uint32_t parent;
    uint32_t depth;
};

struct frame {
    uint32_t path;
    uint32_t region;
    uint64_t enter_ns;
};

struct profile {
    struct path *paths;
    size_t n_paths, paths_capacity;
    struct frame *stack;
    size_t depth, stack_capacity;
    struct map children; // (path, region) -> path
    uint32_t current;    // path
    uint64_t last_ns;    // time is accounted up to here
    uint64_t n_unbalanced;
};

void profile_init(struct profile *profile);
void profile_release(struct profile *profile);
void profile_enter(struct location_state *location, uint32_t region, uint64_t time_ns);
/// Closes the innermost open instance of REGION (and what was left open inside it).
void profile_leave(struct location_state *location, uint32_t region, uint64_t time_ns);
/// The open leaf of the location's lineage begins to count PATH (profile_account() in engine.h).
void profile_touch(struct location_state *location, struct path *path, uint32_t index);

#endif
