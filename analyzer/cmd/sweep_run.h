// SPDX-License-Identifier: BSD-3-Clause
// Runs the points of a sweep one after the other; each is traced, replayed and stored as soon as it
// ends. What is stored is not run again, so that the same sweep goes on after any interruption.
#ifndef PAGODA_CMD_SWEEP_RUN_H
#define PAGODA_CMD_SWEEP_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/sweep/plan.h"

struct sweep_setting {
    const char *database;
    const char *application; // NULL: the program's name
    const char *experiment;
    const char *dir;         // folder of the points
    uint64_t point_limit_ns; // 0: none
    uint64_t limit_ns;       // of the whole sweep, 0: none
    bool retries_failed;     // points that failed in an earlier call too
    bool keeps_no_traces;    // archives are removed when they are stored
};

/// What became of a point.
enum sweep_state {
    SWEEP_TO_RUN,
    SWEEP_STORED,  // also in an earlier call
    SWEEP_FAILED,  // the program failed, or its trace cannot be read
    SWEEP_TOO_LONG // over the limit of a point
};

struct sweep_outcome {
    size_t n_points, n_stored_before, n_stored, n_failed;
    bool is_interrupted, is_over_limit; // the sweep ended early
};

/// Prints each point with its state and its command; runs nothing. 0, or -1 and ERR.
int sweep_show(const struct sweep_plan *plan, const struct sweep_setting *setting,
               struct error *err);

/// Runs what is not stored. A point that fails is told on stderr and does not end the sweep. 0, or
/// -1 and ERR: the sweep cannot go on.
int sweep_run(const struct sweep_plan *plan, const struct sweep_setting *setting,
              struct sweep_outcome *outcome, struct error *err);

#endif
