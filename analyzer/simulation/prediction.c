// SPDX-License-Identifier: BSD-3-Clause
// What a simulated run consists of: the scheduler of its cores, its network, its cost model.
#include "analyzer/simulation/prediction.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/cost/recorded_costs.h"

// A location of no rank, or a further thread of one, has a core of its own.
struct scheduler *prediction_share_cores(const struct scenario *scenario,
                                         const struct definitions *definitions)
{
    size_t n_groups = scenario->n_groups;
    struct core_group *groups = memory_new((n_groups + definitions->n_locations) * sizeof *groups);
    uint32_t *group_of = memory_new(definitions->n_locations * sizeof *group_of);
    for (size_t i = 0; i < n_groups; i++)
        groups[i] = scenario->groups[i];
    for (size_t i = 0; i < definitions->n_locations; i++) {
        const struct location *location = &definitions->locations[i];
        if (location->rank != EVENT_NO_INDEX && location->is_master) {
            group_of[i] = scenario->group_of_rank[location->rank];
            continue;
        }
        group_of[i] = (uint32_t)n_groups;
        groups[n_groups++] = (struct core_group){1, SCHEDULER_FULL_SPEED, 0, 0};
    }
    struct scheduler *scheduler = scheduler_new(
        groups, n_groups, group_of, definitions->n_locations, scenario->settings->spins);
    free(groups);
    free(group_of);
    return scheduler;
}

/// Operations are done step by step where algorithms say how, and where each step needs a core that
/// it may have to wait for.
static void carry_out_collectives(struct prediction *prediction,
                                  const struct definitions *definitions,
                                  const struct machine *machine)
{
    const struct scenario *scenario = prediction->scenario;
    prediction->has_slices = scenario->is_shared && scenario->slice_ns > 0;
    if (prediction->has_slices || (machine && machine_has_algorithms(machine)))
        prediction->collectives = collective_runs_new(
            definitions, scenario, prediction->is_delayed ? &prediction->delay : NULL,
            prediction->contention != NULL, prediction->has_slices ? prediction->scheduler : NULL);
}

void prediction_init(struct prediction *prediction, const struct definitions *definitions,
                     const struct scenario *scenario, const struct recorded *recorded)
{
    const struct scenario_settings *settings = scenario->settings;
    const struct machine *machine = settings->machine;
    if (machine && !machine_has_messages(machine))
        machine = NULL;
    *prediction = (struct prediction){
        .definitions = definitions,
        .scenario = scenario,
        .recorded = recorded,
        .costs = machine ? &machine_costs : &recorded_costs,
        .scheduler = prediction_share_cores(scenario, definitions),
        .counts_wall_time = !scenario->knows_cores || settings->is_timeless,
        .knows_paths = region_patterns_count(scenario->regions) > 0,
        .is_delayed = settings->added_latency_ns > 0 || settings->added_byte_fs > 0,
        .calls = recorded_calls_new(recorded, definitions->n_ranks),
    };
    if (prediction->is_delayed)
        added_latency_init(&prediction->delay, definitions, &scenario->placement,
                           settings->added_latency_ns, settings->added_byte_fs);
    if (machine)
        prediction->contention =
            contention_new(&scenario->scopes, (const char *const *)scenario->placement.node_names);
    carry_out_collectives(prediction, definitions, machine);
    if (settings->is_timeless) {
        prediction->timeless = timeless_new(definitions, machine, scenario);
        prediction->costs = &timeless_costs;
    }
    if (scenario->works.n > 0 && scenario->visits)
        prediction->visits = visit_run_new(scenario->visits, scenario);
}

int prediction_check(const struct prediction *prediction, struct error *err)
{
    return recorded_calls_check(prediction->calls, err);
}

void prediction_release(struct prediction *prediction)
{
    visit_run_free(prediction->visits);
    recorded_calls_free(prediction->calls);
    scheduler_free(prediction->scheduler);
    contention_free(prediction->contention);
    collective_runs_free(prediction->collectives);
    added_latency_release(&prediction->delay);
    timeless_free(prediction->timeless);
    *prediction = (struct prediction){0};
}
