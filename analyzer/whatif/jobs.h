// SPDX-License-Identifier: BSD-3-Clause
// Many predictions of one run, one in each thread: each reads its own options, machine and trace,
// so they share nothing that changes.
#pragma once

#include <stdbool.h>

#include "analyzer/base/error.h"
#include "analyzer/base/owned.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/result/advice.h"
#include "analyzer/result/whatif.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/whatif/options.h"

/// A progress bar over all predictions, whose number becomes known little by little. Functions take
/// NULL for none.
struct whatif_progress;
struct whatif_progress *whatif_progress_new(const char *label);
/// Takes the bar away.
void whatif_progress_free(struct whatif_progress *progress);
/// N more predictions are to come, as far as is known.
void whatif_progress_expect(struct whatif_progress *progress, size_t n);

/// What all predictions share.
struct whatif_batch {
    const struct replay_run *measured;
    const struct advice_word *words; // options of all of them: the target
    size_t n_words;
    struct whatif_progress *progress;  // NULL: none is shown
    const struct catalogue *catalogue; // for results; NULL: none is wanted
    bool is_of_one_process;            // other processes have no share of the jobs
    // The jobs are cases of a plan that is completed for `measured`, and whose visits are counted.
    bool is_completed;
    const struct visits *visits; // then: whatif_count_work()
};

/// What all processes that share jobs of MEASURED must have read.
uint64_t whatif_input(const struct replay_run *measured);

/// A run to be predicted: the target with the words of up to two candidates. In a completed batch
/// the words may ask for several estimates from it.
struct whatif_job {
    const struct advice_candidate *candidates[2]; // NULL: none
    uint64_t draw;  // of the machine's noise (noise.h), of a job with one case; 0: none
    size_t n_cases; // that are wanted:
    struct whatif_point *points; // what is found, by case; NULL: not wanted
    struct result *results;      // likewise, with a catalogue
    struct replay_run *run;      // of one process: the run with its critical path; NULL: not wanted
    uint64_t predicted_ns, window_ns; // of the run; between MPI_Init and MPI_Finalize
    char *failure;                    // NULL: it was predicted; the caller frees
};

/// What JOB asks for, completed: the words of the target, unless a candidate says all of it, and of
/// its candidates. A job without candidates is the target. PLAN must not be moved. 0, or -1 and
/// ERR; the caller releases PLAN in either case, before the words.
int whatif_job_plan(const struct whatif_batch *batch, const struct whatif_job *job,
                    struct whatif_plan *plan, struct error *err);

/// Predicts JOB, in this thread; moves what was found to or from other processes (spread.h).
void whatif_run_job(const struct whatif_batch *batch, struct whatif_job *job);
void whatif_move_job(const struct whatif_batch *batch, struct whatif_job *job, struct owned *walk);

/// Predicts all JOBS; the same whatever the number of threads and processes.
void whatif_run_jobs(const struct whatif_batch *batch, struct whatif_job *jobs, size_t n);

// --- predict.c
// One prediction: a simulated run of the measured one.

/// What a prediction is made from.
struct whatif_input {
    const struct replay_run *measured;
    const struct catalogue *catalogue; // for wait states and critical path; NULL: without
    const char *out;                   // the predicted run is written there; NULL: it is not
    struct timeline *timeline;         // to be filled, with a catalogue only; NULL: none
    const char *change;                // with `out`: what is different, in words
    bool is_quiet;                     // no progress bar
    bool finds_path;                   // the critical path is wanted even without a catalogue
    bool compares_slowdown; // what a slowdown file makes of the prediction, by a further run
};

/// Simulates the run of INPUT under SCENARIO into RUN, whose trace is given back, and describes it
/// in each of the N POINTS. 0, or -1 and ERR; the caller releases RUN and POINTS in either case.
int whatif_predict(const struct whatif_input *input, const struct scenario *scenario,
                   struct replay_run *run, struct whatif_point *points, size_t n,
                   struct error *err);

/// RUN, opened, is to be written to DIRECTORY when it has been simulated. 0, or -1 and ERR.
int whatif_out_prepare(const char *directory, struct replay_run *run, struct error *err);

/// Writes RUN, simulated under SCENARIO; CHANGE says in words what that changes. 0, or -1 and ERR.
int whatif_out_write(const char *directory, const struct replay_run *run,
                     const struct scenario *scenario, const char *change, struct error *err);
