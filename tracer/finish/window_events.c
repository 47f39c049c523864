// SPDX-License-Identifier: BSD-3-Clause
// Events of windows of one-sided communication. What ends the epoch of an origin, or a part of it,
// completes its accesses before that. These have numbers as Score-P gives them: all accesses to one
// target that have no request and complete alike have one number until they complete. Numbers of
// requests are even, the others odd.
#include "tracer/finish/event_context.h"

#include "tracer/finish/memory.h"

#define SYNC_ALL ((OTF2_RmaSyncLevel)(OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY))

bool window_ref(const struct context *context, uint32_t id, OTF2_RmaWinRef *window)
{
    uint32_t place = unify_find(&context->process->comms, id);
    if (place == RECORD_NO_COMM || context->unify->comms[place].remote != UNIFY_WINDOW)
        return false;
    *window = context->unify->comms[place].number;
    return true;
}

// ---- Accesses

static struct open_access *find(const struct accesses *accesses, OTF2_RmaWinRef window,
                                int32_t target, bool is_combined)
{
    for (size_t i = accesses->n; i-- > 0;) {
        struct open_access *item = &accesses->items[i];
        if (!item->is_request && item->window == window && item->target == target &&
            item->is_combined == is_combined)
            return item;
    }
    return NULL;
}

static struct open_access *add(struct accesses *accesses, struct open_access access)
{
    if (accesses->n == accesses->capacity) {
        accesses->capacity = accesses->capacity == 0 ? 16 : 2 * accesses->capacity;
        accesses->items =
            realloc_or_die(accesses->items, accesses->capacity * sizeof *accesses->items);
    }
    accesses->items[accesses->n] = access;
    return &accesses->items[accesses->n++];
}

static void write_access(struct context *context, OTF2_RmaWinRef window,
                         const struct record_access *record)
{
    struct accesses *accesses = &context->process->accesses;
    bool is_combined = record->received_bytes > 0 || record->operation == RECORD_GET;
    struct open_access *item =
        record->request == 0 ? find(accesses, window, record->target, is_combined) : NULL;
    if (!item)
        item = add(accesses, (struct open_access){
                                 .window = window,
                                 .target = record->target,
                                 .number = record->request != 0 ? 2 * record->request
                                                                : 2 * accesses->n_numbers++ + 1,
                                 .is_request = record->request != 0,
                                 .is_combined = is_combined,
                             });
    item->is_done = false;
    uint32_t target = (uint32_t)record->target;
    if (record->operation == RECORD_PUT)
        WRITE(context, RmaPut, NULL, window, target, record->sent_bytes, item->number);
    else if (record->operation == RECORD_GET)
        WRITE(context, RmaGet, NULL, window, target, record->received_bytes, item->number);
    else
        WRITE(context, RmaAtomic, NULL, window, target,
              (OTF2_RmaAtomicType)(record->operation - RECORD_ATOMIC), record->sent_bytes,
              record->received_bytes, item->number);
}

/// Writes that the access is over here, if it was not yet, and at its target. Whether it was both.
static bool complete(struct context *context, struct open_access *item, bool at_target)
{
    if (!item->is_done)
        WRITE(context, RmaOpCompleteNonBlocking, NULL, item->window, item->number);
    item->is_done = true;
    at_target |= item->is_combined;
    if (at_target)
        WRITE(context, RmaOpCompleteRemote, NULL, item->window, item->number);
    return at_target;
}

void window_request_complete(struct context *context, uint64_t request)
{
    struct accesses *accesses = &context->process->accesses;
    for (size_t i = 0; i < accesses->n; i++) {
        struct open_access *item = &accesses->items[i];
        if (!item->is_request || item->number != 2 * request)
            continue;
        if (complete(context, item, false))
            *item = accesses->items[--accesses->n];
        return;
    }
}

/// What a call completes: what the origin may use again (MPI_Win_flush_local), all of an epoch of
/// active targets, or all at the target, too (MPI_Win_flush, MPI_Win_unlock).
enum completion { HERE, OF_EPOCH, AT_TARGET };

