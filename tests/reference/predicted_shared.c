// SPDX-License-Identifier: BSD-3-Clause
// What a recording with more ranks than cores tells of the times without a core.
#include "tests/reference/predicted_costs.h"

bool has_lacked_cores(const struct model *model, const struct predicted_scenario *scenario,
                      uint32_t rank)
{
    uint32_t node = scenario->recorded_node[rank], n = 0;
    for (uint32_t other = 0; other < model->trace->n_ranks; other++)
        n += scenario->recorded_node[other] == node;
    return scenario->recorded_cores[node] > 0 && n > scenario->recorded_cores[node];
}

/// Is RANK outside MPI right after TIME_NS?
static bool is_outside(const struct model *model, uint32_t rank, uint64_t time_ns)
{
    const struct reference_location *location = &model->trace->locations[rank];
    if (location->n_records == 0 || time_ns < location->records[0].time_ns ||
        time_ns >= location->records[location->n_records - 1].time_ns)
        return false;
    for (uint32_t c = 0; c < model->n_calls; c++) {
        const struct model_call *call = &model->calls[c];
        if (call->rank == rank && call->enter_ns <= time_ns && time_ns < call->leave_ns)
            return false;
    }
    return true;
}

/// How many of the ranks on NODE compute right after TIME_NS.
static uint32_t count_outside(const struct model *model, const struct predicted_scenario *scenario,
                              uint32_t node, uint64_t time_ns)
{
    uint32_t n = 0;
    for (uint32_t rank = 0; rank < model->trace->n_ranks; rank++)
        n += scenario->recorded_node[rank] == node && is_outside(model, rank, time_ns);
    return n;
}

/// How much of FROM_NS..LEAVE_NS is behind the last ns in which all cores of NODE were taken.
static uint64_t free_time(const struct model *model, const struct predicted_scenario *scenario,
                          uint32_t node, uint64_t from_ns, uint64_t leave_ns)
{
    uint64_t begin_ns = leave_ns;
    while (begin_ns > from_ns &&
           count_outside(model, scenario, node, begin_ns - 1) < scenario->recorded_cores[node])
        begin_ns--;
    return leave_ns - begin_ns;
}

uint64_t own_call_time(const struct model *model, const struct predicted_scenario *scenario,
                       uint32_t c, uint64_t from_ns)
{
    const struct model_call *call = &model->calls[c];
    if (!has_lacked_cores(model, scenario, call->rank))
        return call->leave_ns - call->enter_ns;
    return free_time(model, scenario, scenario->recorded_node[call->rank], from_ns, call->leave_ns);
}

/// Do RANK and OTHER run on the same cores?
static bool are_together(const struct predicted_scenario *scenario, uint32_t rank, uint32_t other)
{
    if (rank == other || scenario->node[rank] != scenario->node[other])
        return rank == other;
    if (scenario->n_cores == 0 || !scenario->is_sticky)
        return scenario->n_cores > 0;
    uint32_t n_cores = machine_cores_of(scenario, scenario->node[rank]), place[2] = {0, 0};
    for (uint32_t before = 0; before < rank; before++)
        place[0] += scenario->node[before] == scenario->node[rank];
    for (uint32_t before = 0; before < other; before++)
        place[1] += scenario->node[before] == scenario->node[rank];
    return place[0] % n_cores == place[1] % n_cores;
}

bool shares_in_slices(const struct model *model, const struct predicted_scenario *scenario,
                      uint32_t rank)
{
    uint32_t n = 0;
    if (scenario->slice_ns == 0 || scenario->n_cores == 0)
        return false;
    for (uint32_t other = 0; other < model->trace->n_ranks; other++)
        n += are_together(scenario, rank, other);
    return n > (scenario->is_sticky ? 1 : machine_cores_of(scenario, scenario->node[rank]));
}

/// Does RANK share as many cores as in the recording with the same ranks?
static bool keeps_cores(const struct model *model, const struct predicted_scenario *scenario,
                        uint32_t rank)
{
    uint32_t node = scenario->recorded_node[rank], n_then = 0, n_now = 0;
    for (uint32_t other = 0; other < model->trace->n_ranks; other++) {
        bool was_together = scenario->recorded_node[other] == node;
        if (was_together != are_together(scenario, rank, other))
            return false;
        n_then += was_together;
    }
    uint32_t n_cores = machine_cores_of(scenario, scenario->node[rank]);
    n_now = n_cores == 0 || scenario->is_sticky ? 1 : n_cores < n_then ? n_cores : n_then;
    return n_now ==
           (scenario->recorded_cores[node] < n_then ? scenario->recorded_cores[node] : n_then);
}

uint64_t own_time_with_sender(const struct model *model, const struct predicted_scenario *scenario,
                              uint32_t c, uint64_t own_ns)
{
    const struct model_call *call = &model->calls[c];
    const struct model_send *needed = NULL;
    uint64_t least_ns = 0;
    for (uint32_t r = 0; r < model->n_receives && !call->is_test && !scenario->spins; r++) {
        if (model->receives[r].complete_call != c || model->receives[r].send == REFERENCE_NONE)
            continue;
        const struct model_send *send = &model->sends[model->receives[r].send];
        uint32_t node = scenario->recorded_node[send->sender];
        uint64_t from_ns = model->calls[send->call].enter_ns;
        from_ns = from_ns < call->enter_ns ? call->enter_ns : from_ns;
        if (from_ns >= call->leave_ns || node == scenario->recorded_node[call->rank] ||
            !has_lacked_cores(model, scenario, send->sender))
            continue;
        uint64_t time_ns = free_time(model, scenario, node, from_ns, call->leave_ns);
        if ((time_ns == 0 && is_outside(model, send->sender, call->leave_ns - 1)) ||
            time_ns >= own_call_time(model, scenario, c, from_ns))
            continue;
        if (needed &&
            (time_ns > least_ns || (time_ns == least_ns && send->sender > needed->sender)))
            continue;
        if (needed && time_ns == least_ns && send->sender == needed->sender &&
            size_class(send->size_bytes) <= size_class(needed->size_bytes))
            continue;
        needed = send;
        least_ns = time_ns;
    }
    if (!needed || keeps_cores(model, scenario, needed->sender) ||
        was_sent_at_once(model, scenario, needed))
        return own_ns;
    return least_ns < own_ns ? least_ns : own_ns;
}

uint64_t crowded_time(const struct model *model, const struct predicted_scenario *scenario,
                      uint32_t rank, uint64_t from_ns, uint64_t to_ns)
{
    uint32_t node = scenario->recorded_node[rank];
    uint64_t crowded_ns = 0;
    for (uint64_t time_ns = from_ns; time_ns < to_ns; time_ns++)
        crowded_ns +=
            count_outside(model, scenario, node, time_ns) > scenario->recorded_cores[node];
    return crowded_ns;
}
