// SPDX-License-Identifier: BSD-3-Clause
// What the analyzer makes of a run, measured once and then simulated under any settings, and what
// it predicts.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/trace/definitions.h"
#include "tests/reference/predicted_run.h"
#include "tests/reference/program.h"

/// Replays TRACE as it was recorded: what predictions go by, which the caller frees; NULL and ERR.
/// The caller releases RESULT in either case.
struct recorded *measure(struct trace *trace, struct pag_result *result, struct error *err);

/// An archive in a scratch directory, replayed once as it was recorded.
struct engine_run;

/// The run of a text trace; NULL and ERR when it cannot be read. The caller releases it.
struct engine_run *engine_run_new(const char *text, struct error *err);
void engine_run_free(struct engine_run *run);

/// Its folder for files of its own, its definitions and what the measured replay found.
const char *engine_run_scratch(const struct engine_run *run);
const struct definitions *engine_run_definitions(const struct engine_run *run);

/// On an ideal network: when each rank ends, and how long the window takes. And how long it took,
/// with the useful time of the busiest rank in it.
struct engine_ideal {
    uint64_t finish_ns[PROGRAM_MAX_RANKS];
    uint64_t ideal_ns, window_ns, max_useful_ns;
};
int engine_run_ideal(const struct engine_run *run, struct engine_ideal *ideal, struct error *err);

/// The machine of SCENARIO as a user gives it, an XML file.
void engine_machine_write(const struct predicted_scenario *scenario, FILE *stream);

/// When each rank ends under SCENARIO, into FINISH_NS by rank. 0, or -1 with ERR, also when the
/// critical path does not sum to the run time, or the times of a rank not to its life.
int engine_run_predict(const struct engine_run *run, const struct predicted_scenario *scenario,
                       uint64_t *finish_ns, struct error *err);

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
