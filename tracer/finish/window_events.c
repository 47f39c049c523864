// SPDX-License-Identifier: BSD-3-Clause
// See window_events.h. What ends the epoch of an origin, or a part of it, completes its accesses
// before that (access_events.h).
#include "tracer/finish/window_events.h"

#include "tracer/finish/memory.h"

#define SYNC_ALL ((OTF2_RmaSyncLevel)(OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY))

/// MPI knows one lock for each target of a window.
static OTF2_ErrorCode write_lock(OTF2_EvtWriter *writer, uint64_t time_ns, OTF2_RmaWinRef window,
                                 const struct record_lock *record)
{
    uint32_t target = (uint32_t)record->target; // all: UINT32_MAX, as in Score-P's archives
    if (record->head.kind == RECORD_UNLOCK)
        return OTF2_EvtWriter_RmaReleaseLock(writer, NULL, time_ns, window, target, 0);
    return OTF2_EvtWriter_RmaRequestLock(writer, NULL, time_ns, window, target, 0,
                                         record->is_exclusive ? OTF2_LOCK_EXCLUSIVE
                                                              : OTF2_LOCK_SHARED);
}

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

static OTF2_ErrorCode write_epoch(struct process *process, struct unify *unify,
                                  OTF2_EvtWriter *writer, uint64_t time_ns, OTF2_RmaWinRef window,
                                  const struct record_epoch *record)
{
    uint32_t place = unify_find(&process->comms, record->head.id);
    uint32_t *open = epoch_group(process, place, record->is_exposure != 0);
    if (!record->is_end)
        *open = record->n > 0 ? unify_epoch_group(unify, &process->comms, record) : UNDEFINED;
    uint32_t group = *open;
    if (record->is_end)
        *open = UNDEFINED;
    return group == UNDEFINED
               ? OTF2_SUCCESS
               : OTF2_EvtWriter_RmaGroupSync(
                     writer, NULL, time_ns, record->is_end ? SYNC_ALL : OTF2_RMA_SYNC_LEVEL_PROCESS,
                     window, UNIFY_FIRST_GROUP + group);
}

/// A creation, an end, or a fence.
static OTF2_ErrorCode write_collective_end(OTF2_EvtWriter *writer, uint64_t time_ns,
                                           OTF2_RmaWinRef window, OTF2_CollectiveOp operation)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (operation == OTF2_COLLECTIVE_OP_CREATE_HANDLE)
        code = OTF2_EvtWriter_RmaWinCreate(writer, NULL, time_ns, window);
    else if (operation == OTF2_COLLECTIVE_OP_DESTROY_HANDLE)
        code = OTF2_EvtWriter_RmaWinDestroy(writer, NULL, time_ns, window);
    if (code != OTF2_SUCCESS)
        return code;
    return OTF2_EvtWriter_RmaCollectiveEnd(writer, NULL, time_ns, operation, SYNC_ALL, window,
                                           OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

/// The accesses that the call of HEAD completes.
static OTF2_ErrorCode complete_accesses(struct process *process, OTF2_EvtWriter *writer,
                                        uint64_t time_ns, OTF2_RmaWinRef window,
                                        const struct record_head *head)
{
    const struct record_lock *lock = (const void *)head;
    const struct record_flush *flush = (const void *)head;
    const struct record_epoch *epoch = (const void *)head;
    int32_t target = RECORD_ALL_TARGETS;
    enum accesses_completion completion = ACCESSES_OF_EPOCH;
    if (head->kind == RECORD_UNLOCK) {
        target = lock->target;
        completion = ACCESSES_AT_TARGET;
    } else if (head->kind == RECORD_FLUSH) {
        target = flush->target;
        completion = flush->is_local ? ACCESSES_HERE : ACCESSES_AT_TARGET;
    } else if (head->kind == RECORD_EPOCH && (!epoch->is_end || epoch->is_exposure)) {
        return OTF2_SUCCESS;
    }
    return accesses_complete(&process->accesses, writer, time_ns, window, target, completion);
}

OTF2_ErrorCode window_events_write(struct process *process, struct unify *unify,
                                   OTF2_EvtWriter *writer, uint64_t time_ns, OTF2_RmaWinRef window,
                                   const struct record_head *head)
{
    if (head->kind == RECORD_LOCK)
        return write_lock(writer, time_ns, window, (const void *)head);
    if (head->kind == RECORD_ACCESS)
        return accesses_write(&process->accesses, writer, time_ns, window, (const void *)head);
    OTF2_ErrorCode code = complete_accesses(process, writer, time_ns, window, head);
    if (code != OTF2_SUCCESS)
        return code;
    switch ((enum record_kind)head->kind) {
    case RECORD_UNLOCK:
        return write_lock(writer, time_ns, window, (const void *)head);
    case RECORD_EPOCH:
        return write_epoch(process, unify, writer, time_ns, window, (const void *)head);
    case RECORD_COLLECTIVE:
        return write_collective_end(
            writer, time_ns, window,
            (OTF2_CollectiveOp)((const struct record_collective *)(const void *)head)->operation);
    default:
        return OTF2_SUCCESS;
    }
}
