// SPDX-License-Identifier: BSD-3-Clause
// The costs of a run on an ideal network (see ideal.h).
#include "analyzer/simulation/cost/ideal.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/simulation/cores/placement.h"
#include "analyzer/simulation/cost/recorded_costs.h"

/// LOCATION is at NOW_NS where it was at RECORDED_NS; since the last MPI call both went on alike.
static void note_place(struct ideal_location *location, uint64_t recorded_ns, uint64_t now_ns,
                       uint64_t window_end_ns)
{
    location->has_reached = true;
    location->reached_ns = less(now_ns, less(recorded_ns, window_end_ns));
}

static void ended(struct prediction *prediction, uint32_t index, uint64_t now_ns)
{
    const struct ideal *ideal = prediction->ideal;
    struct ideal_location *location = &ideal->locations[index];
    if (!location->has_reached)
        note_place(location, location->recorded_last_ns, now_ns, ideal->end_ns);
}

static bool is_rendezvous(const struct prediction *prediction, uint32_t sender, uint32_t receiver,
                          uint64_t size_bytes)
{
    (void)prediction, (void)sender, (void)receiver, (void)size_bytes;
    return false; // MPI_Ssend is, whatever is said here
}

static uint64_t message_ns(const struct prediction *prediction, uint32_t sender, uint32_t receiver,
                           uint64_t size_bytes)
{
    (void)prediction, (void)sender, (void)receiver, (void)size_bytes;
    return 0;
}

/// When CALL ends at the earliest.
static uint64_t least_end_ns(const struct ideal *ideal, const struct simulated_call *call)
{
    uint64_t end_ns = smaller(call->recorded_leave_ns, ideal->begin_ns);
    return end_ns > call->enter_ns ? end_ns : call->enter_ns;
}

static pag_work work_before(struct prediction *prediction, const struct simulated_call *call,
                            const uint32_t *receivers)
{
    (void)receivers;
    const struct ideal *ideal = prediction->ideal;
    struct ideal_location *location = &ideal->locations[call->location];
    if (!location->has_reached && ideal->end_ns < call->recorded_leave_ns)
        note_place(location, call->recorded_enter_ns, call->enter_ns, ideal->end_ns);
    if (call->is_waiting)
        return 0;
    return (pag_work)(least_end_ns(ideal, call) - call->enter_ns) * PAG_WORK_PER_NS;
}

static void settle(struct prediction *prediction, const struct simulated_call *call,
                   const struct call_condition *conditions, uint32_t n_conditions,
                   uint64_t *ready_ns, pag_work *amount)
{
    const struct ideal *ideal = prediction->ideal;
    *amount = 0;
    *ready_ns = least_end_ns(ideal, call);
    for (uint32_t i = 0; i < n_conditions; i++)
        if (conditions[i].time_ns > *ready_ns)
            *ready_ns = conditions[i].time_ns;
}

static uint64_t least_length(const struct prediction *prediction, const struct simulated_call *call,
                             bool is_unknown)
{
    const struct ideal *ideal = prediction->ideal;
    if (is_unknown)
        return call->recorded_leave_ns - call->recorded_enter_ns;
    return least_end_ns(ideal, call) - call->enter_ns;
}

static const struct cost_model ideal_costs = {
    .departs_at_enter = true,
    .work_before = work_before,
    .settle = settle,
    .least_length = least_length,
    .is_rendezvous = is_rendezvous,
    .message_ns = message_ns,
    .synchronises = recorded_costs_synchronise,
    .ended = ended,
};

void ideal_init(struct ideal *ideal, const struct definitions *definitions,
                const struct pag_result *measured, const struct recorded *recorded)
{
    static const struct scenario_settings settings = {
        .n_cores = UINT32_MAX, .hand_over_ns = PAG_NOT_KNOWN, .slice_ns = PAG_NOT_KNOWN};
    size_t n = definitions->n_locations;
    *ideal = (struct ideal){
        .locations = memory_zeroed(n, sizeof *ideal->locations),
        .n_locations = n,
        .begin_ns = measured->window_begin_ns,
        .end_ns = measured->window_end_ns,
    };
    for (size_t i = 0; i < n; i++) {
        const struct location *location = &definitions->locations[i];
        ideal->locations[i] = (struct ideal_location){
            .counts = location->rank != EVENT_NO_INDEX && location->is_master &&
                      measured->locations[i].first_ns < measured->window_end_ns,
            .recorded_last_ns = measured->locations[i].last_ns,
        };
    }
    struct error none; // nothing is asked for that might not fit the run
    scenario_init(&ideal->alone, definitions, &settings, &none);
    ideal->prediction = (struct prediction){
        .definitions = definitions,
        .scenario = &ideal->alone,
        .recorded = recorded,
        .costs = &ideal_costs,
        .scheduler = core_groups_share(&ideal->alone, definitions, NULL, true),
        .counts_wall_time = true,
        .ideal = ideal,
    };
}

void ideal_release(struct ideal *ideal)
{
    prediction_release(&ideal->prediction);
    scenario_release(&ideal->alone);
    free(ideal->locations);
    *ideal = (struct ideal){0};
}

uint64_t ideal_time_ns(const struct ideal *ideal)
{
    uint64_t reached_ns = ideal->begin_ns;
    for (size_t i = 0; i < ideal->n_locations; i++)
        if (ideal->locations[i].counts && ideal->locations[i].reached_ns > reached_ns)
            reached_ns = ideal->locations[i].reached_ns;
    return reached_ns - ideal->begin_ns;
}
