// SPDX-License-Identifier: BSD-3-Clause
// Processes that run on the same cores share them equally, by a virtual time of these.

#include "tests/reference/predicted_costs.h"
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

bool shares_in_slices(const struct model *model, uint32_t rank)
{
    uint32_t n = 0;
    if (model->scenario->slice_ns == 0 || model->scenario->n_cores == 0)
        return false;
    for (uint32_t other = 0; other < model->trace->n_ranks; other++)
        n += are_together(model->scenario, rank, other);
    return n > (model->scenario->is_sticky
                    ? 1
                    : machine_cores_of(model->scenario, model->scenario->node[rank]));
}

bool is_held_send(const struct model *model, const struct model_send *send)
{
    const struct predicted_scenario *scenario = model->scenario;
    return scenario->holds_senders && scenario->spins &&
           send->now_bytes > scenario->buffered_bytes && send->sender != send->receiver &&
           (send->is_synchronous || model->calls[send->call].is_standard_send) &&
           shares_in_slices(model, send->receiver) &&
           (!goes_far(model, send) || is_waiting_send(model, send));
}

uint64_t ranks_per_core(const struct model *model, uint32_t rank)
{
    const struct predicted_scenario *scenario = model->scenario;
    uint64_t n = 0, n_cores = 1;
    for (uint32_t other = 0; other < model->trace->n_ranks; other++)
        n += are_together(scenario, rank, other);
    if (scenario->n_cores > 0 && !scenario->is_sticky)
        n_cores = machine_cores_of(scenario, scenario->node[rank]);
    return n <= n_cores ? PER_NS : n * PER_NS / n_cores;
}

// --- Cores that more ranks share than they are, each for a slice of time.

static bool is_holding(const struct prediction_state *state, const struct process *process,
                       uint32_t cores)
{
    return process->cores == cores && process->is_in_turn && process->has_core;
}

static bool is_queued(const struct process *process, uint32_t cores)
{
    return process->cores == cores && process->is_in_turn && !process->has_core;
}

bool has_slices(const struct prediction_state *state, const struct process *process)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < state->n_processes; i++)
        n += state->processes[i].cores == process->cores;
    return state->scenario->slice_ns > 0 && n > state->cores[process->cores].n;
}

/// How many have one of these cores.
static uint32_t count_holders(const struct prediction_state *state, uint32_t cores)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < state->n_processes; i++)
        n += is_holding(state, &state->processes[i], cores);
    return n;
}

/// Who came to the queue of CORES first; NULL: nobody stands there.
static struct process *first_queued(const struct prediction_state *state, uint32_t cores)
{
    struct process *first = NULL;
    for (uint32_t i = 0; i < state->n_processes; i++) {
        struct process *process = &state->processes[i];
        if (is_queued(process, cores) && (!first || process->queue_number < first->queue_number))
            first = process;
    }
    return first;
}

static void give(struct process *process, uint64_t now_ns)
{
    process->has_core = true;
    process->got_core_ns = now_ns;
}

static void give_to_first(struct prediction_state *state, uint32_t cores, uint64_t now_ns)
{
    struct process *first = first_queued(state, cores);
    if (first)
        give(first, now_ns);
}

static void queue_up(struct prediction_state *state, struct process *process, uint64_t now_ns)
{
    if (!first_queued(state, process->cores))
        state->cores[process->cores].queue_since_ns = now_ns;
    process->has_core = false;
    process->queue_number = ++state->n_queue_numbers;
}

void take_turns(struct prediction_state *state, struct process *process, uint64_t now_ns)
{
    bool is_free = count_holders(state, process->cores) < state->cores[process->cores].n;
    if (is_free)
        give(process, now_ns);
    else
        queue_up(state, process, now_ns);
    process->is_in_turn = true;
}

void leave_turns(struct prediction_state *state, struct process *process, uint64_t now_ns)
{
    bool had_core = process->has_core;
    process->is_in_turn = process->has_core = false;
    if (had_core)
        give_to_first(state, process->cores, now_ns);
}

/// Since when what PROCESS works, or had left of it, goes on.
static uint64_t going_since_ns(const struct process *process)
{
    return process->got_core_ns > process->begun_ns ? process->got_core_ns : process->begun_ns;
}

uint64_t sliced_end_ns(const struct process *process)
{
    if (!process->is_in_turn || !process->has_core)
        return UNKNOWN;
    parts_t left = process->left > 0 ? process->left : 0;
    return going_since_ns(process) + (uint64_t)((left + PER_NS - 1) / PER_NS);
}

void end_sliced_work(struct process *process, uint64_t now_ns)
{
    parts_t passed = (parts_t)(now_ns - going_since_ns(process)) * PER_NS;
    parts_t left = process->left;
    if (left < 0 && process->done_ns != now_ns) // it lacked its core meanwhile
        left = 0;
    process->too_late = passed > left ? passed - left : 0;
}

