// SPDX-License-Identifier: BSD-3-Clause
// Which changes are worth a prediction though no finding proposes them: read off a measured run.
#pragma once

#include "analyzer/result/advice.h"
#include "analyzer/whatif/jobs.h"

enum {
    ADVISE_MAX_PAIRED = 3,
    ADVISE_MANY_EVENTS = 1000000, // of longer traces fewer changes are predicted
};

struct advise_setting {
    struct whatif_batch batch; // its words are those of the target
    unsigned kinds;            // bits of enum advice_kind: what is looked for
    const char *const *phases; // from whose begins on ranks may be on other nodes
    size_t n_phases;
    const char *state; // then: what they take along, a value of --state; NULL: nothing
    bool replays_all;  // also changes that cannot come to the top
    size_t n_shown;    // how many of a group count as the top
    // Set by advise_run():
    const struct whatif_plan *target; // the words of the batch, one case
    size_t max_passes;     // through the trace for candidates, unless all are to be replayed
    size_t max_placements; // predictions
    size_t n_paired;       // of the best, which are tried in pairs; at most ADVISE_MAX_PAIRED
    bool finds_bends;      // until where changes pay (bends.c)
};

// --- critical_regions.c: what the critical path of a run consists of, as bounds of what changes
// can save

/// Computing on the critical path inside a region, callees included, by name.
struct advise_region {
    const char *name; // belongs to the trace
    uint64_t path_ns;
};

struct advise_path {
    struct advise_region *regions; // path_ns descending, then name
    size_t n_regions;
    uint64_t computing_ns, work_ns; // work_ns: with MPI, start-up and end
    uint64_t slack_ns; // run time less the computing of the busiest rank: what MPI costs at most
};

/// Of a run in REPLAY that was replayed with its critical path. The caller releases.
void advise_path_collect(struct advise_path *path, const struct definitions *definitions,
                         const struct pag_result *replay);
void advise_path_release(struct advise_path *path);

// --- bends.c

/// Fills `bend` of those of N CANDIDATES that scale the work of a region and are predicted;
/// their ranks do not share cores. UNCHANGED is the run without them, with its critical path. How
/// many predictions it took.
size_t advise_find_bends(const struct whatif_batch *batch, const struct pag_result *unchanged,
                         struct advice_candidate *const *candidates, size_t n);

// --- slack.c

/// Adds what the slacks of RESULT need as candidates to ADVICE, and their places to RESULT.
void slack_add_candidates(struct result *result, struct advice *advice);
/// Fills the slacks of RESULT from ADVICE, whose candidates are predicted, and UNCHANGED, the run
/// predicted with nothing changed, with its critical path. 0, or -1 and ERR: some could not be
/// predicted, so there are none.
int slack_take(const struct whatif_batch *batch, const struct pag_result *unchanged,
               const struct advice *advice, struct result *result, struct error *err);

// --- candidates.c

/// Whether OPTION, of what-if options with a region, changes what OTHER does, or that and more.
bool advise_includes(const char *option, const char *other);

/// Adds the candidates of the measured run, replayed with a catalogue, to ADVICE. most_ns of each
/// is a bound by what stands on the critical path of UNCHANGED, the same run predicted with nothing
/// changed: a change of some work cannot make the run shorter than that path without the work, and
/// a change of what MPI does not shorter than the computing of any rank. On shared cores and other
/// targets there is no such bound.
void advise_enumerate(const struct advise_setting *setting, const struct pag_result *unchanged,
                      struct advice *advice);

/// A candidate without words and sentence yet; SUBJECT is copied.
struct advice_candidate *advise_add(struct advice *advice, enum advice_kind kind,
                                    const char *subject);
/// VALUE NULL for a flag; copied.
void advise_add_word(struct advice_candidate *candidate, const char *option, const char *value);

/// The candidate whose only word is OPTION with VALUE (NULL: a flag), NULL: there is none; and with
/// advise_try() a new one without a sentence then.
struct advice_candidate *advise_find(const struct advice *advice, const char *option,
                                     const char *value);
struct advice_candidate *advise_try(struct advice *advice, const char *option, const char *value);

/// CANDIDATE means SENTENCE, copied, and may not be possible where it IS_LIMIT; nothing if it is a
/// finding's, which says so itself.
void advise_describe(struct advice_candidate *candidate, const char *sentence, bool is_limit);

// --- places.c

/// Adds a core for each rank to ADVICE where some node of SETTING's target, or without one of the
/// recording, has more ranks than cores: the same nodes with as many cores as ranks on the fullest
/// one. It saves no more than the run time less the process time of the busiest rank of UNCHANGED,
/// the run predicted with nothing changed; of other targets no bound is known.
void advise_add_cores(const struct advise_setting *setting, const struct pag_result *unchanged,
                      struct advice *advice);

/// Adds the best placement found on SETTING's nodes to ADVICE. Without a number of nodes these are
/// the recorded ones, with their cores; where that is a single one, whose ranks were bound to cores
/// and share them, it is these cores. No candidate where there is no choice, or the ranks are
/// already there. With SETTING's phases also the best one by phase, if that is better yet.
void advise_add_placement(const struct advise_setting *setting, struct advice *advice);

/// Whether the measured run has SETTING's phases, and their state can be predicted. 0, or -1 and
/// ERR.
int advise_check_phases(const struct advise_setting *setting, struct error *err);

// --- dealt_work.c

/// Adds to ADVICE, where the run has a task farm (simulation/dealt/farm.h), the best number of
/// workers if that is another one than today's. That tasks go to free workers is shown by two
/// workers or more with different numbers of them; else it is a limit, where the master speaks
/// first (clients would), each worker has many tasks, and the model gives the phases' time within
/// 10 %.
void advise_add_workers(const struct advise_setting *setting, struct advice *advice);

/// Adds the bundled policies for balancing to ADVICE, not where ranks share cores or one rank talks
/// with all the others.
void advise_add_rebalancing(const struct advise_setting *setting, struct advice *advice);

/// Predicts the run with nothing changed, as the job UNCHANGED, and all candidates of ADVICE; if
/// these leave out what recording cost (IS_UNTRACED), the run with that as well. 0, or -1 and ERR:
/// not even the run with nothing changed could be predicted.
int advise_predict_unchanged(const struct whatif_batch *batch, struct advice *advice,
                             struct whatif_job *unchanged, bool is_untraced, struct error *err);

/// CANDIDATE gets what JOB predicted, and its failure.
void advise_take_prediction(const struct advice *advice, struct advice_candidate *candidate,
                            const struct whatif_job *job);
