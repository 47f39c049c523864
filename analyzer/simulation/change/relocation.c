// SPDX-License-Identifier: BSD-3-Clause
// Ranks that change their node (see relocation.h).
#include "analyzer/simulation/change/relocation.h"

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/change/scale.h"
#include "analyzer/simulation/state.h"
#include "analyzer/simulation/steps.h"

int relocation_init(struct scenario *scenario, struct error *err)
{
    const struct placement *placement = &scenario->placement;
    const struct scenario_settings *settings = scenario->settings;
    if (settings->state_bytes > 0 && placement->n_phases == 1)
        return error_set(err, "--state: no rank changes its node: --place needs a PHASE, such as "
                              "--place solve:b=0-3");
    if (settings->state_bytes > 0 &&
        (!settings->machine || !machine_has_messages(settings->machine)))
        return error_set(err, "--state: how long it takes comes from a machine file: give "
                              "--machine FILE with a <message>");
    scenario->phase_patterns = memory_zeroed(placement->n_phases, sizeof *scenario->phase_patterns);
    for (uint32_t phase = 1; phase < placement->n_phases; phase++) {
        const char *name = placement->phase_names[phase];
        uint32_t *pattern = &scenario->phase_patterns[phase];
        if (region_patterns_add(scenario->regions, "--place", name, REGION_COMPUTING, pattern,
                                err) != 0)
            return -1;
        if (region_patterns_names_calls(scenario->regions, *pattern))
            return error_set(err,
                             "--place %s: a phase begins with a function or a marker, not with "
                             "MPI calls",
                             name);
    }
    return 0;
}

/// The site of LOCATION's rank after EVENT, which is outside MPI.
static uint32_t site_after(const struct engine *engine, const struct location_state *location,
                           const struct event *event)
{
    const struct scenario *scenario = prediction_of(engine)->scenario;
    uint32_t n_ranks = scenario->placement.n_ranks;
    uint64_t mark = path_mark(engine, location, location->profile.current);
    region_patterns_enter(scenario->regions, &mark, event->index, EVENT_NO_INDEX, false);
    uint64_t named = region_patterns_named(scenario->regions, mark);
    for (uint32_t phase = 1; phase < scenario->placement.n_phases; phase++)
        if (named >> scenario->phase_patterns[phase] & 1)
            return phase * n_ranks + location->rank;
    return site_of(prediction_of(engine), location->rank);
}

bool relocation_is_due(const struct engine *engine, const struct location_state *location,
                       const struct event *event)
{
    return location->is_master && location->rank != NONE && event->kind == EVENT_ENTER &&
           region_at(engine, event->index)->mpi == MPI_FUNCTION_NONE &&
           site_after(engine, location, event) != site_of(prediction_of(engine), location->rank);
}

bool relocation_begin(struct engine *engine, struct location_state *location,
                      const struct event *event, uint64_t now_ns)
{
    struct prediction *prediction = prediction_of(engine);
    struct location_simulation *state = simulated_location(engine, location);
    const struct scenario *scenario = prediction->scenario;
    if (!event || !relocation_is_due(engine, location, event))
        return false;
    uint32_t from = site_of(prediction, location->rank);
    uint32_t to = site_after(engine, location, event);
    prediction->site_of_rank[location->rank] = to;
    if (scenario->group_of_rank[from] == scenario->group_of_rank[to]) {
        outside_begin(engine, location, now_ns, state->computation.recorded_now_ns);
        return true;
    }
    uint64_t bytes = scenario->settings->state_bytes;
    state->outside_wait_ns = 0;
    if (scopes_is_remote(&scenario->scopes, from, to)) {
        state->outside_wait_ns =
            prediction->costs->message_ns(prediction, from, to, bytes) +
            added_latency_of_message(prediction->is_delayed ? &prediction->delay : NULL, from, to,
                                     bytes);
        simulated_of(engine)->n_relocated++;
    }
    simulated_of(engine)->relocated_ns += state->outside_wait_ns;
    state->wait_ns += state->outside_wait_ns;
    state->phase = SIMULATION_MOVING;
    scheduler_move(prediction->scheduler, location->index, scenario->group_of_rank[to], now_ns,
                   now_ns + state->outside_wait_ns);
    return true;
}

void relocation_end(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    const struct location_simulation *state = simulated_location(engine, location);
    moved_tell_blocked(engine, location, location->profile.last_ns,
                       state->computation.recorded_now_ns, now_ns);
    computation_pass_blocked(engine, location, now_ns);
    outside_begin(engine, location, now_ns, state->computation.recorded_now_ns);
}