/// The accesses that the call of HEAD completes.
static void complete_accesses(struct context *context, OTF2_RmaWinRef window,
                              const struct record_head *head)
{
    const struct record_lock *lock = (const void *)head;
    const struct record_flush *flush = (const void *)head;
    const struct record_epoch *epoch = (const void *)head;
    struct accesses *accesses = &context->process->accesses;
    int32_t target = RECORD_ALL_TARGETS;
    enum completion completion = OF_EPOCH;
    if (head->kind == RECORD_UNLOCK) {
        target = lock->target;
        completion = AT_TARGET;
    } else if (head->kind == RECORD_FLUSH) {
        target = flush->target;
        completion = flush->is_local ? HERE : AT_TARGET;
    } else if (head->kind == RECORD_EPOCH && (!epoch->is_end || epoch->is_exposure)) {
        return;
    }
    size_t n = 0;
    for (size_t i = 0; i < accesses->n; i++) {
        struct open_access item = accesses->items[i];
        bool is_meant =
            item.window == window && (target == RECORD_ALL_TARGETS || item.target == target);
        bool is_over = is_meant && complete(context, &item, completion == AT_TARGET);
        if (!is_over && !(is_meant && completion == OF_EPOCH))
            accesses->items[n++] = item;
    }
    accesses->n = n;
}

// ---- Locks, epochs, collective operations

/// Where the process keeps the group of the open epoch on the window at PLACE.
static uint32_t *epoch_group(struct process *process, uint32_t place, bool is_exposure)
{
    uint32_t index = 2 * place + is_exposure;
    if (index >= process->n_epochs)
        process->epochs =
            realloc_or_die(process->epochs, 2 * (place + 1) * sizeof *process->epochs);
    while (process->n_epochs < 2 * (place + 1))
        process->epochs[process->n_epochs++] = UNDEFINED;
    return &process->epochs[index];
}

static void write_epoch(struct context *context, OTF2_RmaWinRef window,
                        const struct record_epoch *record)
{
    struct unify_rank *comms = &context->process->comms;
    uint32_t *open =
        epoch_group(context->process, unify_find(comms, record->head.id), record->is_exposure != 0);
    if (!record->is_end)
        *open = record->n > 0 ? unify_epoch_group(context->unify, comms, record) : UNDEFINED;
    if (*open != UNDEFINED)
        WRITE(context, RmaGroupSync, NULL, record->is_end ? SYNC_ALL : OTF2_RMA_SYNC_LEVEL_PROCESS,
              window, UNIFY_FIRST_GROUP + *open);
    if (record->is_end)
        *open = UNDEFINED;
}

/// A creation, an end, or a fence.
static void write_collective_end(struct context *context, OTF2_RmaWinRef window,
                                 OTF2_CollectiveOp operation)
{
    if (operation == OTF2_COLLECTIVE_OP_CREATE_HANDLE)
        WRITE(context, RmaWinCreate, NULL, window);
    else if (operation == OTF2_COLLECTIVE_OP_DESTROY_HANDLE)
        WRITE(context, RmaWinDestroy, NULL, window);
    WRITE(context, RmaCollectiveEnd, NULL, operation, SYNC_ALL, window, OTF2_COLLECTIVE_ROOT_NONE,
          0, 0);
}

/// MPI knows one lock for each target of a window. All targets: UINT32_MAX, as in Score-P's
/// archives.
void window_event_write(struct context *context, const struct record_head *head)
{
    const struct record_lock *lock = (const void *)head;
    const struct record_collective *collective = (const void *)head;
    OTF2_RmaWinRef window;
    if (!window_ref(context, head->id, &window))
        return;
    if (head->kind != RECORD_LOCK && head->kind != RECORD_ACCESS)
        complete_accesses(context, window, head);
    switch (head->kind) {
    case RECORD_LOCK:
        WRITE(context, RmaRequestLock, NULL, window, (uint32_t)lock->target, 0,
              lock->is_exclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED);
        break;
    case RECORD_UNLOCK:
        WRITE(context, RmaReleaseLock, NULL, window, (uint32_t)lock->target, 0);
        break;
    case RECORD_ACCESS:
        write_access(context, window, (const void *)head);
        break;
    case RECORD_EPOCH:
        write_epoch(context, window, (const void *)head);
        break;
    case RECORD_COLLECTIVE:
        write_collective_end(context, window, (OTF2_CollectiveOp)collective->operation);
    }
}
