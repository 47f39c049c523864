// SPDX-License-Identifier: BSD-3-Clause
// Round robin with slices of time (see scheduler.h).
#include "analyzer/simulation/cores/scheduler.h"

#include "analyzer/base/memory.h"
#include "analyzer/trace/event.h"

void time_slices_init(struct time_slices *slices, struct sliced_process *processes,
                      uint32_t n_processes, uint32_t n_cores, uint64_t slice_ns, bool yields)
{
    *slices = (struct time_slices){
        .processes = processes,
        .n_cores = n_cores,
        .slice_ns = slice_ns,
        .yields = yields,
        .holders = memory_zeroed(n_cores, sizeof *slices->holders),
        .queue = memory_zeroed(n_processes, sizeof *slices->queue),
        .capacity = n_processes,
    };
}

void time_slices_release(struct time_slices *slices)
{
    FREE_ALL(slices->holders, slices->queue);
}

static void push(struct time_slices *slices, uint32_t location)
{
    slices->queue[(slices->first + slices->n_queued++) % slices->capacity] = location;
}

static uint32_t pop(struct time_slices *slices)
{
    uint32_t location = slices->queue[slices->first];
    slices->first = (slices->first + 1) % slices->capacity;
    slices->n_queued--;
    return location;
}

static void give_core(struct time_slices *slices, uint32_t place, uint32_t location,
                      uint64_t now_ns)
{
    struct sliced_process *process = &slices->processes[location];
    slices->holders[place] = location;
    process->has_core = true;
    process->since_ns = now_ns;
    process->slice_end_ns = now_ns + slices->slice_ns;
}

static uint32_t place_of(const struct time_slices *slices, uint32_t location)
{
    uint32_t place = 0;
    while (slices->holders[place] != location)
        place++;
    return place;
}

/// LOCATION stands in the queue, and leaves it.
static void leave_queue(struct time_slices *slices, uint32_t location)
{
    for (uint32_t n = slices->n_queued; n > 0; n--) {
        uint32_t other = pop(slices);
        if (other != location)
            push(slices, other);
    }
}

void time_slices_end(struct time_slices *slices, uint32_t location, uint64_t now_ns)
{
    if (!slices->processes[location].has_core) {
        leave_queue(slices, location);
        return;
    }
    uint32_t place = place_of(slices, location);
    slices->processes[location].has_core = false;
    if (slices->n_queued > 0)
        give_core(slices, place, pop(slices), now_ns);
    else
        slices->holders[place] = slices->holders[--slices->n_holders];
}

/// When the slice that ends next is over, and whose it is.
static uint64_t first_slice_end(const struct time_slices *slices, uint32_t *location)
{
    uint64_t first_ns = PAG_NOT_KNOWN;
    for (uint32_t i = 0; i < slices->n_holders; i++) {
        uint32_t holder = slices->holders[i];
        uint64_t end_ns = slices->processes[holder].slice_end_ns;
        if (end_ns > first_ns || (end_ns == first_ns && holder > *location))
            continue;
        first_ns = end_ns;
        *location = holder;
    }
    return first_ns;
}

void time_slices_catch_up(struct time_slices *slices, uint64_t now_ns)
{
    uint32_t location = 0;
    for (uint64_t end_ns;
         slices->n_queued > 0 && (end_ns = first_slice_end(slices, &location)) < now_ns;)
        time_slices_rotate(slices, end_ns);
}

void time_slices_begin(struct time_slices *slices, uint32_t location, uint64_t now_ns)
{
    time_slices_catch_up(slices, now_ns);
    if (slices->n_holders < slices->n_cores) {
        give_core(slices, slices->n_holders++, location, now_ns);
        return;
    }
    push(slices, location);
    for (uint32_t i = 0; i < slices->n_holders; i++) {
        struct sliced_process *holder = &slices->processes[slices->holders[i]];
        if (holder->slice_end_ns >= now_ns)
            continue;
        uint64_t late_ns = slices->yields ? (now_ns - holder->slice_end_ns) % slices->slice_ns : 0;
        holder->slice_end_ns = now_ns + (late_ns > 0 ? slices->slice_ns - late_ns : 0);
    }
}

