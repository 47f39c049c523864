// SPDX-License-Identifier: BSD-3-Clause
// Time of a location without CPU time becomes a part of its profile.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/location/location.h"

/// An interval outside MPI begins; it ends and is accounted, or never (recording off).
static inline void without_cpu_begin(struct profile *profile, uint64_t time_ns)
{
    struct without_cpu *account = &profile->without_cpu;
    cpu_span_begin(&account->span);
    account->begin_ns = time_ns;
    account->n_segments = 0;
}

/// The open interval ends at TIME_NS and has CPU samples. Whether it lost time: then its segments
/// say how much, and that has been moved in the profile.
bool without_cpu_outside(struct profile *profile, uint64_t time_ns);

/// The child of PATH for its time without CPU time: for what is known to be blocked, or the rest.
uint32_t without_cpu_path(struct profile *profile, uint32_t path, bool is_blocked);

/// The open call has been settled and its time accounted, up to its leave. Whether it lost time:
/// LOST then says when, and it has been moved in the head.
bool without_cpu_in_call(struct location_state *location, struct cpu_segment *lost);
