// SPDX-License-Identifier: BSD-3-Clause
// Workers and load balancing as candidates.
#include "analyzer/advise/candidates.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/dealt/farm.h"
#include "analyzer/simulation/dealt/policy.h"
#include "analyzer/simulation/prediction.h"

enum {
    LEAST_TASKS = 4, // of a worker
    LEAST_WORK = 4,  // of a task, as a multiple of what its master does for it
};

/// Whether the trace shows that tasks go to free workers; else they may do so where the master
/// speaks first and does little else, there are many tasks, and the model fits.
static bool deals_tasks(const struct farm *farm)
{
    return farm->is_dynamic && farm->n_workers > 1;
}

/// Does the master little but hand out tasks? In a ping-pong, or where neighbours exchange what
/// both computed, one side does as much as the other.
static bool only_serves(const struct farm *farm)
{
    uint64_t own_ns = 0, work_ns = 0;
    for (size_t i = 0; i < farm->n_phases; i++)
        own_ns += farm->phases[i].n_tasks *
                  (farm->phases[i].costs_ns[FARM_BEFORE] + farm->phases[i].costs_ns[FARM_AFTER]);
    for (size_t i = 0; i < farm->n_tasks; i++)
        work_ns += farm->tasks[i].work_ns;
    return work_ns / LEAST_WORK >= own_ns;
}

static bool may_deal_tasks(const struct farm_run *run)
{
    const struct farm *farm = &run->farm;
    uint64_t error_ns = run->modelled_ns > run->recorded_ns ? run->modelled_ns - run->recorded_ns
                                                            : run->recorded_ns - run->modelled_ns;
    return farm->is_pushed && only_serves(farm) &&
           farm->n_tasks >= LEAST_TASKS * (uint64_t)farm->n_workers &&
           error_ns <= run->recorded_ns / 10;
}

/// The candidate needs no replay of its own: RUN says it all.
static void add_best(const struct farm_run *run, struct advice *advice)
{
    bool is_sure = deals_tasks(&run->farm);
    uint32_t best = farm_run_best(run), today = run->farm.n_workers;
    if (best == today || (!is_sure && !may_deal_tasks(run)))
        return;
    SCOPED char *cores = run->n_cores == 0 ? memory_copy_text("each on a core of its own")
                                           : memory_format("on %" PRIu32 " cores", run->n_cores);
    SCOPED char *sentence = memory_format("Use %" PRIu32 " worker%s instead of %" PRIu32 ", %s%s",
                                          best, best == 1 ? "" : "s", today, cores,
                                          is_sure ? "" : ", if no task needs another one");
    SCOPED char *value = memory_format("%" PRIu32, best);
    struct advice_candidate *candidate =
        advise_add(advice, ADVICE_WORKERS, UINT64_MAX, "workers", sentence);
    candidate->group = is_sure ? ADVICE_CHANGE : ADVICE_LIMIT;
    advise_add_word(candidate, "workers", value);
    candidate->is_replayed = true;
    candidate->predicted_ns =
        run->time_ns - run->phases_ns + farm_run_phases_ns(run, best, &dealing_recorded);
    candidate->gain_ns = (int64_t)advice->target_ns - (int64_t)candidate->predicted_ns;
}

void advise_add_workers(const struct advise_setting *setting, struct advice *advice)
{
    const struct replay_run *measured = setting->batch.measured;
    struct error err = {{0}};
    SCOPED_BY(farm_run_release) struct farm_run run = {0};
    if (farm_find_master(&measured->replay) == UINT32_MAX)
        return;
    // As `replay --workers` assumes it.
    struct scenario_settings settings = setting->target->cases[0].settings;
    whatif_assume_slices(&settings);
    SCOPED_BY(scenario_release) struct scenario scenario = {0};
    if (scenario_init(&scenario, trace_definitions(measured->trace), &settings, &err) == 0 &&
        farm_run_find(&run, measured->trace, &scenario, measured->recorded, &measured->replay,
                      &err) == 0)
        add_best(&run, advice);
    advice->n_replays += run.n_passes;
}

/// Has the bundled policy NAME rules for balancing?
static bool balances(const char *name)
{
    SCOPED_BY(policy_release) struct policy policy;
    struct error err = {{0}};
    return policy_read(&policy, name, &err) == 0 && !policy.deals_tasks;
}

/// Position of the first of N jobs from FROM on with the run that JOB predicts; N: there is none.
static size_t find_same_run(const struct whatif_job *jobs, size_t from, size_t n,
                            const struct whatif_job *job)
{
    while (from < n &&
           (job->failure || jobs[from].failure || jobs[from].predicted_ns != job->predicted_ns))
        from++;
    return from;
}

/// Adds what JOBS predict with policies NAMES: one candidate for those with the same run, in the
/// words of the first of them.
static void add_policies(char *const *names, struct whatif_job *jobs, size_t n,
                         struct advice *advice)
{
    for (size_t i = 0; i < n; i++) {
        if (find_same_run(jobs, 0, i, &jobs[i]) < i)
            continue;
        char *text = memory_copy_text(names[i]);
        for (size_t k = i; (k = find_same_run(jobs, k + 1, n, &jobs[i])) < n;) {
            char *longer = memory_format("%s or %s", text, names[k]);
            free(text);
            text = longer;
        }
        SCOPED char *sentence = memory_format(
            "Hand work to idle ranks while it runs, by policy %s (an estimate)", text);
        struct advice_candidate *candidate =
            advise_add(advice, ADVICE_DYNAMIC, UINT64_MAX, "rebalance", sentence);
        advise_add_word(candidate, "rebalance", names[i]);
        advise_take_prediction(advice, candidate, &jobs[i]);
        free(text);
    }
}

size_t advise_add_rebalancing(const struct advise_setting *setting, struct advice *advice)
{
    const struct replay_run *measured = setting->batch.measured;
    if (measured->replay.n_ranks < 2 || setting->target->unchanged.is_shared ||
        advice->loss_ns == 0 || farm_find_master(&measured->replay) != UINT32_MAX)
        return 0;
    size_t n_names, n = 0;
    SCOPED_BY(words_leave) char **names = bundled_names(&bundled_policies, &n_names, NULL);
    SCOPED char **chosen = memory_zeroed(n_names, sizeof *chosen);
    SCOPED struct whatif_job *jobs = memory_zeroed(n_names, sizeof *jobs);
    SCOPED struct advice_candidate *candidates = memory_zeroed(n_names, sizeof *candidates);
    SCOPED struct advice_word *words = memory_zeroed(n_names, sizeof *words);
    for (size_t i = 0; i < n_names; i++) {
        if (!balances(names[i]))
            continue;
        words[n] = (struct advice_word){(char *)"rebalance", names[i]};
        candidates[n] = (struct advice_candidate){.words = &words[n], .n_words = 1};
        jobs[n].candidates[0] = &candidates[n];
        chosen[n++] = names[i];
    }
    whatif_run_jobs(&setting->batch, jobs, n);
    add_policies(chosen, jobs, n, advice);
    advice->n_replays += n;
    return n;
}