/// PROCESS has done its work, if it was doing any.
static void finish(struct sliced_process *process, uint64_t now_ns)
{
    if (!process->is_working)
        return;
    pag_work passed = (pag_work)(now_ns - process->since_ns) * PAG_WORK_PER_NS;
    process->is_working = false;
    process->over = process->done_ns == now_ns ? process->kept : 0;
    if (passed > process->left)
        process->over += (uint32_t)(passed - process->left);
    process->done_ns = now_ns;
}

void time_slices_work(struct time_slices *slices, uint32_t location, uint64_t now_ns, pag_work work,
                      enum scheduler_turn turn)
{
    struct sliced_process *process = &slices->processes[location];
    finish(process, now_ns);
    uint32_t done = process->done_ns == now_ns ? process->over : 0;
    process->is_working = true;
    process->left = work > done ? work - done : 0;
    process->kept = work > done ? 0 : (uint32_t)(done - work);
    process->since_ns = now_ns;
    process->turn = turn;
}

void time_slices_wait(struct time_slices *slices, uint32_t location, uint64_t now_ns,
                      uint64_t until_ns, enum scheduler_turn turn)
{
    struct sliced_process *process = &slices->processes[location];
    time_slices_catch_up(slices, now_ns);
    finish(process, now_ns);
    process->until_ns = until_ns;
    process->turn = turn;
}

/// When PROCESS, which has a core, is done if it keeps it.
static uint64_t done_at(const struct sliced_process *process)
{
    if (process->is_working)
        return process->since_ns +
               (uint64_t)((process->left + PAG_WORK_PER_NS - 1) / PAG_WORK_PER_NS);
    return process->until_ns > process->since_ns ? process->until_ns : process->since_ns;
}

/// Whether somebody in the queue has something to do, now or at a known time.
static bool queue_has_aims(const struct time_slices *slices)
{
    for (uint32_t i = 0; i < slices->n_queued; i++) {
        const struct sliced_process *process =
            &slices->processes[slices->queue[(slices->first + i) % slices->capacity]];
        if (process->is_working || process->until_ns != PAG_NOT_KNOWN)
            return true;
    }
    return false;
}

static bool goes_first(const struct time_slices *slices, uint32_t a, uint32_t b)
{
    enum scheduler_turn turn = slices->processes[a].turn, other = slices->processes[b].turn;
    return turn != other ? turn < other : a < b;
}

bool time_slices_next(const struct time_slices *slices, uint64_t *time_ns, uint32_t *location,
                      bool *is_slice)
{
    uint64_t first_ns = PAG_NOT_KNOWN;
    uint32_t first = EVENT_NO_INDEX, holder = 0;
    for (uint32_t i = 0; i < slices->n_holders; i++) {
        uint32_t other = slices->holders[i];
        uint64_t done_ns = done_at(&slices->processes[other]);
        if (done_ns == PAG_NOT_KNOWN || done_ns > first_ns ||
            (done_ns == first_ns && !goes_first(slices, other, first)))
            continue;
        first_ns = done_ns;
        first = other;
    }
    uint64_t end_ns = slices->n_queued > 0 ? first_slice_end(slices, &holder) : PAG_NOT_KNOWN;
    if (first == EVENT_NO_INDEX && (end_ns == PAG_NOT_KNOWN || !queue_has_aims(slices)))
        return false;
    *is_slice = end_ns < first_ns;
    *time_ns = *is_slice ? end_ns : first_ns;
    *location = *is_slice ? holder : first;
    return true;
}

void time_slices_rotate(struct time_slices *slices, uint64_t time_ns)
{
    uint32_t location = 0;
    first_slice_end(slices, &location);
    struct sliced_process *process = &slices->processes[location];
    uint32_t place = place_of(slices, location);
    if (process->is_working) {
        pag_work done = (pag_work)(time_ns - process->since_ns) * PAG_WORK_PER_NS;
        process->left = process->left > done ? process->left - done : 0;
    }
    process->has_core = false;
    push(slices, location);
    give_core(slices, place, pop(slices), time_ns);
}
