// SPDX-License-Identifier: BSD-3-Clause
// Call tree and times of one location.
#ifndef PAGODA_PAG_PROFILE_H
#define PAGODA_PAG_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/map.h"

struct definitions;
struct engine;
struct location_state;

/// A node of a location's call tree, one cache line. A call path is one node for each place in the
/// source it is called from; names alone tell paths apart only where results are put together.
struct path {
    uint64_t exclusive_ns;
    uint64_t mark_ns; // exclusive_ns when the open leaf of the lineage began (if epoch matches)
    uint32_t epoch;   // of the open leaf that touched this path last
    uint32_t last_child_region; // the child found last, to skip the look-up
    uint32_t last_child_context;
    uint32_t last_child; // of an MPI call with a context perhaps a grandchild
    uint32_t region;     // NONE: the location itself, or a stretch
    uint32_t context;    // of an MPI call: where it is in the source, NONE when unknown; the next
                         // node is the stretch before it then
    uint64_t visits;
    uint64_t inclusive_ns;
    uint32_t parent;
    uint16_t depth;
    bool is_stretch; // time in `parent` that ended with a call of the node before this one;
                     // inclusive_ns is the longest of them, last_child the call before it or NONE
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
    struct map calls;    // (path, region, context) -> path
    uint32_t current;    // path
    uint32_t left_call;  // the MPI call that the present stretch began with, NONE when it did not
    uint64_t last_ns;    // time is accounted up to here
    uint64_t n_unbalanced;
};

void profile_init(struct profile *profile);
void profile_release(struct profile *profile);
void profile_enter(struct location_state *location, uint32_t region, uint64_t time_ns);
/// The child of PARENT for REGION, made if it is new; PARENT itself where there is no room for it.
uint32_t profile_child(struct profile *profile, uint32_t parent, uint32_t region);
/// The same as profile_enter() for an MPI call from CONTEXT: the functions of the context that are
/// not open yet come between, and the time since the location's last event goes to the stretch
/// before the call.
void profile_enter_call(const struct definitions *definitions, struct location_state *location,
                        uint32_t region, uint32_t context, uint64_t time_ns);
/// The path that the time up to such a call goes to, while it is not entered yet.
uint32_t profile_before_call(const struct definitions *definitions, struct location_state *location,
                             uint32_t region, uint32_t context);
/// Closes the innermost open instance of REGION (and what was left open inside it).
void profile_leave(struct location_state *location, uint32_t region, uint64_t time_ns);
/// Moves up to NS of what the open leaf of LOCATION's lineage has spent at the path FROM to TO, a
/// visit of that. What was moved: less if it has not spent so much.
uint64_t profile_move(struct location_state *location, uint32_t from, uint32_t to, uint64_t ns);
/// The open leaf of the location's lineage begins to count PATH (profile_account() in engine.h).
void profile_touch(struct location_state *location, struct path *path, uint32_t index);

#endif
