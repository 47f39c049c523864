// SPDX-License-Identifier: BSD-3-Clause
// One prediction: its settings, and a simulated run of the measured one.
#ifndef PAGODA_WHATIF_PREDICT_H
#define PAGODA_WHATIF_PREDICT_H

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/result/whatif.h"
#include "analyzer/whatif/options.h"

/// The machine of SET, one of PLAN, and its settings on it. 0, or -1 and ERR; the caller releases
/// MACHINE, which must outlive SETTINGS.
int whatif_prepare(const struct whatif_plan *plan, const struct whatif_set *set,
                   struct scenario_settings *settings, struct machine *machine, struct error *err);

/// Nothing changed; but the way ranks wait is that of the recording, whatever PLAN says it.
struct scenario_settings whatif_nothing_changed(const struct whatif_plan *plan);

/// What a prediction is made from.
struct whatif_input {
    struct trace *trace; // of the measured run
    const struct recorded *recorded;
    const struct catalogue *catalogue; // for wait states and critical path; NULL: without
    const char *out;                   // the predicted run is written there; NULL: it is not
    const char *change;                // with `out`: what is different, in words
    const struct visits *visits;       // whose work the settings set; NULL: none
    bool is_quiet;                     // no progress bar
    bool finds_path;                   // the critical path is wanted even without a catalogue
};

/// Simulates the run of INPUT under SETTINGS into RUN; POINT gets what is said about it. 0, or -1
/// and ERR; the caller releases RUN and POINT in either case.
int whatif_predict(const struct whatif_input *input, const struct scenario_settings *settings,
                   struct replay_run *run, struct whatif_point *point, struct error *err);

#endif
