// SPDX-License-Identifier: BSD-3-Clause
// Workers and load balancing as candidates (dynamic.h).
#include "analyzer/cmd/advise/dynamic.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/xml_folder.h"
#include "analyzer/cmd/advise/path.h"
#include "analyzer/cmd/whatif/run.h"
#include "analyzer/whatif/dynamic/farm_run.h"
#include "analyzer/whatif/dynamic/policy.h"

enum { LEAST_TASKS = 4 }; // of a worker

/// Whether the trace shows that tasks go to whoever is free; else they may do so where the master
/// speaks first, there are many tasks, and the model fits.
static bool deals_tasks(const struct farm *farm)
{
    return farm->is_dynamic && farm->n_workers > 1;
}

static bool may_deal_tasks(const struct farm_run *run)
{
    const struct farm *farm = &run->farm;
    uint64_t error_ns = run->modelled_ns > run->recorded_ns ? run->modelled_ns - run->recorded_ns
                                                            : run->recorded_ns - run->modelled_ns;
    return farm->is_pushed && farm->n_tasks >= LEAST_TASKS * (uint64_t)farm->n_workers &&
           error_ns <= run->recorded_ns / 10;
}

/// The candidate needs no replay of its own: RUN says it all.
static void add_best(const struct farm_run *run, struct advice *advice)
{
    bool is_sure = deals_tasks(&run->farm);
    uint32_t best = farm_run_best(run), today = run->farm.n_workers;
    if (best == today || (!is_sure && !may_deal_tasks(run)))
        return;
    char *cores = run->observed.n_cores == 0
                      ? memory_copy_text("each on a core of its own")
                      : memory_format("on %" PRIu32 " cores", run->observed.n_cores);
    char *sentence = memory_format("Use %" PRIu32 " worker%s instead of %" PRIu32 ", %s%s", best,
                                   best == 1 ? "" : "s", today, cores,
                                   is_sure ? "" : ", if no task needs another one");
    char *value = memory_format("%" PRIu32, best);
    struct advice_candidate *candidate =
        advise_add(advice, ADVICE_WORKERS, UINT64_MAX, "workers", sentence);
    candidate->group = is_sure ? ADVICE_CHANGE : ADVICE_LIMIT;
    advise_add_word(candidate, "workers", value);
    candidate->is_replayed = true;
    candidate->predicted_ns =
        run->observed.time_ns - run->phases_ns + farm_run_phases_ns(run, best, &dealing_recorded);
    candidate->gain_ns = (int64_t)advice->target_ns - (int64_t)candidate->predicted_ns;
    free(value);
    free(sentence);
    free(cores);
}

void advise_add_workers(const struct advise_setting *setting, struct advice *advice)
{
    const struct replay_run *measured = setting->measured;
    struct error err = {{0}};
    if (farm_find_master(&measured->replay) == UINT32_MAX)
        return;
    struct whatif_options options = {0};
    struct whatif_plan plan = {0};
    struct scenario_settings settings;
    struct machine machine = {0};
    struct farm_run run = {0};
    for (size_t i = 0; i < setting->n_words; i++)
        whatif_options_give(&options, setting->words[i].option, setting->words[i].value);
    if (whatif_plan_read(&plan, &options, &err) == 0 &&
        whatif_prepare(&plan, &plan.sets[0], &settings, &machine, &err) == 0 &&
        farm_run_find(&run, setting->trace, &settings, measured->recorded, &measured->replay,
                      &err) == 0)
        add_best(&run, advice);
    advice->n_replays += run.n_passes;
    farm_run_release(&run);
    machine_release(&machine);
    whatif_plan_release(&plan);
    whatif_options_release(&options);
}

/// The bundled policy NAME, if it has rules for balancing.
static void add_policy(const char *name, struct advice *advice)
{
    struct policy policy;
    struct error err = {{0}};
    if (policy_read(&policy, name, &err) == 0 && !policy.deals_tasks) {
        char *sentence = memory_format("Hand work to idle ranks while it runs, by policy %s (an "
                                       "estimate)",
                                       name);
        struct advice_candidate *candidate =
            advise_add(advice, ADVICE_DYNAMIC, UINT64_MAX, "rebalance", sentence);
        candidate->promise_ns = advice->loss_ns;
        advise_add_word(candidate, "rebalance", name);
        free(sentence);
    }
    policy_release(&policy);
}

void advise_add_rebalancing(const struct advise_setting *setting, struct advice *advice)
{
    const struct replay_run *measured = setting->measured;
    struct advise_path path;
    advise_path_collect(&path, trace_definitions(measured->trace), &measured->replay);
    bool is_shared = path.is_shared;
    advise_path_release(&path);
    if (measured->replay.n_ranks < 2 || is_shared || advice->loss_ns == 0 ||
        farm_find_master(&measured->replay) != UINT32_MAX)
        return;
    size_t n;
    char **names = bundled_names(&bundled_policies, &n, NULL);
    for (size_t i = 0; i < n; i++)
        add_policy(names[i], advice);
    xml_folder_free(names, n);
}
