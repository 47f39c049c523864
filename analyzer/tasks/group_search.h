// SPDX-License-Identifier: BSD-3-Clause
// Sizes of groups of processes: those with which tasks that run at the same time are done first,
// and those of several phases where a change of sizes costs time.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// N tasks on at most N_PROCESSES together, task i on LEAST[i] to MOST[i] of them.
struct group_search {
    size_t n, n_processes;
    const size_t *least, *most;
    /// Seconds of a task on SIZE processes: any function, not NAN; INFINITY: impossible.
    double (*time)(void *context, size_t task, size_t size);
    /// Seconds of what follows where the smallest group is SMALLEST; NULL: does not depend on it.
    double (*exchange)(void *context, size_t smallest);
    void *context;
};

/// The SIZES with the smallest largest time and exchange, exactly; each size is the smallest one
/// with which its task is no later than that. Returns this time, INFINITY if there are not enough
/// processes.
double group_search(const struct group_search *search, size_t *sizes);

/// Of N_PHASES phases of the same N tasks.
struct phase_search {
    size_t n_phases, n, n_processes;
    const size_t *least, *most; // of the tasks in any phase
    /// Seconds of PHASE when its tasks have SIZES.
    double (*time)(void *context, size_t phase, const size_t *sizes);
    void *context;
    double change_s;       // of sizes between two phases
    const size_t *optimal; // the sizes each phase would choose alone, phase by phase
};

struct phase_sizes {
    double time_s;   // with changes
    double kept_s;   // with the best sizes that never change
    bool is_optimal; // all sizes were tried; else the optimal ones of each phase only
};

/// The SIZES of all phases, N numbers each, with the least time.
struct phase_sizes phase_search(const struct phase_search *search, size_t *sizes);
