// SPDX-License-Identifier: BSD-3-Clause
// Runs the points of a sweep, one after the other or as batch jobs. Each is traced,
// replayed and stored as soon as it ends. Stored points are not run again, so that the same sweep
// continues after any interruption.
#pragma once

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

// By Slurm job arrays (batch.c): the tasks run the points and leave result files, the driver waits
// for these and stores.

/// Submits what is to be run and has no task in the queue yet, and takes points as they end. Tasks
/// outlive an interrupted driver, and the next call waits for them. 0; 1: it ended early; -1 and
/// ERR.
int sweep_batch_run(struct sweep_run *run, struct error *err);

/// In a task: runs point NUMBER (from 1) and leaves its result. 0, or -1 and ERR.
int sweep_batch_leave(const struct sweep_setting *setting, size_t number, struct error *err);
