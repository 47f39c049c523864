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

uint64_t own_call_time(const struct model *model, const struct predicted_scenario *scenario,
                       uint32_t c, uint64_t from_ns)
{
    const struct model_call *call = &model->calls[c];
    uint32_t node = scenario->recorded_node[call->rank];
    uint64_t begin_ns = call->leave_ns;
    if (!has_lacked_cores(model, scenario, call->rank))
        return call->leave_ns - call->enter_ns;
    while (begin_ns > from_ns &&
           count_outside(model, scenario, node, begin_ns - 1) < scenario->recorded_cores[node])
        begin_ns--;
    return call->leave_ns - begin_ns;
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
