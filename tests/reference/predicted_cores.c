// SPDX-License-Identifier: BSD-3-Clause
// Processes that run on the same cores share them equally, by a virtual time of these.
#include "tests/reference/predicted_state.h"

bool is_runnable(const struct prediction_state *state, const struct process *process)
{
    return process->phase == PHASE_OUTSIDE || process->phase == PHASE_BEFORE ||
           process->phase == PHASE_AFTER ||
           ((process->phase == PHASE_WAIT || process->phase == PHASE_STARTING) &&
            state->scenario->spins);
}

static uint32_t count_runnable(const struct prediction_state *state, uint32_t cores)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < state->n_processes; i++)
        n += state->processes[i].cores == cores && is_runnable(state, &state->processes[i]);
    return n;
}

static parts_t virtual_time_at(const struct prediction_state *state, uint32_t number,
                               uint64_t now_ns)
{
    const struct cores *cores = &state->cores[number];
    uint32_t k = count_runnable(state, number), m = k < cores->n ? k : cores->n;
    parts_t passed = (parts_t)(now_ns - cores->since_ns) * PER_NS;
    return cores->virtual_time + (k > 0 ? passed * m / k : 0);
}

void touch_cores(struct prediction_state *state, const struct process *process, uint64_t now_ns)
{
    struct cores *cores = &state->cores[process->cores];
    cores->virtual_time = virtual_time_at(state, process->cores, now_ns);
    cores->since_ns = now_ns;
}

uint64_t work_end_ns(const struct prediction_state *state, const struct process *process)
{
    const struct cores *cores = &state->cores[process->cores];
    uint32_t k = count_runnable(state, process->cores), m = k < cores->n ? k : cores->n;
    parts_t rest = process->target - cores->virtual_time;
    if (rest <= 0)
        return cores->since_ns;
    parts_t per_ns = (parts_t)PER_NS * m;
    return cores->since_ns + (uint64_t)((rest * k + per_ns - 1) / per_ns);
}

void start_work(struct prediction_state *state, struct process *process, enum phase phase,
                parts_t work, uint64_t now_ns)
{
    touch_cores(state, process, now_ns);
    uint64_t speed = machine_speed_of(state->scenario, state->scenario->node[process->rank]);
    if (speed != PER_NS)
        work = work * PER_NS / (parts_t)speed;
    if (has_slices(state, process)) {
        bool goes_on = process->has_done && process->done_ns == now_ns;
        parts_t done = goes_on ? process->too_late : 0;
        process->left = work - done;
        process->begun_ns = now_ns;
        process->phase = phase;
        if (!process->is_in_turn)
            take_turns(state, process, now_ns);
        return;
    }
    parts_t start = state->cores[process->cores].virtual_time;
    if (process->has_done && process->done_ns == now_ns)
        start = process->target;
    process->target = start + work;
    process->phase = phase;
}

void deal_cores(struct prediction_state *state)
{
    const struct predicted_scenario *scenario = state->scenario;
    uint32_t n = state->n_processes;
    for (uint32_t rank = 0; rank < n; rank++) {
        uint32_t n_before = 0, node = scenario->node[rank];
        for (uint32_t other = 0; other < rank; other++)
            n_before += scenario->node[other] == node;
        uint32_t cores = rank, n_cores = machine_cores_of(scenario, node);
        if (n_cores && scenario->is_sticky)
            cores = node * n + n_before % n_cores;
        else if (n_cores)
            cores = node * n;
        state->processes[rank].cores = cores;
        state->cores[cores].n = n_cores && !scenario->is_sticky ? n_cores : 1;
    }
}
