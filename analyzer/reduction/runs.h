// SPDX-License-Identifier: BSD-3-Clause
// Runs a launch line untraced and traced, to see what tracing costs it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/reduction/profile.h"

struct reduce_runs {
    char **line;            // the launch line, up to NULL
    uint64_t n_repetitions; // of each run
    char *dir;              // of outputs and traces
    bool is_own_dir;        // it was made for these runs and is removed after them
};

/// Makes the folder DIR, which must not be there yet, NULL: one of its own in the working folder.
/// 0, or -1 and ERR.
int reduce_runs_begin(struct reduce_runs *runs, const char *dir, struct error *err);
/// Removes a folder of its own unless KEEPS, and frees what is in RUNS.
void reduce_runs_end(struct reduce_runs *runs, bool keeps);

/// Runs the line untraced; *WALL_NS is the shortest time. 0, or -1 and ERR: it failed, or the call
/// was interrupted.
int reduce_runs_untraced(const struct reduce_runs *runs, uint64_t *wall_ns, struct error *err);

/// The same under the tracer, with the filter file FILTER unless it is NULL; the trace of the first
/// run is left in DIR/NAME, and PROFILE (to be released) is of it.
int reduce_runs_traced(const struct reduce_runs *runs, const char *name, const char *filter,
                       struct reduce_profile *profile, uint64_t *wall_ns, struct error *err);
