// SPDX-License-Identifier: BSD-3-Clause
// Predictions from a measured run.
#ifndef PAGODA_CMD_WHATIF_RUN_H
#define PAGODA_CMD_WHATIF_RUN_H

#include "analyzer/base/error.h"
#include "analyzer/cmd/replay_run.h"
#include "analyzer/cmd/whatif/options.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/whatif.h"

/// Checks PLAN against the run in MEASURED, opened but perhaps not replayed. 0, or -1 and ERR.
int whatif_check(const struct whatif_plan *plan, const struct replay_run *measured,
                 struct error *err);

/// The machine of SET, one of PLAN, and its settings on it. 0, or -1 and ERR; the caller releases
/// MACHINE, which must outlive SETTINGS.
int whatif_prepare(const struct whatif_plan *plan, const struct whatif_set *set,
                   struct scenario_settings *settings, struct machine *machine, struct error *err);

struct whatif_wishes {
    const char *out;    // where a single predicted run is written as an archive; NULL: it is not
    bool keeps_results; // those of all points of a list, for a database
};

/// Predicts every point of PLAN from MEASURED, replayed with its costs gathered; a single one with
/// its wait states and critical path, more as WISHES say. 0, or -1 and ERR; the caller releases
/// REPORT in either case.
int whatif_run(const struct whatif_plan *plan, const char *trace, const struct catalogue *catalogue,
               const struct replay_run *measured, const struct whatif_wishes *wishes,
               struct whatif_report *report, struct error *err);

/// Predicts the first point of PLAN from MEASURED without a word on the terminal; several threads
/// may at once. Without a CATALOGUE for its run time only; else RESULT is what a database keeps of
/// it, which the caller releases. 0, or -1 and ERR; the caller releases POINT in either case.
int whatif_run_quietly(const struct whatif_plan *plan, const char *trace,
                       const struct replay_run *measured, const struct catalogue *catalogue,
                       struct whatif_point *point, struct result *result, struct error *err);

/// The run MEASURED with nothing changed, quietly likewise: RUN's replay has its critical path. The
/// caller releases RUN and POINT in either case.
int whatif_run_unchanged(const struct replay_run *measured, struct replay_run *run,
                         struct whatif_point *point, struct error *err);

/// What a prediction is made from.
struct whatif_input {
    struct trace *trace; // of the measured run
    const struct recorded *recorded;
    const struct catalogue *catalogue; // for wait states and critical path; NULL: without
    const char *out;                   // the predicted run is written there; NULL: it is not
    const char *change;                // with `out`: what is different, in words
    bool is_quiet;                     // no progress bar
    bool finds_path;                   // the critical path is wanted even without a catalogue
};

/// Simulates the run of INPUT under SETTINGS into RUN; POINT gets what is said about it. 0, or -1
/// and ERR; the caller releases RUN and POINT in either case.
int whatif_predict(const struct whatif_input *input, const struct scenario_settings *settings,
                   struct replay_run *run, struct whatif_point *point, struct error *err);

#endif
