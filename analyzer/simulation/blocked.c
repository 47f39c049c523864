// SPDX-License-Identifier: BSD-3-Clause
// Calls of a simulated run that wait, and what lets them go on (blocked.h).
#include "analyzer/simulation/blocked.h"

#include "analyzer/pag/engine.h"
#include "analyzer/simulation/call_description.h"
#include "analyzer/simulation/carried_out.h"
#include "analyzer/simulation/change/move.h"
#include "analyzer/simulation/change/overlap.h"
#include "analyzer/simulation/simulation.h"

/// LOCATION's call has what it waits for at READY_NS.
static void go_on_at(struct engine *engine, struct location_state *location, uint64_t ready_ns,
                     uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    if (simulation_of(engine)->migration)
        migration_worked(engine, location, state->work_after);
    state->ready_ns = ready_ns > now_ns ? ready_ns : now_ns;
    state->call_wait_ns = state->ready_ns - state->blocked_ns;
    state->wait_ns += state->call_wait_ns;
    state->phase = SIMULATION_LEAVING;
}

/// The call's partners have all come: from when on it has what it waits for, and what follows.
static void settle(struct engine *engine, struct location_state *location, uint32_t n_conditions,
                   uint64_t now_ns)
{
    struct simulation *simulation = simulation_of(engine);
    struct location_simulation *state = simulated_location(engine, location);
    if (state->is_late) {
        overlap_settle(engine, location, &state->ready_ns, &state->work_after);
        go_on_at(engine, location, state->ready_ns, now_ns);
        return;
    }
    struct pag_call call = call_description(engine, location);
    // Where a partner is missing, or cannot be told yet, the call lasts as long as it did at least.
    // Of a call for a file that waits for the device but for its process time.
    bool is_open = n_conditions == 0 || state->has_unknown_partner;
    uint64_t ready_ns = call.enter_ns;
    if (n_conditions > 0)
        prediction_settle(simulation->prediction, &call, simulation->conditions, n_conditions,
                          &ready_ns, &state->work_after);
    if (is_open) {
        uint64_t length_ns = simulation->prediction->costs->least_length(
            simulation->prediction, &call, state->has_unknown_partner);
        uint64_t own_ns = location->call.is_file ? call.recorded_work_ns : 0;
        own_ns = own_ns < length_ns ? own_ns : length_ns;
        state->work_after = (pag_work)own_ns * PAG_WORK_PER_NS;
        if (ready_ns < call.enter_ns + length_ns - own_ns)
            ready_ns = call.enter_ns + length_ns - own_ns;
    }
    go_on_at(engine, location, ready_ns, now_ns);
}

/// Whether what a blocked location's call lacks is the posting of a receive.
static bool is_blocked_sending(const struct location_simulation *state, const struct call *call)
{
    return state->n_receives_seen == call->n_receives && state->n_sends_seen < call->n_sends;
}

/// Goes on with the call of a blocked location if what it lacks has come.
static void try_again(struct engine *engine, struct location_state *location)
{
    struct simulation *simulation = simulation_of(engine);
    struct location_simulation *state = simulated_location(engine, location);
    uint32_t n_conditions;
    if (state->phase != SIMULATION_BLOCKED)
        return;
    bool was_sending = is_blocked_sending(state, &location->call);
    bool has_all = simulation_gather(engine, location, &n_conditions);
    bool is_sending = !has_all && is_blocked_sending(state, &location->call);
    simulation->n_blocked_sends += (uint32_t)is_sending - (uint32_t)was_sending;
    if (!has_all)
        return;
    settle(engine, location, n_conditions, simulation->now_ns);
    scheduler_wake(simulation->prediction->scheduler, location->index, state->ready_ns,
                   state->work_after);
}

void simulation_try_again(struct engine *engine, uint32_t rank)
{
    const struct rank_state *state = &engine->ranks[rank];
    for (uint32_t i = 0; i < state->n_locations; i++)
        try_again(engine, &engine->locations[state->first_location + i]);
}

void blocked_try_all_again(struct engine *engine)
{
    for (size_t i = 0; i < engine->n_locations; i++)
        try_again(engine, &engine->locations[i]);
}

bool blocked_let_go(struct engine *engine)
{
    struct location_state *first = NULL;
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct location_state *location = &engine->locations[i];
        if (simulated_location(engine, location)->phase == SIMULATION_BLOCKED &&
            (!first || location->call.enter_ns < first->call.enter_ns))
            first = location;
    }
    if (!first)
        return false;
    simulated_location(engine, first)->gives_up = true;
    engine->result->n_forced++;
    for (uint32_t i = 0; i < first->call.n_parts; i++)
        carried_out_let_go(engine, collective_instance(engine, first->call.parts[i].collective),
                           first->call.parts[i].member);
    try_again(engine, first);
    return true;
}

void blocked_begin(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    uint32_t n_conditions;
    state->blocked_ns = now_ns;
    state->ready_ns = PAG_NOT_KNOWN;
    state->phase = SIMULATION_BLOCKED;
    if (simulation_gather(engine, location, &n_conditions))
        settle(engine, location, n_conditions, now_ns);
    else
        simulation_of(engine)->n_blocked_sends += is_blocked_sending(state, &location->call);
    carried_out_wait(engine, location, now_ns, state->ready_ns, state->work_after);
}

void blocked_step(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    const uint32_t *ranks;
    uint32_t n_ranks, n_conditions;
    if (!carried_out_step(engine, location, now_ns, &ranks, &n_ranks))
        return;
    if (simulation_gather(engine, location, &n_conditions))
        settle(engine, location, n_conditions, now_ns);
    carried_out_wait(engine, location, now_ns, state->ready_ns, state->work_after);
    for (uint32_t i = 0; i < n_ranks; i++)
        simulation_try_again(engine, ranks[i]);
}
