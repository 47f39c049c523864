// SPDX-License-Identifier: BSD-3-Clause
// What the two ways to run a sweep share, one point after the other (run.c) and by job arrays
// (batch.c): the state of a sweep that goes on, and what is done when a point has ended.
#ifndef PAGODA_CMD_SWEEP_DRIVER_H
#define PAGODA_CMD_SWEEP_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/cmd/sweep/job.h"
#include "analyzer/cmd/sweep/run.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/sweep.h"
#include "db/trials.h"

struct sweep_driver {
    const struct sweep_setting *setting;
    struct sweep_report *report;
    struct catalogue *catalogue;
    struct trial_list stored; // the experiment's trials
    uint64_t begin_ns;
    uint64_t ran_ns; // points run by this call
    size_t n_ran;
};

/// Point NUMBER (from 0) has ended with RESULT: it is stored, or told to have failed. 0, or -1 and
/// ERR: the sweep cannot go on.
int sweep_driver_take(struct sweep_driver *driver, const struct sweep_job *job, size_t number,
                      const struct sweep_result *result, struct error *err);

/// Notes what point NUMBER has shown, if it is stored. 1: a checkpoint ends the sweep; 0; -1 and
/// ERR.
int sweep_driver_check(struct sweep_driver *driver, size_t number, struct error *err);

#endif