/// When the slice of PROCESS, which has a core, is over, as somebody waits for it.
static uint64_t slice_end_ns(const struct prediction_state *state, const struct process *process)
{
    uint64_t slice_ns = state->scenario->slice_ns;
    uint64_t end_ns = process->got_core_ns + slice_ns;
    uint64_t wanted_ns = state->cores[process->cores].queue_since_ns;
    if (end_ns >= wanted_ns)
        return end_ns;
    if (state->scenario->spins)
        return wanted_ns;
    while (end_ns < wanted_ns)
        end_ns += slice_ns;
    return end_ns;
}

void end_slice(struct prediction_state *state, struct process *process, uint64_t now_ns)
{
    bool is_working = process->phase != PHASE_WAIT && process->phase != PHASE_STARTING;
    if (is_working) {
        parts_t done = (parts_t)(now_ns - going_since_ns(process)) * PER_NS;
        process->left = process->left > done ? process->left - done : 0;
    }
    queue_up(state, process, now_ns);
    give_to_first(state, process->cores, now_ns);
}

/// Is RANK in a call in which it moves messages of others?
static bool attends(const struct prediction_state *state, uint32_t rank)
{
    const struct process *process = &state->processes[rank];
    return process->phase != PHASE_ABSENT && process->phase != PHASE_ENDED &&
           process->step->kind == STEP_CALL && model_attends(state->model, process->step->call);
}

/// Could the receiver of message S, which needs a core for it, take it?
static bool is_available(const struct prediction_state *state, uint32_t s)
{
    const struct model *model = state->model;
    const struct model_send *send = &model->sends[s];
    return !send->is_unsent && send->receive != REFERENCE_NONE &&
           state->times.taken_ns[s] == UNKNOWN && state->times.departed_ns[send->call] != UNKNOWN &&
           is_held_send(model, send) &&
           (!is_waiting_send(model, send) ||
            state->times.enter_ns[model->receives[send->receive].post_call] != UNKNOWN);
}

void take_messages(struct prediction_state *state, const struct process *process, uint64_t now_ns)
{
    if (!state->scenario->holds_senders || !attends(state, process->rank))
        return;
    for (uint32_t s = 0; s < state->model->n_sends; s++)
        if (state->model->sends[s].receiver == process->rank && is_available(state, s))
            state->times.taken_ns[s] = now_ns;
}

/// Does PROCESS, which waits, need a core to take a message?
static bool must_take(const struct prediction_state *state, const struct process *process)
{
    if (process->phase != PHASE_WAIT || !state->scenario->holds_senders ||
        !attends(state, process->rank))
        return false;
    for (uint32_t s = 0; s < state->model->n_sends; s++)
        if (state->model->sends[s].receiver == process->rank && is_available(state, s))
            return true;
    return false;
}

void notice_messages(struct prediction_state *state, uint64_t now_ns)
{
    for (uint32_t i = 0; i < state->n_processes && state->scenario->holds_senders; i++) {
        struct process *process = &state->processes[i];
        if (process->has_core && must_take(state, process))
            take_messages(state, process, now_ns);
    }
}

/// Does somebody who takes turns on CORES have something to do, now or at a known time?
static bool is_wanted(const struct prediction_state *state, uint32_t cores)
{
    for (uint32_t i = 0; i < state->n_processes; i++) {
        const struct process *process = &state->processes[i];
        bool is_open = process->phase == PHASE_WAIT && process->ready_ns == UNKNOWN &&
                       process->due_ns == UNKNOWN;
        if (process->cores == cores && process->is_in_turn &&
            (!is_open || must_take(state, process)))
            return true;
    }
    return false;
}

bool is_anything_wanted(const struct prediction_state *state)
{
    for (uint32_t i = 0; i < state->n_processes; i++)
        if (has_slices(state, &state->processes[i]) && is_wanted(state, state->processes[i].cores))
            return true;
    return false;
}

struct process *next_slice_end(const struct prediction_state *state, uint64_t *time_ns)
{
    struct process *next = NULL;
    *time_ns = UNKNOWN;
    for (uint32_t i = 0; i < state->n_processes; i++) {
        struct process *process = &state->processes[i];
        if (!is_holding(state, process, process->cores) || !has_slices(state, process) ||
            !first_queued(state, process->cores))
            continue;
        uint64_t end_ns = slice_end_ns(state, process);
        bool is_earlier = end_ns < *time_ns;
        if (next && end_ns == *time_ns) // of other cores: first where that matters now
            is_earlier = is_wanted(state, process->cores) && !is_wanted(state, next->cores);
        if (is_earlier) {
            *time_ns = end_ns;
            next = process;
        }
    }
    return next;
}
