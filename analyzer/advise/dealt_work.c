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
    advise_describe(advise_try(advice, "workers", value), sentence, !is_sure);
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

void advise_add_rebalancing(const struct advise_setting *setting, struct advice *advice)
{
    const struct replay_run *measured = setting->batch.measured;
    if (measured->replay.n_ranks < 2 || setting->target->unchanged.is_shared ||
        advice->loss_ns == 0 || farm_find_master(&measured->replay) != UINT32_MAX)
        return;
    size_t n;
    SCOPED_BY(words_leave) char **names = bundled_names(&bundled_policies, &n, NULL);
    for (size_t i = 0; i < n; i++) {
        if (!balances(names[i]))
            continue;
        SCOPED char *sentence = memory_format(
            "Hand work to idle ranks while it runs, by policy %s (an estimate)", names[i]);
        advise_describe(advise_try(advice, "rebalance", names[i]), sentence, false);
    }
}
