// SPDX-License-Identifier: BSD-3-Clause
// What the analyzer predicts for a run.
#ifndef PAGODA_TESTS_REFERENCE_ENGINE_PREDICTION_H
#define PAGODA_TESTS_REFERENCE_ENGINE_PREDICTION_H

#include "analyzer/base/error.h"
#include "tests/reference/predicted_run.h"

/// An archive in a scratch directory, replayed once as it was recorded.
struct engine_run;

/// The run of a text trace; NULL and ERR when it cannot be read. The caller releases it.
struct engine_run *engine_run_new(const char *text, struct error *err);
void engine_run_free(struct engine_run *run);

/// When each rank ended in the recording, and when each ends under SCENARIO, into FINISH_NS by
/// rank. 0, or -1 with ERR.
void engine_run_recorded(const struct engine_run *run, uint64_t *finish_ns);
int engine_run_predict(const struct engine_run *run, const struct predicted_scenario *scenario,
                       uint64_t *finish_ns, struct error *err);

/// On an ideal network: when each rank ends, and how long the window takes. And how long it took,
/// with the useful time of the busiest rank in it.
struct engine_ideal {
    uint64_t finish_ns[PROGRAM_MAX_RANKS];
    uint64_t ideal_ns, window_ns, max_useful_ns;
};
int engine_run_ideal(const struct engine_run *run, struct engine_ideal *ideal, struct error *err);

#endif
