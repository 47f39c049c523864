// SPDX-License-Identifier: BSD-3-Clause
// Runs the points of a sweep, one after the other or as batch jobs; each is traced, replayed and
// stored as soon as it ends. What is stored is not run again, so that the same sweep goes on after
// any interruption.
#ifndef PAGODA_CMD_SWEEP_RUN_H
#define PAGODA_CMD_SWEEP_RUN_H

#include "analyzer/base/error.h"
#include "analyzer/cmd/sweep/driver.h"

/// Checks the options of all points that are predictions, skipped ones left out. 0, or -1 and ERR:
/// those of one are wrong.
int sweep_check_predictions(const struct sweep_setting *setting, struct error *err);

/// What there is to do; runs nothing. 0, or -1 and ERR. The caller releases REPORT in either case.
int sweep_look(const struct sweep_setting *setting, struct sweep_report *report, struct error *err);

/// Runs what is not stored. A point that fails is told on stderr and does not end the sweep. 0, or
/// -1 and ERR: the sweep cannot go on. The caller releases REPORT in either case.
int sweep_run(const struct sweep_setting *setting, struct sweep_report *report, struct error *err);

#endif
