// SPDX-License-Identifier: BSD-3-Clause
// Predictions from a text trace, reduced to what can be compared with a simulation by hand.
#ifndef PAGODA_TESTS_REFERENCE_PREDICTED_TIMES_H
#define PAGODA_TESTS_REFERENCE_PREDICTED_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "tests/reference/engine_run.h"

struct predicted_rank {
    uint64_t first_ns, finish_ns, outside_ns, wait_ns, overhead_ns;
};

struct predicted_times {
    uint64_t time_ns, measured_ns, critical_path_ns, n_forced;
    struct predicted_rank *ranks;
    uint64_t *measured_finish_ns; // by rank
    size_t n_ranks;
};

/// RUN under SETTINGS. 0, or -1 and ERR; the caller releases TIMES in either case.
int predicted_times_of(const struct engine_run *run, const struct scenario_settings *settings,
                       struct predicted_times *times, struct error *err);

/// The run of TEXT under each of N settings. 0, or -1 and ERR; the caller releases each of TIMES in
/// either case.
int predicted_times(const char *text, const struct scenario_settings *settings, size_t n,
                    struct predicted_times *times, struct error *err);
void predicted_times_release(struct predicted_times *times);

#endif
