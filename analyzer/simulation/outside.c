// SPDX-License-Identifier: BSD-3-Clause
// A location of a simulated run outside MPI (outside.h).
#include "analyzer/simulation/outside.h"

#include <stdlib.h>

#include "analyzer/pag/engine.h"
#include "analyzer/simulation/blocked.h"
#include "analyzer/simulation/change/overlap.h"
#include "analyzer/simulation/in_call.h"
#include "analyzer/simulation/moved.h"
#include "analyzer/simulation/simulation.h"

void outside_begin(struct engine *engine, struct location_state *location, uint64_t now_ns,
                   uint64_t recorded_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    struct prediction *prediction = prediction_of(engine);
    pag_work work;
    state->phase = SIMULATION_OUTSIDE;
    const struct event *event =
        interval_read(engine, location, &state->interval, now_ns, recorded_ns, &work);
    state->interval_work = work;
    state->outside_work += work;
    state->lost_ns += state->interval.lost_ns;
    bool is_last = !event || event->kind == EVENT_THREAD_JOIN;
    scheduler_work(prediction->scheduler, location->index, now_ns, work,
                   is_last ? PAG_TURN_LAST : PAG_TURN_FIRST);
}

void outside_end_location(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    struct prediction *prediction = prediction_of(engine);
    state->phase = SIMULATION_ENDED;
    location->profile.last_ns = now_ns;
    engine_end_location(engine, location);
    if (prediction->costs->ended)
        prediction->costs->ended(prediction, location->index, now_ns);
    scheduler_end(prediction->scheduler, location->index, now_ns);
    interval_release(&state->interval);
    free(state->departing);
    free(state->receivers);
    state->departing = state->receivers = NULL;
    if (location->rank == NONE)
        return;
    if (location->is_master)
        engine->result->simulated[location->rank] = (struct pag_simulated_rank){
            .work_ns = (uint64_t)(state->outside_work / PAG_WORK_PER_NS),
            .outside_ns = state->outside_ns,
            .wait_ns = state->wait_ns,
            .overhead_ns = state->overhead_ns,
            .lost_ns = state->lost_ns,
        };
    if (engine->ranks[location->rank].has_ended)
        blocked_try_all_again(engine);
}

/// How long RANK takes up to MPI_Init at least: it has WORK to do until then, and was LOST_NS
/// without a core in the recording. What keeps a process that starts from its core is not recorded,
/// but whose work it can have been: of a rank that shared its cores that of the others, as
/// recorded_process_time() sees to, which takes less time on faster cores. Of one that had cores
/// enough it was no rank's, and stays as long.
static uint64_t start_length(const struct prediction *prediction, uint32_t rank, pag_work work,
                             uint64_t lost_ns)
{
    const struct scenario *scenario = prediction->scenario;
    pag_work speed = scenario->groups[scenario->group_of_rank[rank]].speed;
    pag_work scaled = work;
    if (recorded_lacked_cores(prediction->recorded, rank)) {
        scaled += (pag_work)lost_ns * PAG_WORK_PER_NS;
        lost_ns = 0;
    }
    scaled = scaled * SCHEDULER_FULL_SPEED / speed;
    return (uint64_t)(scaled / PAG_WORK_PER_NS) + lost_ns;
}

/// Whether LOCATION, about to start MPI with EVENT, took time up to there that was no process time:
/// then it waits until it has started.
static bool is_starting(struct engine *engine, struct location_state *location,
                        const struct event *event, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    struct prediction *prediction = prediction_of(engine);
    if (state->has_started || state->interval.lost_ns == 0 || location->rank == NONE || !event ||
        event->kind != EVENT_ENTER || region_at(engine, event->index)->mpi != MPI_FUNCTION_INIT)
        return false;
    state->has_started = true;
    uint64_t lost_ns = state->interval.lost_ns;
    uint64_t until_ns = state->interval.begin_ns +
                        start_length(prediction, location->rank, state->interval_work, lost_ns);
    if (until_ns <= now_ns)
        return false;
    state->start_wait_ns = until_ns - now_ns;
    state->wait_ns += state->start_wait_ns;
    scheduler_wait(prediction->scheduler, location->index, now_ns, until_ns, 0);
    return true;
}

void outside_is_over(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    const struct event *event = trace_peek(engine->trace, location->index, location->cursor, 0);
    if (is_starting(engine, location, event, now_ns))
        return;
    state->outside_ns += now_ns - state->interval.begin_ns - state->start_wait_ns;
    state->start_wait_ns = 0;
    interval_close(engine, location, &state->interval, now_ns);
    moved_tell_outside(engine, location, now_ns);
    if (simulation_of(engine)->overlap &&
        overlap_begin(engine, location, event, state->interval.recorded_now_ns, now_ns)) {
        in_call_enter_late(engine, location, now_ns);
        return;
    }
    if (simulation_of(engine)->overlap) // it has looked ahead, which moves events
        event = trace_peek(engine->trace, location->index, location->cursor, 0);
    if (!event) {
        outside_end_location(engine, location, now_ns);
    } else if (event->kind >= EVENT_THREAD_FORK && event->kind <= EVENT_THREAD_TEAM_END) {
        uint64_t recorded_ns = event->time_ns;
        threads_event(engine, location, event, now_ns);
        location->cursor->position++;
        moved_tell_event(engine, location, recorded_ns, now_ns);
        outside_begin(engine, location, now_ns, recorded_ns);
    } else {
        in_call_enter(engine, location, event, now_ns);
    }
}
