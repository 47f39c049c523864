// SPDX-License-Identifier: BSD-3-Clause
// One point of a sweep as something to run: its folder, its command, its files, and its steps, the
// build and the run.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/sweep/plan.h"
#include "analyzer/sweep/run/folder.h"

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
