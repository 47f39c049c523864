// SPDX-License-Identifier: BSD-3-Clause
// How a location of a simulated run goes on. Outside MPI: the work up to its next call, an event of
// its threads, or its end. In an MPI call: work before its messages depart, the wait for what it
// needs (blocked.h), its leave.
#ifndef PAGODA_SIMULATION_ADVANCE_H
#define PAGODA_SIMULATION_ADVANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/simulation/cost/recorded_costs.h"
#include "analyzer/simulation/simulation.h"

/// LOCATION is outside MPI from NOW_NS on, which was RECORDED_NS in the recording: reads what it
/// does up to its next call, which the scheduler lets it work.
void outside_begin(struct engine *engine, struct location_state *location, uint64_t now_ns,
                   uint64_t recorded_ns);

/// That work is done: goes on with what comes next.
void outside_is_over(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// LOCATION has no further event.
void outside_end_location(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// LOCATION enters a call by EVENT.
void in_call_enter(struct engine *engine, struct location_state *location,
                   const struct event *event, uint64_t now_ns);

/// It enters the call that stands for those that were put off (overlap_begin), and waits.
void in_call_enter_late(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// The work before the wait is done.
void in_call_await(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// All of the call is done: reads its records up to its leave, and goes on behind it.
void in_call_leave(struct engine *engine, struct location_state *location, uint64_t now_ns);

// What the open call was in the recording, for its cost model. Asked several times for each call:
// hence inline.

/// Recorded length of the open call, with polls before it that are a part of it.
static inline uint64_t call_recorded_ns(const struct engine *engine,
                                        const struct location_state *location)
{
    return location->call.recorded_leave_ns - location->call.recorded_enter_ns +
           simulated_location(engine, location)->polling.of_call_ns;
}

/// CPU time of the open call, at most what went by between the samples around it; its length where
/// there are none.
static inline uint64_t call_recorded_work_ns(const struct engine *engine,
                                             const struct location_state *location)
{
    const struct call *call = &location->call;
    const struct cpu_span *before = &simulated_location(engine, location)->computation.cpu;
    uint64_t length_ns = call_recorded_ns(engine, location);
    bool is_known =
        call->has_cpu_after && before->has_seen && call->cpu_after_ns >= before->seen_ns;
    uint64_t cpu_ns = is_known ? call->cpu_after_ns - before->seen_ns : length_ns;
    return cpu_ns < length_ns ? cpu_ns : length_ns;
}

/// The open call, with what is its location's own of it.
static inline struct simulated_call call_description(const struct engine *engine,
                                                     const struct location_state *location)
{
    const struct call *call = &location->call;
    const struct location_simulation *state = simulated_location(engine, location);
    const struct prediction *prediction = prediction_of(engine);
    struct simulated_call described = {
        .sent_bytes =
            state->n_departing == 1 ? message_at(engine, state->departing[0])->size_bytes : 0,
        .location = location->index,
        .rank = location->rank,
        .region = call->is_bare ? EVENT_NO_INDEX : location->profile.paths[call->path].region,
        .recorded_enter_ns = call->recorded_enter_ns - state->polling.of_call_ns,
        .recorded_leave_ns = call->recorded_leave_ns,
        .recorded_work_ns = call_recorded_work_ns(engine, location),
        .enter_ns = call->enter_ns,
        .n_sent = state->n_receivers,
        .n_records = call->n_records,
        .n_left_out = call->n_left_out,
        .is_waiting = state->is_waiting,
        .is_finalize = call->is_finalize,
        .is_handle = state->is_handle,
    };
    if (prediction->calls && location->is_master)
        described.recorded_work_ns = recorded_own_work(prediction, &described);
    return described;
}

#endif
