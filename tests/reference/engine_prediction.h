// SPDX-License-Identifier: BSD-3-Clause
// What the analyzer predicts for a run.
#ifndef PAGODA_TESTS_REFERENCE_ENGINE_PREDICTION_H
#define PAGODA_TESTS_REFERENCE_ENGINE_PREDICTION_H

#include "analyzer/base/error.h"
#include "tests/reference/engine_run.h"
#include "tests/reference/predicted_run.h"

/// When each rank ends under SCENARIO, into FINISH_NS by rank. 0, or -1 with ERR.
int engine_run_predict(const struct engine_run *run, const struct predicted_scenario *scenario,
                       uint64_t *finish_ns, struct error *err);

#endif
