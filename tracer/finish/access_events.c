// SPDX-License-Identifier: BSD-3-Clause
// See access_events.h. Numbers of requests are even, the others odd.
#include "tracer/finish/access_events.h"

#include "tracer/finish/memory.h"

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

OTF2_ErrorCode accesses_write(struct accesses *accesses, OTF2_EvtWriter *writer, uint64_t time_ns,
                              OTF2_RmaWinRef window, const struct record_access *record)
{
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
        return OTF2_EvtWriter_RmaPut(writer, NULL, time_ns, window, target, record->sent_bytes,
                                     item->number);
    if (record->operation == RECORD_GET)
        return OTF2_EvtWriter_RmaGet(writer, NULL, time_ns, window, target, record->received_bytes,
                                     item->number);
    return OTF2_EvtWriter_RmaAtomic(writer, NULL, time_ns, window, target,
                                    (OTF2_RmaAtomicType)(record->operation - RECORD_ATOMIC),
                                    record->sent_bytes, record->received_bytes, item->number);
}

/// Writes that the access is over here, if it was not yet, and at its target. Whether it was both.
static bool complete(struct open_access *item, OTF2_EvtWriter *writer, uint64_t time_ns,
                     bool at_target, OTF2_ErrorCode *code)
{
    if (!item->is_done && *code == OTF2_SUCCESS)
        *code = OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, NULL, time_ns, item->window,
                                                        item->number);
    item->is_done = true;
    at_target |= item->is_combined;
    if (at_target && *code == OTF2_SUCCESS)
        *code =
            OTF2_EvtWriter_RmaOpCompleteRemote(writer, NULL, time_ns, item->window, item->number);
    return at_target;
}

OTF2_ErrorCode accesses_complete(struct accesses *accesses, OTF2_EvtWriter *writer,
                                 uint64_t time_ns, OTF2_RmaWinRef window, int32_t target,
                                 enum accesses_completion completion)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    size_t n = 0;
    for (size_t i = 0; i < accesses->n; i++) {
        struct open_access item = accesses->items[i];
        bool is_meant =
            item.window == window && (target == RECORD_ALL_TARGETS || item.target == target);
        bool is_over =
            is_meant && complete(&item, writer, time_ns, completion == ACCESSES_AT_TARGET, &code);
        if (!is_over && !(is_meant && completion == ACCESSES_OF_EPOCH))
            accesses->items[n++] = item;
    }
    accesses->n = n;
    return code;
}

OTF2_ErrorCode accesses_complete_request(struct accesses *accesses, OTF2_EvtWriter *writer,
                                         uint64_t time_ns, uint64_t request)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (size_t i = 0; i < accesses->n; i++) {
        struct open_access *item = &accesses->items[i];
        if (!item->is_request || item->number != 2 * request)
            continue;
        if (complete(item, writer, time_ns, false, &code))
            *item = accesses->items[--accesses->n];
        break;
    }
    return code;
}
