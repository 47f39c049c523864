// SPDX-License-Identifier: BSD-3-Clause
// A sweep by Slurm job arrays: the tasks run the points and leave result files, the driver waits
// for these and stores.
#ifndef PAGODA_SWEEP_RUN_BATCH_H
#define PAGODA_SWEEP_RUN_BATCH_H

#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/sweep/run/state.h"

/// Submits what is to be run and has no task in the queue yet, and takes points as they end. Tasks
/// outlive an interrupted driver, and the next call waits for them. 0; 1: it ended early; -1 and
/// ERR.
int sweep_batch_run(struct sweep_run *run, struct error *err);

/// In a task: runs point NUMBER (from 1) and leaves its result. 0, or -1 and ERR.
int sweep_batch_leave(const struct sweep_setting *setting, size_t number, struct error *err);

#endif
