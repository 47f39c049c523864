// SPDX-License-Identifier: BSD-3-Clause
// One prediction: a simulated run of the measured one.
#pragma once

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/result/whatif.h"
#include "analyzer/simulation/scenario.h"

/// What a prediction is made from.
struct whatif_input {
    const struct replay_run *measured;
    const struct catalogue *catalogue; // for wait states and critical path; NULL: without
    const char *out;                   // the predicted run is written there; NULL: it is not
    struct timeline *timeline;         // to be filled, with a catalogue only; NULL: none
    const char *change;                // with `out`: what is different, in words
    bool is_quiet;                     // no progress bar
    bool finds_path;                   // the critical path is wanted even without a catalogue
};

/// Simulates the run of INPUT under SCENARIO into RUN, and describes it in each of the N POINTS. 0,
/// or -1 and ERR; the caller releases RUN and POINTS in either case.
int whatif_predict(const struct whatif_input *input, const struct scenario *scenario,
                   struct replay_run *run, struct whatif_point *points, size_t n,
                   struct error *err);

/// RUN, opened, is to be written to DIRECTORY when it has been simulated. 0, or -1 and ERR.
int whatif_out_prepare(const char *directory, struct replay_run *run, struct error *err);

/// Writes RUN, simulated under SCENARIO; CHANGE says in words what that changes. 0, or -1 and ERR.
int whatif_out_write(const char *directory, const struct replay_run *run,
                     const struct scenario *scenario, const char *change, struct error *err);
