// SPDX-License-Identifier: BSD-3-Clause
// The replay in simulated time. Each location goes through its phases, outside MPI and in a call
// (advance.h), blocked (blocked.h); the scheduler says when each of them is over, in the order of
// time. The matching itself, the settling of calls and all that is found are those of the measured
// replay.
#include "analyzer/simulation/simulation.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/advance.h"
#include "analyzer/simulation/blocked.h"
#include "analyzer/simulation/change/aggregate.h"
#include "analyzer/simulation/change/move.h"
#include "analyzer/simulation/change/overlap.h"
#include "analyzer/simulation/transfers.h"
#include "analyzer/trace/clock.h"

enum { TURNS_PER_REPORT = 4096 }; // between two calls of listener.reached

static struct simulation *simulation_new(struct engine *engine, struct prediction *prediction)
{
    const struct scenario *scenario = prediction->scenario;
    struct simulation *simulation = memory_zeroed(1, sizeof *simulation);
    simulation->prediction = prediction;
    simulation->entering = NONE;
    simulation->locations = memory_zeroed(engine->n_locations, sizeof *simulation->locations);
    engine->result->simulated = memory_zeroed(engine->n_ranks, sizeof *engine->result->simulated);
    simulation->left_out = left_out_new();
    simulation->migration = migration_new(scenario, engine->n_locations);
    simulation->overlap = overlap_new(scenario, engine->n_locations);
    simulation->aggregation = aggregation_new(scenario, engine->n_ranks);
    return simulation;
}

static void simulation_free(struct simulation *simulation)
{
    free(simulation->locations);
    free(simulation->messages);
    free(simulation->postings);
    free(simulation->operations);
    free(simulation->conditions);
    free(simulation->transfers);
    free(simulation->arrived);
    left_out_free(simulation->left_out);
    migration_free(simulation->migration);
    overlap_free(simulation->overlap);
    aggregation_free(simulation->aggregation);
    free(simulation);
}

static void advance(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    switch (simulated_location(engine, location)->phase) {
    case SIMULATION_BEFORE:
        engine_begin_location(engine, location, now_ns);
        if (simulation_of(engine)->migration)
            migration_began(engine, location, now_ns);
        outside_begin(engine, location, now_ns, now_ns);
        break;
    case SIMULATION_OUTSIDE:
        outside_is_over(engine, location, now_ns);
        break;
    case SIMULATION_ENTERED:
        in_call_await(engine, location, now_ns);
        break;
    case SIMULATION_BLOCKED:
        blocked_step(engine, location, now_ns);
        break;
    default: // SIMULATION_LEAVING; no other location could be done
        if (!scheduler_works_on(prediction_of(engine)->scheduler, location->index, now_ns))
            in_call_leave(engine, location, now_ns);
        break;
    }
}

static void begin(struct engine *engine)
{
    const struct prediction *prediction = prediction_of(engine);
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct location_state *location = &engine->locations[i];
        bool is_empty = !trace_peek(engine->trace, i, location->cursor, 0);
        uint64_t first_ns = prediction->timeless ? 0 : location->next_ns;
        // From now on nobody asks for the time of a location's next event but to find out whether
        // it has ended, or can still come before a time that has passed.
        location->next_ns = UINT64_MAX;
        if (is_empty)
            outside_end_location(engine, location, 0);
        else
            scheduler_wait(prediction->scheduler, location->index, 0, first_ns, 0);
    }
}

/// Of many locations the one that goes on is in no near cache: asks for all of it at once.
static inline void fetch(const struct engine *engine, uint32_t index)
{
    enum { MANY_LOCATIONS = 16, LINE_BYTES = 64 };
    const struct location_state *location = &engine->locations[index];
    const char *state = (const char *)&simulation_of(engine)->locations[index];
    if (engine->n_locations < MANY_LOCATIONS)
        return;
    for (size_t i = 0; i < sizeof(struct location_simulation); i += LINE_BYTES)
        __builtin_prefetch(state + i, 1);
    for (size_t i = 0; i < sizeof(struct location_state); i += LINE_BYTES)
        __builtin_prefetch((const char *)location + i, 1);
    __builtin_prefetch(location->cursor);
}

static void simulation_run(struct engine *engine)
{
    struct simulation *simulation = simulation_of(engine);
    const struct prediction *prediction = simulation->prediction;
    uint32_t index;
    uint64_t time_ns;
    begin(engine);
    for (uint32_t n_turns = 1;; n_turns++) {
        bool is_any = scheduler_next(prediction->scheduler, &index, &time_ns);
        if (prediction->contention && transfers_begin(engine, is_any ? time_ns : UINT64_MAX))
            continue;
        if (!is_any) {
            if (blocked_let_go(engine))
                continue;
            break;
        }
        simulation->now_ns = time_ns;
        fetch(engine, index);
        advance(engine, &engine->locations[index], simulation->now_ns);
        if (n_turns % TURNS_PER_REPORT == 0 && engine->listener.reached)
            engine->listener.reached(engine->listener.context, simulation->now_ns);
    }
    if (simulation->migration)
        migration_conclude(engine);
}

int prediction_run(struct prediction *prediction, struct trace *trace,
                   const struct pag_options *options, const struct pag_listener *listener,
                   struct pag_result *result, struct error *err)
{
    struct engine engine;
    engine_init(&engine, trace, options, listener, &simulation_hooks, result);
    struct simulation *simulation = simulation_new(&engine, prediction);
    engine.driver = simulation;
    engine.any_member_delays = prediction->collectives != NULL;
    engine.eager.node_of_rank = prediction->scenario->placement.node_of_rank;
    simulation_run(&engine);
    int status = engine_conclude(&engine, err);
    simulation_free(simulation);
    for (size_t i = 0; i < result->n_locations; i++)
        outcome_sum_inclusive(&result->locations[i]);
    // Of a run twice as long as any recorded one sums may not fit.
    if (status == 0 && result->time_ns / 2 > clock_max_run_ns(result->n_locations))
        status =
            error_set(err, "the predicted run takes %.3g s, longer than any run that can be judged",
                      (double)result->time_ns * 1e-9);
    return status;
}
