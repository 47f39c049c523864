// SPDX-License-Identifier: BSD-3-Clause
// Runs the points of a sweep, one after the other or as batch jobs. Each is traced,
// replayed and stored as soon as it ends. Stored points are not run again, so that the same sweep
// continues after any interruption.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/report.h"
#include "analyzer/sweep/checkpoint.h"
#include "analyzer/sweep/plan.h"
#include "db/trials.h"

// --- folders (job.c)
// The folder of a sweep: a folder for each point, with the archive, the output, and finally a file
// that says how the point ended. An interrupted sweep continues from it.

/// Makes the folder and those above it, and locks it: one sweep at a time, and none while a program
/// of a killed sweep still runs, because programs inherit the lock. Returns it, or -1 and ERR.
int sweep_folder_open(const char *dir, struct error *err);

/// Folder of the point NAME in DIR: a name of its own for each point, whatever is in NAME. The
/// caller frees.
char *sweep_folder_of(const char *dir, const char *name);

/// Makes the folder of a point anew, empty. 0, or -1 and ERR.
int sweep_folder_make(const char *point_dir, struct error *err);

/// How a point ended.
struct sweep_result {
    int status;         // exit status
    bool is_over_limit; // it was ended because its time was over
    bool is_build;      // it ended in its build, which failed
    uint64_t wall_ns;
};

/// Leaves RESULT of the run of COMMAND in the point's folder, wholly or not at all. 0, or -1 and
/// ERR.
int sweep_result_write(const char *point_dir, const char *command,
                       const struct sweep_result *result, struct error *err);

/// True when the folder has the result of a run of COMMAND.
bool sweep_result_read(const char *point_dir, const char *command, struct sweep_result *result);

// --- job.c
// One point of a sweep as something to run: its folder, its command, its files, and its steps, the
// build and the run.

/// Where the runs are kept, and the limits of each.
struct sweep_place {
    const char *database;
    const char *application; // NULL: the program's name
    const char *experiment;
    const char *dir;         // folder of the points
    uint64_t point_limit_ns; // 0: none
};

struct sweep_job {
    const struct sweep_plan *plan;
    const struct sweep_place *place;
    struct sweep_point point;
    char *dir;
    char **line;    // the launch line
    char *command;  // the same as one text for the shell
    bool is_replay; // `pagoda replay ...`, a prediction, which is stored by what it runs
};

/// The point of this number. sweep_job_release() frees what is in JOB.
void sweep_job_init(struct sweep_job *job, const struct sweep_plan *plan,
                    const struct sweep_place *place, size_t number);
void sweep_job_release(struct sweep_job *job);

/// Checks a command line of `pagoda replay` without its trace; WITH_FILES: also the files it names.
/// 0, or -1 and ERR. ARGV may be reordered. The command is above this folder.
typedef int sweep_replay_check(int argc, char **argv, bool with_files, struct error *err);

/// Checks the command of a prediction, as far as that goes without its trace. 0, or -1 and ERR.
int sweep_job_check_replay(const struct sweep_job *job, sweep_replay_check *check,
                           struct error *err);

/// Makes the folder with the files of the point, builds, runs, and leaves the result in the folder.
/// 0; 1: interrupted, without a result; -1 and ERR.
int sweep_job_run(const struct sweep_job *job, struct sweep_result *result, struct error *err);

/// The result of an earlier run of the same command. False: there is none.
bool sweep_job_result(const struct sweep_job *job, struct sweep_result *result);

/// Last line that a failed job wrote on stderr, "" for none. The caller frees.
char *sweep_job_last_line(const struct sweep_job *job, const struct sweep_result *result);

// --- state.c
// The state of a sweep while it runs: its points as jobs, what the database has of them, and what
// is reported. What runs the points (driver.c, batch.c) hands over how each has ended.

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

// --- driver.c

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
