// SPDX-License-Identifier: BSD-3-Clause
// See otf2_records.h. Record kinds that no replay needs have no callback: the library skips them.
#include "analyzer/trace/otf2_records.h"

#include "analyzer/trace/decode.h"

// Parameters that all event callbacks share.
#define CALLBACK_PARAMETERS                                                                        \
    OTF2_LocationRef location, OTF2_TimeStamp ticks, uint64_t record, void *user_data,             \
        OTF2_AttributeList *list
#define IGNORE_PARAMETERS ((void)location, (void)ticks, (void)record, (void)list)

static struct attributes attributes_of(const struct decoder *decoder,
                                       const OTF2_AttributeList *list)
{
    struct attributes attributes;
    attributes.n = 0;
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(list);
    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef id;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(list, i, &id, &type, &value) == OTF2_SUCCESS)
            decode_attribute(decoder, &attributes, id, type, value);
    }
    return attributes;
}

static OTF2_CallbackCode on_unknown(CALLBACK_PARAMETERS)
{
    IGNORE_PARAMETERS;
    decode_unknown(user_data);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_enter(CALLBACK_PARAMETERS, OTF2_RegionRef region)
{
    IGNORE_PARAMETERS;
    const struct attributes attributes = attributes_of(user_data, list);
    decode_enter(user_data, ticks, region, &attributes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(CALLBACK_PARAMETERS, OTF2_RegionRef region)
{
    IGNORE_PARAMETERS;
    decode_leave(user_data, ticks, region);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context_enter(CALLBACK_PARAMETERS, OTF2_CallingContextRef context,
                                          uint32_t unwind_distance)
{
    IGNORE_PARAMETERS;
    (void)unwind_distance;
    decode_context(user_data, ticks, EVENT_ENTER, context);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context_leave(CALLBACK_PARAMETERS, OTF2_CallingContextRef context)
{
    IGNORE_PARAMETERS;
    decode_context(user_data, ticks, EVENT_LEAVE, context);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_send(CALLBACK_PARAMETERS, uint32_t peer, OTF2_CommRef comm,
                                 uint32_t tag, uint64_t size_bytes)
{
    IGNORE_PARAMETERS;
    decode_message(user_data, ticks, EVENT_SEND, peer, comm, tag, size_bytes, 0);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(CALLBACK_PARAMETERS, uint32_t peer, OTF2_CommRef comm,
                                  uint32_t tag, uint64_t size_bytes, uint64_t request)
{
    IGNORE_PARAMETERS;
    decode_message(user_data, ticks, EVENT_ISEND, peer, comm, tag, size_bytes, request);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recv(CALLBACK_PARAMETERS, uint32_t peer, OTF2_CommRef comm,
                                 uint32_t tag, uint64_t size_bytes)
{
    IGNORE_PARAMETERS;
    decode_message(user_data, ticks, EVENT_RECV, peer, comm, tag, size_bytes, 0);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv(CALLBACK_PARAMETERS, uint32_t peer, OTF2_CommRef comm,
                                  uint32_t tag, uint64_t size_bytes, uint64_t request)
{
    IGNORE_PARAMETERS;
    decode_message(user_data, ticks, EVENT_IRECV, peer, comm, tag, size_bytes, request);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend_complete(CALLBACK_PARAMETERS, uint64_t request)
{
    IGNORE_PARAMETERS;
    decode_request(user_data, ticks, EVENT_ISEND_COMPLETE, request);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv_request(CALLBACK_PARAMETERS, uint64_t request)
{
    IGNORE_PARAMETERS;
    const struct attributes attributes = attributes_of(user_data, list);
    decode_posted_receive(user_data, ticks, request, &attributes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_request_test(CALLBACK_PARAMETERS, uint64_t request)
{
    IGNORE_PARAMETERS;
    decode_request(user_data, ticks, EVENT_REQUEST_TEST, request);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_request_cancelled(CALLBACK_PARAMETERS, uint64_t request)
{
    IGNORE_PARAMETERS;
    decode_request(user_data, ticks, EVENT_REQUEST_CANCELLED, request);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_begin(CALLBACK_PARAMETERS)
{
    IGNORE_PARAMETERS;
    decode_plain(user_data, ticks, EVENT_COLLECTIVE_BEGIN, 0);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_end(CALLBACK_PARAMETERS, OTF2_CollectiveOp op,
                                           OTF2_CommRef comm, uint32_t root, uint64_t sent_bytes,
                                           uint64_t received_bytes)
{
    IGNORE_PARAMETERS;
    const struct attributes attributes = attributes_of(user_data, list);
    decode_collective(user_data, ticks, EVENT_COLLECTIVE_END, op, comm, root, sent_bytes,
                      received_bytes, 0, &attributes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_request(CALLBACK_PARAMETERS, uint64_t request)
{
    IGNORE_PARAMETERS;
    const struct attributes attributes = attributes_of(user_data, list);
    decode_posted_collective(user_data, ticks, request, &attributes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_complete(CALLBACK_PARAMETERS, OTF2_CollectiveOp op,
                                                OTF2_CommRef comm, uint32_t root,
                                                uint64_t sent_bytes, uint64_t received_bytes,
                                                uint64_t request)
{
    IGNORE_PARAMETERS;
    const struct attributes attributes = attributes_of(user_data, list);
    decode_collective(user_data, ticks, EVENT_COLLECTIVE_COMPLETE, op, comm, root, sent_bytes,
                      received_bytes, request, &attributes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_window_collective_end(CALLBACK_PARAMETERS, OTF2_CollectiveOp op,
                                                  OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                                  uint32_t root, uint64_t sent_bytes,
                                                  uint64_t received_bytes)
{
    IGNORE_PARAMETERS;
    (void)level;
    decode_window_collective(user_data, ticks, op, window, root, sent_bytes, received_bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group_sync(CALLBACK_PARAMETERS, OTF2_RmaSyncLevel level,
                                       OTF2_RmaWinRef window, OTF2_GroupRef group)
{
    IGNORE_PARAMETERS;
    decode_group_sync(user_data, ticks, level, window, group);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_put(CALLBACK_PARAMETERS, OTF2_RmaWinRef window, uint32_t target,
                                uint64_t size_bytes, uint64_t number)
{
    IGNORE_PARAMETERS;
    (void)number;
    decode_access(user_data, ticks, COUNTER_PUTS, window, target, size_bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_get(CALLBACK_PARAMETERS, OTF2_RmaWinRef window, uint32_t target,
                                uint64_t size_bytes, uint64_t number)
{
    IGNORE_PARAMETERS;
    (void)number;
    decode_access(user_data, ticks, COUNTER_GETS, window, target, size_bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_atomic(CALLBACK_PARAMETERS, OTF2_RmaWinRef window, uint32_t target,
                                   OTF2_RmaAtomicType type, uint64_t sent_bytes,
                                   uint64_t received_bytes, uint64_t number)
{
    IGNORE_PARAMETERS;
    (void)type, (void)number;
    decode_access(user_data, ticks, COUNTER_ATOMICS, window, target, sent_bytes + received_bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_lock(CALLBACK_PARAMETERS, OTF2_RmaWinRef window, uint32_t target,
                                 uint64_t lock, OTF2_LockType type)
{
    IGNORE_PARAMETERS;
    (void)lock;
    decode_lock(user_data, ticks, EVENT_RMA_LOCK, window, target, type == OTF2_LOCK_EXCLUSIVE);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_unlock(CALLBACK_PARAMETERS, OTF2_RmaWinRef window, uint32_t target,
                                   uint64_t lock)
{
    IGNORE_PARAMETERS;
    (void)lock;
    decode_lock(user_data, ticks, EVENT_RMA_UNLOCK, window, target, false);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric(CALLBACK_PARAMETERS, OTF2_MetricRef metric, uint8_t n_values,
                                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
    IGNORE_PARAMETERS;
    decode_metric(user_data, ticks, metric, n_values, types, values);
    return OTF2_CALLBACK_SUCCESS;
}

#define ON_PARAMETER(name, type, number)                                                           \
    static OTF2_CallbackCode name(CALLBACK_PARAMETERS, OTF2_ParameterRef parameter, type value)    \
    {                                                                                              \
        IGNORE_PARAMETERS;                                                                         \
        (void)value;                                                                               \
        decode_parameter(user_data, ticks, parameter, number);                                     \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
ON_PARAMETER(on_parameter_string, OTF2_StringRef, 0)
ON_PARAMETER(on_parameter_int, int64_t, (double)value)
ON_PARAMETER(on_parameter_unsigned_int, uint64_t, (double)value)
#undef ON_PARAMETER

static OTF2_CallbackCode on_file_open(CALLBACK_PARAMETERS, OTF2_IoHandleRef handle,
                                      OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
                                      OTF2_IoStatusFlag status)
{
    IGNORE_PARAMETERS;
    (void)mode, (void)creation, (void)status;
    decode_file_open(user_data, handle);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_file_begin(CALLBACK_PARAMETERS, OTF2_IoHandleRef handle,
                                       OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags,
                                       uint64_t asked_bytes, uint64_t id)
{
    IGNORE_PARAMETERS;
    (void)asked_bytes;
    decode_file_begin(user_data, ticks, handle, mode, flags, id);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_file_end(CALLBACK_PARAMETERS, OTF2_IoHandleRef handle,
                                     uint64_t size_bytes, uint64_t id)
{
    IGNORE_PARAMETERS;
    decode_file_end(user_data, ticks, handle, size_bytes, id);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_file_cancelled(CALLBACK_PARAMETERS, OTF2_IoHandleRef handle,
                                           uint64_t id)
{
    IGNORE_PARAMETERS;
    decode_file_cancelled(user_data, handle, id);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_thread_fork(CALLBACK_PARAMETERS, OTF2_Paradigm paradigm,
                                        uint32_t n_threads)
{
    IGNORE_PARAMETERS;
    (void)paradigm;
    decode_plain(user_data, ticks, EVENT_THREAD_FORK, n_threads);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_thread_join(CALLBACK_PARAMETERS, OTF2_Paradigm paradigm)
{
    IGNORE_PARAMETERS;
    (void)paradigm;
    decode_plain(user_data, ticks, EVENT_THREAD_JOIN, 0);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_team_begin(CALLBACK_PARAMETERS, OTF2_CommRef team)
{
    IGNORE_PARAMETERS;
    decode_team(user_data, ticks, EVENT_THREAD_TEAM_BEGIN, team);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_team_end(CALLBACK_PARAMETERS, OTF2_CommRef team)
{
    IGNORE_PARAMETERS;
    decode_team(user_data, ticks, EVENT_THREAD_TEAM_END, team);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_thread_create(CALLBACK_PARAMETERS, OTF2_CommRef threads,
                                          uint64_t number)
{
    IGNORE_PARAMETERS;
    decode_created(user_data, ticks, EVENT_THREAD_FORK, threads, number);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_thread_begin(CALLBACK_PARAMETERS, OTF2_CommRef threads, uint64_t number)
{
    IGNORE_PARAMETERS;
    decode_created(user_data, ticks, EVENT_THREAD_TEAM_BEGIN, threads, number);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_thread_wait(CALLBACK_PARAMETERS, OTF2_CommRef threads, uint64_t number)
{
    IGNORE_PARAMETERS;
    decode_created(user_data, ticks, EVENT_THREAD_JOIN, threads, number);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_thread_end(CALLBACK_PARAMETERS, OTF2_CommRef threads, uint64_t number)
{
    IGNORE_PARAMETERS;
    decode_created(user_data, ticks, EVENT_THREAD_TEAM_END, threads, number);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_lock_acquired(CALLBACK_PARAMETERS, OTF2_Paradigm paradigm,
                                          uint32_t lock, uint32_t order)
{
    IGNORE_PARAMETERS;
    (void)order;
    decode_thread_lock(user_data, ticks, EVENT_LOCK_ACQUIRED, paradigm, lock);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_lock_released(CALLBACK_PARAMETERS, OTF2_Paradigm paradigm,
                                          uint32_t lock, uint32_t order)
{
    IGNORE_PARAMETERS;
    (void)order;
    decode_thread_lock(user_data, ticks, EVENT_LOCK_RELEASED, paradigm, lock);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_buffer_flush(CALLBACK_PARAMETERS, OTF2_TimeStamp stop_ticks)
{
    IGNORE_PARAMETERS;
    decode_flush(user_data, ticks, stop_ticks);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_measurement(CALLBACK_PARAMETERS, OTF2_MeasurementMode mode)
{
    IGNORE_PARAMETERS;
    decode_measurement(user_data, ticks, mode);
    return OTF2_CALLBACK_SUCCESS;
}

const struct otf2_records otf2_records = {
    .Enter = on_enter,
    .Leave = on_leave,
    .CallingContextEnter = on_context_enter,
    .CallingContextLeave = on_context_leave,
    .MpiSend = on_send,
    .MpiIsend = on_isend,
    .MpiIsendComplete = on_isend_complete,
    .MpiIrecvRequest = on_irecv_request,
    .MpiRecv = on_recv,
    .MpiIrecv = on_irecv,
    .MpiRequestTest = on_request_test,
    .MpiRequestCancelled = on_request_cancelled,
    .MpiCollectiveBegin = on_collective_begin,
    .MpiCollectiveEnd = on_collective_end,
    .NonBlockingCollectiveRequest = on_collective_request,
    .NonBlockingCollectiveComplete = on_collective_complete,
    .RmaCollectiveBegin = on_collective_begin,
    .RmaCollectiveEnd = on_window_collective_end,
    .RmaGroupSync = on_group_sync,
    .RmaPut = on_put,
    .RmaGet = on_get,
    .RmaAtomic = on_atomic,
    .RmaRequestLock = on_lock,
    .RmaReleaseLock = on_unlock,
    .Metric = on_metric,
    .ThreadFork = on_thread_fork,
    .ThreadJoin = on_thread_join,
    .ThreadTeamBegin = on_team_begin,
    .ThreadTeamEnd = on_team_end,
    .ThreadCreate = on_thread_create,
    .ThreadBegin = on_thread_begin,
    .ThreadWait = on_thread_wait,
    .ThreadEnd = on_thread_end,
    .ThreadAcquireLock = on_lock_acquired,
    .ThreadReleaseLock = on_lock_released,
    .BufferFlush = on_buffer_flush,
    .MeasurementOnOff = on_measurement,
};

OTF2_EvtReaderCallbacks *otf2_records_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (!callbacks)
        return NULL;
    OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
#define SET(kind) OTF2_EvtReaderCallbacks_Set##kind##Callback(callbacks, otf2_records.kind);
    DECODED_KINDS(SET)
#undef SET
    OTF2_EvtReaderCallbacks_SetParameterStringCallback(callbacks, on_parameter_string);
    OTF2_EvtReaderCallbacks_SetParameterIntCallback(callbacks, on_parameter_int);
    OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(callbacks, on_parameter_unsigned_int);
    OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback(callbacks, on_file_open);
    OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(callbacks, on_file_begin);
    OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(callbacks, on_file_end);
    OTF2_EvtReaderCallbacks_SetIoOperationCancelledCallback(callbacks, on_file_cancelled);
    return callbacks;
}
