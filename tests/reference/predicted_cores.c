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

// --- What a recording with more ranks than cores tells of the times without a core.

bool has_lacked_cores(const struct model *model, uint32_t rank)
{
    uint32_t node = model->scenario->recorded_node[rank], n = 0;
    for (uint32_t other = 0; other < model->trace->n_ranks; other++)
        n += model->scenario->recorded_node[other] == node;
    return model->scenario->recorded_cores[node] > 0 && n > model->scenario->recorded_cores[node];
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
static uint32_t count_outside(const struct model *model, uint32_t node, uint64_t time_ns)
{
    uint32_t n = 0;
    for (uint32_t rank = 0; rank < model->trace->n_ranks; rank++)
        n += model->scenario->recorded_node[rank] == node && is_outside(model, rank, time_ns);
    return n;
}

/// How much of FROM_NS..LEAVE_NS is after the last ns in which all cores of NODE were taken.
static uint64_t free_time(const struct model *model, uint32_t node, uint64_t from_ns,
                          uint64_t leave_ns)
{
    uint64_t begin_ns = leave_ns;
    while (begin_ns > from_ns &&
           count_outside(model, node, begin_ns - 1) < model->scenario->recorded_cores[node])
        begin_ns--;
    return leave_ns - begin_ns;
}

uint64_t own_call_time(const struct model *model, uint32_t c, uint64_t from_ns)
{
    const struct model_call *call = &model->calls[c];
    if (!has_lacked_cores(model, call->rank))
        return call->leave_ns - call->enter_ns;
    return free_time(model, model->scenario->recorded_node[call->rank], from_ns, call->leave_ns);
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

bool keeps_cores(const struct model *model, uint32_t rank)
{
    uint32_t node = model->scenario->recorded_node[rank], n_then = 0, n_now = 0;
    for (uint32_t other = 0; other < model->trace->n_ranks; other++) {
        bool was_together = model->scenario->recorded_node[other] == node;
        if (was_together != are_together(model->scenario, rank, other))
            return false;
        n_then += was_together;
    }
    uint32_t n_cores = machine_cores_of(model->scenario, model->scenario->node[rank]);
    n_now = n_cores == 0 || model->scenario->is_sticky ? 1 : n_cores < n_then ? n_cores : n_then;
    return n_now == (model->scenario->recorded_cores[node] < n_then
                         ? model->scenario->recorded_cores[node]
                         : n_then);
}

uint64_t own_time_with_sender(const struct model *model, uint32_t c, uint64_t own_ns)
{
    const struct model_call *call = &model->calls[c];
    const struct model_send *needed = NULL;
    uint64_t least_ns = 0;
    for (uint32_t r = 0; r < model->n_receives && !call->is_test && !model->scenario->spins; r++) {
        if (model->receives[r].complete_call != c || model->receives[r].send == REFERENCE_NONE)
            continue;
        const struct model_send *send = &model->sends[model->receives[r].send];
        uint32_t node = model->scenario->recorded_node[send->sender];
        uint64_t from_ns = model->calls[send->call].enter_ns;
        from_ns = from_ns < call->enter_ns ? call->enter_ns : from_ns;
        if (from_ns >= call->leave_ns || node == model->scenario->recorded_node[call->rank] ||
            !has_lacked_cores(model, send->sender))
            continue;
        uint64_t time_ns = free_time(model, node, from_ns, call->leave_ns);
        if ((time_ns == 0 && is_outside(model, send->sender, call->leave_ns - 1)) ||
            time_ns >= own_call_time(model, c, from_ns))
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
    if (!needed || keeps_cores(model, needed->sender) || was_sent_at_once(model, needed))
        return own_ns;
    return least_ns < own_ns ? least_ns : own_ns;
}

/// Since when RANK, outside MPI right before TIME_NS, was there; a call without length counts.
static uint64_t outside_since(const struct model *model, uint32_t rank, uint64_t time_ns)
{
    uint64_t since_ns = model->trace->locations[rank].records[0].time_ns;
    for (uint32_t c = 0; c < model->n_calls; c++) {
        const struct model_call *call = &model->calls[c];
        if (call->rank == rank && call->leave_ns < time_ns && call->leave_ns > since_ns)
            since_ns = call->leave_ns;
    }
    return since_ns;
}

uint32_t computing_beside(const struct model *model, uint32_t rank, uint64_t time_ns)
{
    const uint32_t *node = model->scenario->recorded_node;
    uint32_t found = REFERENCE_NONE;
    uint64_t latest_ns = 0;
    for (uint32_t other = 0; other < model->trace->n_ranks; other++) {
        if (other == rank || !is_outside(model, other, time_ns - 1) || node[other] != node[rank])
            continue;
        uint64_t since_ns = outside_since(model, other, time_ns);
        if (since_ns >= latest_ns) {
            found = other;
            latest_ns = since_ns;
        }
    }
    return found;
}

uint64_t send_limit(const struct model *model, const struct model_send *send)
{
    uint32_t c = send->complete_call, receiver = send->receiver;
    uint64_t enter_ns = model->calls[c].enter_ns, leave_ns = model->calls[c].leave_ns;
    uint32_t node = model->scenario->recorded_node[receiver];
    if (model->scenario->spins || model->calls[c].is_test || leave_ns == enter_ns ||
        enter_ns == 0 || model->scenario->recorded_node[send->sender] == node ||
        !has_lacked_cores(model, send->sender) || !has_lacked_cores(model, receiver))
        return UINT64_MAX;
    uint32_t n_cores = model->scenario->recorded_cores[node];
    if (count_outside(model, node, enter_ns - 1) < n_cores ||
        count_outside(model, node, enter_ns) < n_cores)
        return UINT64_MAX;
    uint64_t until_ns = leave_ns; // the receiver computes from then on
    if (is_outside(model, receiver, leave_ns - 1))
        until_ns = outside_since(model, receiver, leave_ns);
    if (until_ns <= enter_ns)
        return UINT64_MAX;
    uint64_t limit_ns = free_time(model, node, enter_ns, until_ns) + leave_ns - until_ns;
    if (limit_ns == 0 || limit_ns >= own_call_time(model, c, enter_ns) ||
        computing_beside(model, receiver, leave_ns - limit_ns) == REFERENCE_NONE)
        return UINT64_MAX;
    return limit_ns;
}

const struct model_send *limiting_send(const struct model *model, uint32_t c)
{
    const struct model_send *least = NULL;
    for (uint32_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        uint64_t limit_ns = send->complete_call == c ? send_limit(model, send) : UINT64_MAX;
        if (limit_ns == UINT64_MAX)
            continue;
        uint64_t least_ns = least ? send_limit(model, least) : UINT64_MAX;
        bool is_same = least && limit_ns == least_ns && send->receiver == least->receiver;
        if (limit_ns < least_ns || (limit_ns == least_ns && send->receiver < least->receiver) ||
            (is_same && size_class(send->size_bytes) > size_class(least->size_bytes)))
            least = send;
    }
    return least && was_sent_at_once(model, least) ? NULL : least;
}

uint64_t oversubscribed_time(const struct model *model, uint32_t rank, uint64_t from_ns,
                             uint64_t to_ns)
{
    uint32_t node = model->scenario->recorded_node[rank];
    uint64_t oversubscribed_ns = 0;
    for (uint64_t time_ns = from_ns; time_ns < to_ns; time_ns++)
        oversubscribed_ns +=
            count_outside(model, node, time_ns) > model->scenario->recorded_cores[node];
    return oversubscribed_ns;
}

// --- Cores that more ranks share than they are, each for a slice of time.

static bool is_holding(const struct prediction_state *state, const struct process *process,
                       uint32_t cores)
{
    (void)state;
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

uint32_t count_holders(const struct prediction_state *state, uint32_t cores)
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

/// Does somebody who takes turns on CORES have something to do, now or at a known time?
static bool is_wanted(const struct prediction_state *state, uint32_t cores)
{
    for (uint32_t i = 0; i < state->n_processes; i++) {
        const struct process *process = &state->processes[i];
        bool is_open = process->phase == PHASE_WAIT && process->ready_ns == UNKNOWN &&
                       process->due_ns == UNKNOWN;
        if (process->cores == cores && process->is_in_turn && !is_open)
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
