// SPDX-License-Identifier: BSD-3-Clause
// A call as its cost model sees it: what it was in the recording, and what it waits for.
#pragma once

#include <stdint.h>

#include "analyzer/simulation/cost/recorded_costs.h"
#include "analyzer/simulation/state.h"

/// Puts the conditions of CALL into prediction.conditions: their number.
uint32_t conditions_of(struct engine *engine, const struct call *call);

/// One more: the message with this index, whose receive has not been posted, is seen.
void conditions_add_probed(struct engine *engine, uint32_t message, uint32_t *n_conditions);

/// What CALL, all partners of which have come, waits for, as struct cost_model has it. Its
/// conditions are in prediction.conditions.
static inline void conditions_settle(struct engine *engine, const struct simulated_call *call,
                                     uint32_t n_conditions, uint64_t *ready_ns, pag_work *work)
{
    struct prediction *prediction = prediction_of(engine);
    const struct call_condition *conditions = prediction->conditions;
    if (prediction->is_delayed)
        conditions = added_latency_apply(&prediction->delay, conditions, n_conditions);
    prediction->costs->settle(prediction, call, conditions, n_conditions, ready_ns, work);
}

// Asked several times for each call: hence inline.

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
    if (prediction->notes && location->is_master)
        described.recorded_work_ns = recorded_own_work(prediction, &described);
    return described;
}
