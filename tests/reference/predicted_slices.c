// SPDX-License-Identifier: BSD-3-Clause
// Cores that more ranks share than they are, each for a slice of time.
#include "tests/reference/predicted_state.h"

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
