// SPDX-License-Identifier: BSD-3-Clause
// Call tree and times of one location.
#ifndef PAGODA_PAG_LOCATION_PROFILE_H
#define PAGODA_PAG_LOCATION_PROFILE_H

#include <stdint.h>

#include "analyzer/pag/location/cpu_span.h"
#include "analyzer/pag/location/location.h"

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
/// The open leaf of the location's lineage begins to count PATH.
void profile_touch(struct location_state *location, struct path *path, uint32_t index);

/// Accounts the time since the location's last event to a path. The hot path of a replay.
static inline void profile_account_to(struct location_state *location, uint32_t index,
                                      uint64_t time_ns)
{
    struct profile *profile = &location->profile;
    struct path *path = &profile->paths[index];
    uint64_t passed_ns = time_ns - profile->last_ns;
    if (path->epoch != location->head.epoch)
        profile_touch(location, path, index);
    if (__builtin_expect(passed_ns >= CPU_SEGMENT_NS, 0))
        cpu_segment_note(&location->without_cpu, index, profile->last_ns, time_ns);
    path->exclusive_ns += passed_ns;
    profile->last_ns = time_ns;
}

/// The same to its current path.
static inline void profile_account(struct location_state *location, uint64_t time_ns)
{
    profile_account_to(location, location->profile.current, time_ns);
}

#endif
