// SPDX-License-Identifier: BSD-3-Clause
// The state of a sweep while it runs: its points as jobs, what the database has of them, and what
// is reported. What runs the points (driver.c, batch.c) hands over how each has ended.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/report.h"
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

struct sweep_run {
    const struct sweep_setting *setting;
    struct sweep_report *report;
    struct sweep_job *jobs; // of all points, as the rows of the report
    size_t n_jobs;
    struct catalogue *catalogue;
    struct trial_list stored; // the experiment's trials
    uint64_t ran_ns;          // points run by this call
    size_t n_ran;
};

/// Checks what checkpoints ask for, makes the database if it is missing and MAKES_DATABASE, and
/// fills the report with what is known of each point before anything is run. 0, or -1 and ERR; the
/// caller releases RUN in either case.
int sweep_run_begin(struct sweep_run *run, const struct sweep_setting *setting,
                    struct sweep_report *report, bool makes_database, struct error *err);
void sweep_run_release(struct sweep_run *run);

/// Point NUMBER (from 0) has ended with RESULT: stores it, or reports its failure. 0, or -1 and
/// ERR: the sweep cannot continue.
int sweep_run_take(struct sweep_run *run, size_t number, const struct sweep_result *result,
                   struct error *err);

/// Notes what point NUMBER has shown, if it is stored. 1: a checkpoint ends the sweep; 0; -1 and
/// ERR.
int sweep_run_check(struct sweep_run *run, size_t number, struct error *err);

/// Notes in the database which points have no trial, and why. 0, or -1 and ERR.
int sweep_run_note(const struct sweep_run *run, struct error *err);
