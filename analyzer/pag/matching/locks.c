// SPDX-License-Identifier: BSD-3-Clause
// Locks of RMA windows. Records say when a lock was asked for (the enter of MPI_Win_lock) and when
// it was given back (MPI_Win_unlock). They do not say when it was granted: MPI libraries do that in
// MPI_Win_lock, or later, in the first operation, flush or unlock that needs it. So any call of
// one-sided communication from the request to the release may be the one that waits.
//
// It waits until the last unlock of a conflicting lock that is entered while it lasts. That one
// must have been granted first. Where the waiting call itself gives the lock back, the order of
// leaving tells: who leaves the unlock first had the lock first. Another call may have been left
// before that unlock, or else the order of the requests counts.
//
// Unlocks are offered to the calls that are open at their enter. So what is held are the locks
// asked for and the open calls, however long the run is.

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/location/location.h"
#include "analyzer/pag/matching/matching.h"

void locks_release(struct engine *engine)
{
    FREE_MEMBERS(engine->ranks, engine->n_ranks, locks);
    free(engine->lock_waiters);
}

static struct open_lock *find_lock(struct rank_state *rank, const struct event *event)
{
    for (uint32_t i = 0; i < rank->n_locks; i++)
        if (rank->locks[i].window == event->index && rank->locks[i].target == event->peer)
            return &rank->locks[i];
    return NULL;
}

static void ask(struct rank_state *rank, const struct call *call, const struct event *event)
{
    struct open_lock *lock = find_lock(rank, event); // one whose release is not recorded
    if (!lock)
        lock = ARRAY_NEXT(rank->locks, rank->n_locks, rank->lock_capacity);
    *lock = (struct open_lock){.window = event->index,
                               .target = event->peer,
                               .is_exclusive = event->tag != 0,
                               .recorded_request_ns = call->recorded_enter_ns,
                               .ending = NONE};
}

static bool conflict(const struct open_lock *a, const struct open_lock *b)
{
    bool is_same =
        a->target == b->target || a->target == EVENT_ALL_TARGETS || b->target == EVENT_ALL_TARGETS;
    return a->window == b->window && is_same && (a->is_exclusive || b->is_exclusive);
}

/// Whether HOLDER, in the call that gives HELD back, was granted it before WAITER, in a call, got
/// AWAITED.
static bool came_first(const struct location_state *holder, const struct open_lock *held,
                       const struct location_state *waiter, const struct open_lock *awaited)
{
    uint64_t held_ns = holder->call.recorded_leave_ns, left_ns = waiter->call.recorded_leave_ns;
    bool is_lower = holder->rank < waiter->rank;
    if (awaited->ending == waiter->index)
        return held_ns < left_ns || (held_ns == left_ns && is_lower);
    return held_ns <= left_ns || held->recorded_request_ns < awaited->recorded_request_ns ||
           (held->recorded_request_ns == awaited->recorded_request_ns && is_lower);
}

/// Whether WAITER may have waited for HOLDER, who has just entered the call that gives LOCK back.
static bool may_wait_for(const struct engine *engine, const struct location_state *waiter,
                         const struct location_state *holder, const struct open_lock *lock)
{
    const struct rank_state *rank = &engine->ranks[waiter->rank];
    const struct call *call = &waiter->call;
    uint64_t now_ns = holder->call.enter_ns;
    bool is_over = !engine->hooks && call->leave_ns <= now_ns;
    if (waiter->rank == holder->rank || call->enter_ns >= now_ns || is_over)
        return false;
    const struct awaited_unlock *latest = &call->unlocks[0];
    if (latest->time_ns > now_ns || (latest->time_ns == now_ns && latest->rank <= holder->rank))
        return false; // for another one, longer
    for (uint32_t i = 0; i < rank->n_locks; i++)
        if (conflict(&rank->locks[i], lock) && came_first(holder, lock, waiter, &rank->locks[i]))
            return true;
    return false;
}

/// HOLDER enters the call that gives LOCK back.
static void offer(struct engine *engine, struct location_state *holder,
                  const struct open_lock *lock)
{
    for (uint32_t i = 0; i < engine->n_lock_waiters; i++) {
        struct location_state *waiter = &engine->locations[engine->lock_waiters[i]];
        if (!may_wait_for(engine, waiter, holder, lock))
            continue;
        struct awaited_unlock *unlocks = waiter->call.unlocks;
        bool is_later = holder->call.enter_ns > unlocks[0].time_ns;
        lineage_let_go(&engine->lineage, unlocks[is_later].node);
        unlocks[is_later] = unlocks[0];
        unlocks[0] = (struct awaited_unlock){.time_ns = holder->call.enter_ns,
                                             .rank = holder->rank,
                                             .node = head_cut(engine, holder)};
    }
}

void locks_add_waiter(struct engine *engine, struct location_state *location)
{
    location->call.waiter_place = engine->n_lock_waiters;
    *ARRAY_NEXT(engine->lock_waiters, engine->n_lock_waiters, engine->lock_waiter_capacity) =
        location->index;
}

/// Whether the open call may need a lock that its rank has asked for.
static bool may_need_lock(const struct engine *engine, const struct call *call)
{
    if (call->is_bare)
        return false;
    uint8_t class = region_at(engine, call->region)->mpi_class;
    return class == MPI_CLASS_RMA || class == MPI_CLASS_RMA_SYNCHRONISATION;
}

void locks_enter_call(struct engine *engine, struct location_state *location)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    struct call *call = &location->call;
    for (uint32_t i = 0; i < call->n_accesses; i++) {
        const struct event *event = &call->accesses[i];
        if (event->kind == EVENT_RMA_LOCK)
            ask(rank, call, event);
        struct open_lock *lock = find_lock(rank, event);
        if (event->kind != EVENT_RMA_UNLOCK || !lock)
            continue;
        lock->ending = location->index;
        offer(engine, location, lock);
    }
    if (rank->n_locks == 0 || !may_need_lock(engine, call))
        return;
    call->awaits_lock = true;
    call->unlocks[0] = call->unlocks[1] = (struct awaited_unlock){0, NONE, NONE};
    locks_add_waiter(engine, location);
}

/// In simulated time a call may turn out to be left at the time of the latest unlock, which then
/// did not end its wait.
const struct awaited_unlock *locks_awaited(const struct call *call)
{
    for (uint32_t i = 0; i < 2; i++)
        if (call->unlocks[i].time_ns > call->enter_ns && call->unlocks[i].time_ns < call->leave_ns)
            return &call->unlocks[i];
    return NULL;
}

void locks_leave_call(struct engine *engine, struct location_state *location)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    struct call *call = &location->call;
    uint32_t last = engine->lock_waiters[--engine->n_lock_waiters];
    engine->lock_waiters[call->waiter_place] = last;
    engine->locations[last].call.waiter_place = call->waiter_place;
    call->awaits_lock = false;
    lineage_let_go(&engine->lineage, call->unlocks[0].node);
    lineage_let_go(&engine->lineage, call->unlocks[1].node);
    uint32_t n = 0;
    for (uint32_t i = 0; i < rank->n_locks; i++)
        if (rank->locks[i].ending != location->index)
            rank->locks[n++] = rank->locks[i];
    rank->n_locks = n;
}
