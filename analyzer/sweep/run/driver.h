// SPDX-License-Identifier: BSD-3-Clause
// Runs the points of a sweep, one after the other or as batch jobs (batch.h). Each is traced,
// replayed and stored as soon as it ends. Stored points are not run again, so that the same sweep
// continues after any interruption.
#ifndef PAGODA_SWEEP_RUN_DRIVER_H
#define PAGODA_SWEEP_RUN_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/sweep.h"
#include "analyzer/sweep/checkpoint.h"
#include "analyzer/sweep/plan.h"
#include "analyzer/sweep/run/job.h"
#include "db/trials.h"

struct sweep_setting {
    const struct sweep_plan *plan;
    const struct sweep_skips *skips;
    struct sweep_checkpoints *checkpoints;
    struct sweep_place place;
    uint64_t limit_ns;    // of the whole sweep, 0: none
    bool retries_failed;  // points that failed in an earlier call too
    bool keeps_no_traces; // archives are removed when they are stored
    char **arguments;     // of this command after its name, up to NULL, for batch jobs
    sweep_replay_check *check_replay;
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

/// Point NUMBER (from 0) has ended with RESULT: stores it, or reports its failure. 0, or -1 and
/// ERR: the sweep cannot continue.
int sweep_driver_take(struct sweep_driver *driver, const struct sweep_job *job, size_t number,
                      const struct sweep_result *result, struct error *err);

/// Notes what point NUMBER has shown, if it is stored. 1: a checkpoint ends the sweep; 0; -1 and
/// ERR.
int sweep_driver_check(struct sweep_driver *driver, size_t number, struct error *err);

/// Notes in the database which points have no trial, and why. 0, or -1 and ERR.
int sweep_driver_note(const struct sweep_driver *driver, struct error *err);

void sweep_driver_release(struct sweep_driver *driver);

/// Checks the options of all points that are predictions, skipped ones left out. 0, or -1 and ERR:
/// those of one are wrong.
int sweep_check_predictions(const struct sweep_setting *setting, struct error *err);

/// What there is to do; runs nothing. 0, or -1 and ERR. The caller releases REPORT in either case.
int sweep_look(const struct sweep_setting *setting, struct sweep_report *report, struct error *err);

/// Runs what is not stored. A failed point is reported on stderr and does not end the sweep. 0, or
/// -1 and ERR: the sweep cannot continue. The caller releases REPORT in either case.
int sweep_run(const struct sweep_setting *setting, struct sweep_report *report, struct error *err);

#endif
