// SPDX-License-Identifier: BSD-3-Clause
// Runs the points of a sweep, one after the other or as batch jobs (batch.h). Each is traced,
// replayed and stored as soon as it ends. Stored points are not run again, so that the same sweep
// continues after any interruption.
#ifndef PAGODA_SWEEP_RUN_DRIVER_H
#define PAGODA_SWEEP_RUN_DRIVER_H

#include "analyzer/base/error.h"
#include "analyzer/sweep/run/state.h"

/// Checks the options of all points that are predictions, skipped ones left out. 0, or -1 and ERR:
/// those of one are wrong.
int sweep_check_predictions(const struct sweep_setting *setting, struct error *err);

/// What there is to do; runs nothing. 0, or -1 and ERR. The caller releases REPORT in either case.
int sweep_look(const struct sweep_setting *setting, struct sweep_report *report, struct error *err);

/// Runs what is not stored. A failed point is reported on stderr and does not end the sweep. 0, or
/// -1 and ERR: the sweep cannot continue. The caller releases REPORT in either case.
int sweep_carry_out(const struct sweep_setting *setting, struct sweep_report *report,
                    struct error *err);

#endif
