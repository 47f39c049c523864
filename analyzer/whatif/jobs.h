// SPDX-License-Identifier: BSD-3-Clause
// Many predictions of one run, on all cores.
#ifndef PAGODA_WHATIF_JOBS_H
#define PAGODA_WHATIF_JOBS_H

#include <stdbool.h>

#include "analyzer/replay/replay_run.h"
#include "analyzer/result/advice.h"
#include "analyzer/whatif/options.h"

/// A progress bar over all predictions, whose number becomes known little by little. Functions take
/// NULL for none.
struct whatif_progress;
struct whatif_progress *whatif_progress_new(void);
/// Takes the bar away.
void whatif_progress_free(struct whatif_progress *progress);
/// N more predictions are to come, as far as is known.
void whatif_progress_expect(struct whatif_progress *progress, size_t n);

/// What all predictions share.
struct whatif_batch {
    const struct replay_run *measured;
    const struct advice_word *words; // options of all of them: the target
    size_t n_words;
    unsigned n_threads;                // 0: as many as there are cores
    struct whatif_progress *progress;  // NULL: none is shown
    const struct catalogue *catalogue; // results are kept, too; NULL: run times only
};

/// One run time to be predicted: the target with the words of up to two candidates.
struct whatif_job {
    const struct advice_candidate *candidates[2]; // NULL: none
    uint64_t predicted_ns, window_ns;             // of the run; between MPI_Init and MPI_Finalize
    char *failure;                                // NULL: it was predicted; the caller frees
    struct result result;                         // with a catalogue; the caller releases
};

/// Gives OPTIONS those of JOB: the words of its candidates, and of the target unless a candidate
/// says all of it. They live as long as both. False when there is no such option.
bool whatif_job_options(const struct whatif_batch *batch, const struct whatif_job *job,
                        struct whatif_options *options);

/// Predicts all JOBS; the same whatever the number of threads.
void whatif_run_jobs(const struct whatif_batch *batch, struct whatif_job *jobs, size_t n);

/// The options of the target alone, read as a prediction for it reads them. It must not be moved.
struct whatif_target {
    struct whatif_options options;
    struct whatif_plan plan;
};

/// 0, or -1 and ERR; the caller releases TARGET in either case.
int whatif_target_read(struct whatif_target *target, const struct whatif_batch *batch,
                       struct error *err);
void whatif_target_release(struct whatif_target *target);

#endif
