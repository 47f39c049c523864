// SPDX-License-Identifier: BSD-3-Clause
// Advice on a run (run.h), within the time of about 30 replays where these take long.
#include "analyzer/advise/run.h"

#include <stdlib.h>

#include "analyzer/advise/cores.h"
#include "analyzer/advise/dynamic.h"
#include "analyzer/advise/nested.h"
#include "analyzer/advise/places.h"
#include "analyzer/advise/target.h"
#include "analyzer/result/lost_cores.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/whatif/estimate.h"
#include "analyzer/whatif/run.h"
#include "analyzer/whatif/waiting.h"

static const uint64_t many_events = 1000000;
enum {
    LONG_PASSES = 20,   // through a long trace, all together
    PASSES_OF_PAIR = 3, // two changes at once, each of which may have to count visits first
};

/// Computing between MPI_Init and MPI_Finalize, spread equally over the ranks.
static uint64_t spread_computing(const struct result *result)
{
    return result->n_ranks > 0 ? result->useful_ns / result->n_ranks : 0;
}

/// What the conclusion of a replay says of ranks without CPU time; NULL: nothing.
static char *lost_text(const struct result *result)
{
    enum lost_kind kind = lost_kind(result);
    char *text = NULL;
    size_t size;
    FILE *out = kind != LOST_NONE ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    lost_write(result, out);
    if (kind == LOST_UNKNOWN)
        fprintf(out, " What is predicted is a run without that.");
    fclose(out);
    return text;
}

/// The run with nothing changed, in UNCHANGED with its critical path, and on the target. 0, or -1
/// and ERR; the caller releases UNCHANGED in either case.
static int predict_baselines(const struct advise_setting *setting, struct advice *advice,
                             struct replay_run *unchanged, struct error *err)
{
    struct whatif_point same = {0};
    struct advise_job target = {0};
    struct advise_target_settings read;
    advise_target_read(&read, setting);
    advice->assumption = read.assumes_waiting ? whatif_waiting_note : NULL;
    int status = whatif_run_unchanged(&read.plan, setting->measured, unchanged, &same, err);
    advise_target_release(&read);
    target.predicted_ns = same.predicted_ns;
    target.window_ns = same.window_end_ns - same.window_begin_ns;
    if (status == 0 && setting->n_words > 0)
        advise_run_jobs(setting, &target, 1);
    advice->replayed_ns = same.predicted_ns;
    advice->lost = lost_text(&setting->measured->result);
    advice->is_explained = lost_kind(&setting->measured->result) == LOST_UNKNOWN &&
                           advice->replayed_ns < advice->measured_ns;
    advice->target_ns = target.predicted_ns;
    uint64_t computing_ns = spread_computing(&setting->measured->result);
    advice->loss_ns = target.window_ns > computing_ns ? target.window_ns - computing_ns : 0;
    advice->n_workers = whatif_kept_workers(&setting->measured->replay, &advice->master);
    advice->n_replays = 1 + (setting->n_words > 0);
    if (target.failure)
        status = error_set(err, "%s", target.failure);
    free(target.failure);
    whatif_point_release(&same);
    return status;
}

/// SETTING with what a prediction of so many events allows: of long traces what takes 30 plain
/// replays' time on one core, where none of the passes takes more than 1.3 (tests/bench/advice.sh).
static struct advise_setting within_limits(const struct advise_setting *setting)
{
    struct advise_setting limited = *setting;
    bool is_long = setting->measured->result.n_events > many_events && !setting->replays_all;
    limited.max_passes = is_long ? LONG_PASSES : SIZE_MAX / 100;
    limited.max_placements = is_long ? 4 : 200;
    limited.n_paired = is_long ? 2 : 3;
    return limited;
}

/// Takes what has been predicted already, N_MORE passes, and the pairs that come last, off the
/// passes.
static void spend(struct advise_setting *limited, const struct advice *advice, size_t n_more)
{
    size_t spent = n_more + advice->n_replays +
                   PASSES_OF_PAIR * (limited->n_paired * (limited->n_paired - 1) / 2);
    limited->max_passes = limited->max_passes > spent ? limited->max_passes - spent : 0;
}

int advise_run(const struct advise_setting *setting, const struct advise_target *target,
               struct advice *advice, struct error *err)
{
    struct advise_setting limited = within_limits(setting);
    struct replay_run unchanged = {0};
    advice->measured_ns = setting->measured->replay.time_ns;
    size_t n_expected = limited.max_passes < LONG_PASSES ? limited.max_passes : LONG_PASSES;
    advise_progress_expect(setting->progress, n_expected);
    int status = predict_baselines(&limited, advice, &unchanged, err);
    if (status == 0)
        advise_enumerate(setting->measured, &unchanged.replay, target, advice);
    if (status == 0 && target->kinds >> ADVICE_PROCESSORS & 1)
        advise_add_cores(setting, &unchanged.replay, advice);
    replay_run_release(&unchanged);
    if (status != 0)
        return -1;
    if (target->kinds >> ADVICE_PLACEMENT & 1)
        advise_add_placement(&limited, target->n_nodes, advice);
    if (target->kinds >> ADVICE_WORKERS & 1)
        advise_add_workers(&limited, advice);
    size_t n_more = 0;
    if (target->kinds >> ADVICE_DYNAMIC & 1)
        n_more = advise_add_rebalancing(&limited, advice);
    advise_relate_regions(setting->measured, advice);
    spend(&limited, advice, n_more);
    size_t n_candidates = advice->n_candidates;
    if (n_candidates > limited.max_passes)
        n_candidates = limited.max_passes;
    size_t n_pairs = limited.n_paired * (limited.n_paired - 1) / 2;
    advise_progress_expect(setting->progress, n_candidates + n_pairs);
    advise_replay_candidates(&limited, advice);
    advise_progress_expect(setting->progress, n_pairs);
    advise_replay_pairs(&limited, advice);
    return 0;
}
