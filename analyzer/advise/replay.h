// SPDX-License-Identifier: BSD-3-Clause
// Predictions of many candidates, on all cores.
#ifndef PAGODA_ADVISE_REPLAY_H
#define PAGODA_ADVISE_REPLAY_H

#include "analyzer/replay/replay_run.h"
#include "analyzer/result/advice.h"
#include "analyzer/whatif/options.h"

enum { ADVISE_MAX_PAIRED = 3 };
#define ADVISE_SHARES                                                                              \
    {                                                                                              \
        50, 15, 35                                                                                 \
    } // per cent, by enum advice_group

/// A progress bar over all predictions, whose number becomes known little by little.
struct advise_progress;
struct advise_progress *advise_progress_new(void);
/// Takes the bar away.
void advise_progress_free(struct advise_progress *progress);
/// N predictions are to come, as far as is known. PROGRESS may be NULL.
void advise_progress_expect(struct advise_progress *progress, size_t n);

/// What all predictions share.
struct advise_setting {
    const char *trace;
    const struct replay_run *measured;
    const struct advice_word *words; // of the target
    size_t n_words;
    unsigned n_threads;    // 0: as many as there are cores
    bool replays_all;      // also what cannot come to the top
    size_t n_shown;        // how many candidates count as the top
    size_t max_passes;     // through the trace for candidates, unless all are to be replayed
    size_t max_placements; // predictions
    struct advise_progress *progress;  // NULL: none is shown
    const struct catalogue *catalogue; // results are kept, too; NULL: run times only
    size_t n_paired; // so many of the best are tried in pairs, at most ADVISE_MAX_PAIRED
};

/// One run time to be predicted: the target with the words of up to two candidates.
struct advise_job {
    const struct advice_candidate *candidates[2]; // NULL: none
    uint64_t predicted_ns, window_ns;             // of the run; between MPI_Init and MPI_Finalize
    char *failure;                                // NULL: it was predicted; the caller frees
    struct result result;                         // with a catalogue; the caller releases
};

/// The words of the target, unless CANDIDATE says all of it, and those of CANDIDATE, as options
/// that live as long as both. False when there is no such option.
bool advise_give_words(const struct advise_setting *setting, struct whatif_options *options,
                       const struct advice_candidate *candidate);

/// Predicts all JOBS; the same whatever the number of threads.
void advise_run_jobs(const struct advise_setting *setting, struct advise_job *jobs, size_t n);

/// CANDIDATE gets what JOB predicted, and its failure.
void advise_take_prediction(const struct advice *advice, struct advice_candidate *candidate,
                            const struct advise_job *job);

/// Replays the candidates of ADVICE, whose target_ns is known, those first that promise most, until
/// no other one can be among the first n_shown of its group; sorts them, best first. Where not all
/// of those may be replayed each group has its share (ADVISE_SHARES), and what it leaves.
void advise_replay_candidates(const struct advise_setting *setting, struct advice *advice);

/// Replays pairs of the best candidates that are about different things.
void advise_replay_pairs(const struct advise_setting *setting, struct advice *advice);

#endif
