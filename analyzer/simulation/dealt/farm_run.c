// SPDX-License-Identifier: BSD-3-Clause
// Runs of a task farm with other numbers of workers (farm_run.h).
#include "analyzer/simulation/dealt/farm_run.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { MOST_TASKS = 2000000, MOST_TRIED = 32, LEAST_TRIED = 4, NEAR_PER_CENT = 1 };

/// Watches the run under SCENARIO; 0, or -1 and ERR.
static int observe(struct farm_run *run, struct trace *trace, const struct scenario *scenario,
                   const struct recorded *recorded, struct observed *observed, struct error *err)
{
    farm_messages_release(&run->messages);
    farm_release(&run->farm);
    run->messages.master = run->master;
    const struct pag_listener listener = farm_listener(&run->messages);
    run->n_passes++;
    if (observe_run(trace, scenario, recorded, &listener, observed, err) != 0)
        return -1;
    if (farm_analyse(&run->farm, &run->messages, err) != 0)
        return error_wrap(err, "the run has no task farm");
    return 0;
}

/// The same with a core for each rank.
static int observe_alone(struct farm_run *run, struct trace *trace, const struct scenario *shared,
                         const struct recorded *recorded, struct error *err)
{
    struct scenario_settings settings = *shared->settings;
    struct scenario alone = {0};
    struct observed ignored = {0};
    settings.n_cores = shared->placement.n_ranks;
    settings.is_sticky = false;
    int status = scenario_init(&alone, trace_definitions(trace), &settings, err);
    alone.visits = shared->visits;
    if (status == 0)
        status = observe(run, trace, &alone, recorded, &ignored, err);
    observed_release(&ignored);
    scenario_release(&alone);
    return status;
}

/// Watches the run under SCENARIO for the lengths of its phases, in *PHASES_NS, and for its farm
/// with a core for each rank.
static int watch(struct farm_run *run, struct trace *trace, const struct scenario *scenario,
                 const struct recorded *recorded, struct observed *observed, uint64_t *phases_ns,
                 struct error *err)
{
    if (observe(run, trace, scenario, recorded, observed, err) != 0)
        return -1;
    *phases_ns = run->farm.length_ns;
    return observed->shares_cores ? observe_alone(run, trace, scenario, recorded, err) : 0;
}

int farm_run_find(struct farm_run *run, struct trace *trace, const struct scenario *scenario,
                  const struct recorded *recorded, const struct pag_result *measured,
                  struct error *err)
{
    *run = (struct farm_run){.master = farm_find_master(measured)};
    if (run->master == UINT32_MAX)
        return error_set(err, "the run has no task farm: no rank sends or receives nearly all "
                              "messages");
    struct scenario_settings settings = SCENARIO_UNCHANGED;
    settings.spins = scenario->settings->spins;
    settings.slice_ns = scenario->slice_ns;
    struct scenario unchanged = {0};
    struct observed cores = {0};
    int status = scenario_init(&unchanged, trace_definitions(trace), &settings, err);
    if (status == 0)
        status = watch(run, trace, &unchanged, recorded, &cores, &run->recorded_ns, err);
    if (status == 0)
        run->modelled_ns =
            hand_out_length(&run->farm, run->farm.n_workers, &cores, &dealing_recorded);
    observed_release(&cores);
    scenario_release(&unchanged);
    return status == 0 ? watch(run, trace, scenario, recorded, &run->observed, &run->phases_ns, err)
                       : status;
}

void farm_run_release(struct farm_run *run)
{
    farm_messages_release(&run->messages);
    farm_release(&run->farm);
    observed_release(&run->observed);
    *run = (struct farm_run){0};
}

static uint64_t phases_ns(const struct farm_run *run, uint64_t modelled_ns)
{
    __extension__ typedef unsigned __int128 wide;
    if (run->modelled_ns == 0)
        return run->phases_ns;
    return (uint64_t)((wide)run->recorded_ns * modelled_ns / run->modelled_ns);
}

uint64_t farm_run_phases_ns(const struct farm_run *run, uint32_t n_workers,
                            const struct dealing *dealing)
{
    return phases_ns(run, hand_out_length(&run->farm, n_workers, &run->observed, dealing));
}

uint32_t farm_run_best(const struct farm_run *run)
{
    uint32_t n_most = 2 * run->farm.n_workers + 2, tried[MOST_TRIED], n_tried = 0;
    uint64_t lengths[MOST_TRIED], shortest_ns = UINT64_MAX;
    size_t n = MOST_TASKS / run->farm.n_tasks;
    n = n > MOST_TRIED ? MOST_TRIED : n < LEAST_TRIED ? LEAST_TRIED : n;
    n = n < n_most ? n : n_most;
    for (size_t i = 1; i <= n; i++) {
        uint32_t n_workers = (uint32_t)((uint64_t)n_most * i / n);
        tried[n_tried] = n_workers;
        lengths[n_tried] =
            hand_out_length(&run->farm, n_workers, &run->observed, &dealing_recorded);
        if (lengths[n_tried] < shortest_ns)
            shortest_ns = lengths[n_tried];
        n_tried++;
    }
    for (uint32_t i = 0; i < n_tried; i++)
        if (lengths[i] - shortest_ns <= shortest_ns / 100 * NEAR_PER_CENT)
            return tried[i];
    return run->farm.n_workers;
}
