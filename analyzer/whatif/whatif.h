// SPDX-License-Identifier: BSD-3-Clause
// Predictions from a measured run.
#pragma once

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/result/whatif.h"
#include "analyzer/whatif/options.h"

struct whatif_outputs {
    const char *out;    // where a single predicted run is written as an archive; NULL: it is not
    bool keeps_results; // those of all points of a list, for a database
    struct timeline *timeline; // to be filled with a single predicted run; NULL: none
};

/// Predicts every case of PLAN, completed for MEASURED; a single one with its wait states and
/// critical path, more as OUTPUTS say. 0, or -1 and ERR; the caller releases REPORT in either case.
int whatif_run(struct whatif_plan *plan, const struct catalogue *catalogue,
               const struct replay_run *measured, const struct whatif_outputs *outputs,
               struct whatif_report *report, struct error *err);

/// The run MEASURED with nothing changed but how PLAN, completed for it, says that its ranks wait,
/// without a progress bar, and without what recording cost if PLAN's predictions are: RUN's replay
/// has its critical path. *REPLAYED_NS is its time with that cost, for the replay error. 0, or -1
/// and ERR; the caller releases RUN and POINT in either case.
int whatif_run_unchanged(const struct whatif_plan *plan, const struct replay_run *measured,
                         struct replay_run *run, struct whatif_point *point, uint64_t *replayed_ns,
                         struct error *err);
