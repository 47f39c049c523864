// SPDX-License-Identifier: BSD-3-Clause
// Locks of RMA windows: who held which from when to when, and which return ended a wait, looked for
// among all locks of the run for each call.
#include "analyzer/base/memory.h"
#include "tests/reference/model.h"

/// The lock that RECORD, of location L, asks for again or gives back; NULL without.
static struct model_lock *open_lock(struct model *model, uint32_t l, const struct record *record)
{
    for (size_t i = 0; i < model->n_locks; i++) {
        struct model_lock *lock = &model->locks[i];
        if (lock->rank == model->trace->locations[l].rank && lock->window == record->comm &&
            lock->target == record->target && lock->return_call == REFERENCE_NONE)
            return lock;
    }
    return NULL;
}

void model_find_locks(struct model *model)
{
    for (uint32_t l = 0; l < model->trace->n_locations; l++) {
        const struct reference_location *location = &model->trace->locations[l];
        for (size_t i = 0; i < location->n_records; i++) {
            const struct record *record = &location->records[i];
            uint32_t call = model->call_of[l][i];
            bool is_lock = record->kind == RECORD_LOCK || record->kind == RECORD_UNLOCK;
            if (!is_lock || call == REFERENCE_NONE)
                continue;
            struct model_lock *open = open_lock(model, l, record);
            if (open && record->kind == RECORD_UNLOCK)
                open->return_call = call;
            if (open && record->kind == RECORD_LOCK) { // its return is not recorded
                open->request_call = call;
                open->is_exclusive = record->is_exclusive;
            }
            if (open || record->kind == RECORD_UNLOCK)
                continue;
            *ARRAY_NEXT(model->locks, model->n_locks, model->lock_capacity) =
                (struct model_lock){.location = l,
                                    .rank = location->rank,
                                    .window = record->comm,
                                    .target = record->target,
                                    .is_exclusive = record->is_exclusive,
                                    .request_call = call,
                                    .return_call = REFERENCE_NONE};
        }
    }
}

static bool conflict(const struct model_lock *a, const struct model_lock *b)
{
    return a->window == b->window && (a->is_exclusive || b->is_exclusive) &&
           (a->target == b->target || a->target == REFERENCE_NONE || b->target == REFERENCE_NONE);
}

/// Is call C one that may have waited to get OWN?
static bool lies_within(const struct model *model, const struct model_lock *own, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    if (call->location != own->location || call->first < model->calls[own->request_call].first)
        return false;
    return own->return_call == REFERENCE_NONE ||
           call->first <= model->calls[own->return_call].first;
}

/// Had HOLDER its lock, which it gave back, before the rank of call C got OWN?
static bool came_first(const struct model *model, const struct model_lock *holder,
                       const struct model_lock *own, uint32_t c)
{
    uint64_t held_ns = model->calls[holder->return_call].leave_ns;
    uint64_t left_ns = model->calls[c].leave_ns;
    bool is_lower = holder->rank < own->rank;
    if (own->return_call == c)
        return held_ns < left_ns || (held_ns == left_ns && is_lower);
    uint64_t asked_ns = model->calls[holder->request_call].enter_ns;
    uint64_t own_asked_ns = model->calls[own->request_call].enter_ns;
    return held_ns <= left_ns || asked_ns < own_asked_ns || (asked_ns == own_asked_ns && is_lower);
}

uint32_t model_awaited_unlock(const struct model *model, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    uint32_t best = REFERENCE_NONE;
    for (size_t o = 0; o < model->n_locks && call->is_one_sided; o++) {
        const struct model_lock *own = &model->locks[o];
        for (size_t h = 0; h < model->n_locks && lies_within(model, own, c); h++) {
            const struct model_lock *holder = &model->locks[h];
            if (holder->rank == own->rank || holder->return_call == REFERENCE_NONE ||
                !conflict(own, holder))
                continue;
            const struct model_call *unlock = &model->calls[holder->return_call];
            if (unlock->enter_ns <= call->enter_ns || unlock->enter_ns >= call->leave_ns ||
                !came_first(model, holder, own, c))
                continue;
            bool is_better = best == REFERENCE_NONE ||
                             unlock->enter_ns > model->calls[best].enter_ns ||
                             (unlock->enter_ns == model->calls[best].enter_ns &&
                              unlock->rank < model->calls[best].rank);
            best = is_better ? holder->return_call : best;
        }
    }
    return best;
}
