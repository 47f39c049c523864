// SPDX-License-Identifier: BSD-3-Clause
// What the two ways to run a sweep share, one point after the other (run.c) and by job arrays
// (batch.c): the state of a sweep that goes on, and what is done when a point has ended.
#ifndef PAGODA_CMD_SWEEP_DRIVER_H
#define PAGODA_CMD_SWEEP_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/cmd/sweep/job.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/sweep.h"
#include "analyzer/sweep/checkpoint.h"
#include "analyzer/sweep/plan.h"
#include "db/trials.h"

struct sweep_setting {
    const struct sweep_plan *plan;
    const struct sweep_skips *skips;
    struct sweep_checkpoints *checkpoints;
    struct sweep_place place;
    uint64_t limit_ns;    // of the whole sweep, 0: none
    bool retries_failed;  // points that failed in an earlier call too
    bool keeps_no_traces; // archives are removed when they are stored
    char **arguments;     // of this command behind its name, up to NULL, for batch jobs
};

struct sweep_driver {
    const struct sweep_setting *setting;
    struct sweep_report *report;
    struct catalogue *catalogue;
    struct trial_list stored; // the experiment's trials
    uint64_t begin_ns;
    uint64_t ran_ns; // points run by this call
    size_t n_ran;
};

/// Loads what can be looked for, and checks that checkpoints ask for that. 0, or -1 and ERR.
int sweep_driver_check_properties(struct sweep_driver *driver, struct error *err);

/// Fills the report with what is known of each point before anything is run. 0, or -1 and ERR.
int sweep_driver_look(struct sweep_driver *driver, struct error *err);

/// Checks what checkpoints ask for, makes the database if it is missing, and looks. 0, or -1 and
/// ERR.
int sweep_driver_prepare(struct sweep_driver *driver, struct error *err);

/// Point NUMBER (from 0) has ended with RESULT: it is stored, or told to have failed. 0, or -1 and
/// ERR: the sweep cannot go on.
int sweep_driver_take(struct sweep_driver *driver, const struct sweep_job *job, size_t number,
                      const struct sweep_result *result, struct error *err);

/// Notes what point NUMBER has shown, if it is stored. 1: a checkpoint ends the sweep; 0; -1 and
/// ERR.
int sweep_driver_check(struct sweep_driver *driver, size_t number, struct error *err);

/// Notes in the database which points have no trial, and why. 0, or -1 and ERR.
int sweep_driver_note(const struct sweep_driver *driver, struct error *err);

void sweep_driver_release(struct sweep_driver *driver);

#endif
