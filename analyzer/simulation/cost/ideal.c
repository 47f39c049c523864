// SPDX-License-Identifier: BSD-3-Clause
// The clock of a run on an ideal network (see ideal.h).
#include "analyzer/simulation/cost/ideal.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

static uint64_t min_ns(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static void work(void *context, uint32_t location, uint64_t now_ns, pag_work amount,
                 enum pag_turn turn)
{
    const struct ideal *ideal = context;
    scheduler_work(ideal->scheduler, location, now_ns, amount, turn);
}

static void await(void *context, uint32_t location, uint64_t now_ns, uint64_t until_ns,
                  pag_work amount)
{
    const struct ideal *ideal = context;
    scheduler_wait(ideal->scheduler, location, now_ns, until_ns, amount);
}

static void wake(void *context, uint32_t location, uint64_t until_ns, pag_work amount)
{
    const struct ideal *ideal = context;
    scheduler_wake(ideal->scheduler, location, until_ns, amount);
}

/// LOCATION is at NOW_NS where it was at RECORDED_NS; since the last MPI call both went on alike.
static void note_place(struct ideal_location *location, uint64_t recorded_ns, uint64_t now_ns,
                       uint64_t window_end_ns)
{
    location->has_reached = true;
    location->reached_ns = less(now_ns, less(recorded_ns, window_end_ns));
}

static void end(void *context, uint32_t index, uint64_t now_ns)
{
    const struct ideal *ideal = context;
    struct ideal_location *location = &ideal->locations[index];
    if (!location->has_reached)
        note_place(location, location->recorded_last_ns, now_ns, ideal->end_ns);
    scheduler_end(ideal->scheduler, index, now_ns);
}

static bool next(void *context, uint32_t *location, uint64_t *time_ns)
{
    const struct ideal *ideal = context;
    return scheduler_next(ideal->scheduler, location, time_ns);
}

static bool works_on(void *context, uint32_t location, uint64_t now_ns)
{
    const struct ideal *ideal = context;
    return scheduler_works_on(ideal->scheduler, location, now_ns);
}

static bool has_others(void *context, uint32_t location, uint64_t now_ns)
{
    const struct ideal *ideal = context;
    return scheduler_has_others(ideal->scheduler, location, now_ns);
}

static bool is_rendezvous(void *context, uint32_t sender, uint32_t receiver, uint64_t size_bytes)
{
    (void)context, (void)sender, (void)receiver, (void)size_bytes;
    return false; // MPI_Ssend is, whatever is said here
}

static bool synchronises(void *context, uint8_t operation, bool is_finalize)
{
    const struct ideal *ideal = context;
    return recorded_synchronises(ideal->recorded, operation, is_finalize);
}

/// When CALL ends at the earliest.
static uint64_t least_end_ns(const struct ideal *ideal, const struct pag_call *call)
{
    uint64_t end_ns = min_ns(call->recorded_leave_ns, ideal->begin_ns);
    return end_ns > call->enter_ns ? end_ns : call->enter_ns;
}

static pag_work work_before(void *context, const struct pag_call *call, const uint32_t *receivers)
{
    (void)receivers;
    const struct ideal *ideal = context;
    struct ideal_location *location = &ideal->locations[call->location];
    if (!location->has_reached && ideal->end_ns < call->recorded_leave_ns)
        note_place(location, call->recorded_enter_ns, call->enter_ns, ideal->end_ns);
    if (call->is_waiting)
        return 0;
    return (pag_work)(least_end_ns(ideal, call) - call->enter_ns) * PAG_WORK_PER_NS;
}

static void settle(void *context, const struct pag_call *call,
                   const struct pag_condition *conditions, uint32_t n_conditions,
                   uint64_t *ready_ns, pag_work *amount)
{
    const struct ideal *ideal = context;
    *amount = 0;
    *ready_ns = least_end_ns(ideal, call);
    for (uint32_t i = 0; i < n_conditions; i++)
        if (conditions[i].time_ns > *ready_ns)
            *ready_ns = conditions[i].time_ns;
}

static uint64_t least_length(void *context, const struct pag_call *call, bool is_unknown)
{
    const struct ideal *ideal = context;
    if (is_unknown)
        return call->recorded_leave_ns - call->recorded_enter_ns;
    return least_end_ns(ideal, call) - call->enter_ns;
}

void ideal_init(struct ideal *ideal, const struct definitions *definitions,
                const struct pag_result *measured, const struct recorded *recorded)
{
    size_t n = definitions->n_locations;
    struct core_group *groups = memory_zeroed(n, sizeof *groups);
    uint32_t *group_of = memory_zeroed(n, sizeof *group_of);
    *ideal = (struct ideal){
        .recorded = recorded,
        .locations = memory_zeroed(n, sizeof *ideal->locations),
        .n_locations = n,
        .begin_ns = measured->window_begin_ns,
        .end_ns = measured->window_end_ns,
        .clock = {.context = ideal,
                  .counts_wall_time = true,
                  .departs_at_enter = true,
                  .work = work,
                  .wait = await,
                  .wake = wake,
                  .end = end,
                  .next = next,
                  .works_on = works_on,
                  .has_others = has_others,
                  .is_rendezvous = is_rendezvous,
                  .synchronises = synchronises,
                  .work_before = work_before,
                  .settle = settle,
                  .least_length = least_length},
    };
    for (size_t i = 0; i < n; i++) {
        const struct location *location = &definitions->locations[i];
        groups[i] = (struct core_group){1, SCHEDULER_FULL_SPEED, 0, 0};
        group_of[i] = (uint32_t)i;
        ideal->locations[i] = (struct ideal_location){
            .counts = location->rank != EVENT_NO_INDEX && location->is_master &&
                      measured->locations[i].first_ns < measured->window_end_ns,
            .recorded_last_ns = measured->locations[i].last_ns,
        };
    }
    ideal->scheduler = scheduler_new(groups, n, group_of, n, false);
    free(groups);
    free(group_of);
}

void ideal_release(struct ideal *ideal)
{
    scheduler_free(ideal->scheduler);
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
