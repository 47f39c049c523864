// SPDX-License-Identifier: BSD-3-Clause
// The kinds of event records that are read, each with its fields and what decode.h makes of it: for
// event_file.c, and for the OTF2 library's callbacks, which read archives that event_file.c does
// not take, and copies of archives, which need all that a record holds.
#pragma once

#include <otf2/otf2.h>

// X(OTF2's name, number in event_record.h, decoding, fields in the order of the file) with DECODER,
// TICKS and ATTRIBUTES of the record. Who uses a list defines what a field is: BYTE, WORD (32 bits)
// and LONG (64 bits) (type, name), and ID(mapping, type, name), a reference that the location maps.
#define MESSAGE_FIELDS                                                                             \
    WORD(uint32_t, peer) ID(COMM, OTF2_CommRef, comm) WORD(uint32_t, tag) LONG(uint64_t, size_bytes)
#define COLLECTIVE_FIELDS                                                                          \
    BYTE(OTF2_CollectiveOp, op)                                                                    \
    ID(COMM, OTF2_CommRef, comm)                                                                   \
    WORD(uint32_t, root) LONG(uint64_t, sent_bytes) LONG(uint64_t, received_bytes)
#define WINDOW_FIELDS  ID(RMA_WIN, OTF2_RmaWinRef, window) WORD(uint32_t, target)
#define THREAD_FIELDS  ID(COMM, OTF2_CommRef, threads) LONG(uint64_t, number)
#define LOCK_FIELDS    BYTE(OTF2_Paradigm, paradigm) WORD(uint32_t, lock) WORD(uint32_t, order)
#define REQUEST_FIELDS LONG(uint64_t, request)

/// Records that become events, and that most of an archive consists of.
#define FREQUENT_RECORDS(X)                                                                        \
    X(Enter, ENTER, decode_enter(decoder, ticks, region, ATTRIBUTES),                              \
      ID(REGION, OTF2_RegionRef, region))                                                          \
    X(Leave, LEAVE, decode_leave(decoder, ticks, region), ID(REGION, OTF2_RegionRef, region))      \
    X(CallingContextEnter, CALLING_CONTEXT_ENTER,                                                  \
      decode_context(decoder, ticks, EVENT_ENTER, context),                                        \
      ID(CALLING_CONTEXT, OTF2_CallingContextRef, context) WORD(uint32_t, unwind_distance))        \
    X(CallingContextLeave, CALLING_CONTEXT_LEAVE,                                                  \
      decode_context(decoder, ticks, EVENT_LEAVE, context),                                        \
      ID(CALLING_CONTEXT, OTF2_CallingContextRef, context))                                        \
    X(MpiSend, MPI_SEND,                                                                           \
      decode_message(decoder, ticks, EVENT_SEND, peer, comm, tag, size_bytes, 0), MESSAGE_FIELDS)  \
    X(MpiIsend, MPI_ISEND,                                                                         \
      decode_message(decoder, ticks, EVENT_ISEND, peer, comm, tag, size_bytes, request),           \
      MESSAGE_FIELDS REQUEST_FIELDS)                                                               \
    X(MpiRecv, MPI_RECV,                                                                           \
      decode_message(decoder, ticks, EVENT_RECV, peer, comm, tag, size_bytes, 0), MESSAGE_FIELDS)  \
    X(MpiIrecv, MPI_IRECV,                                                                         \
      decode_message(decoder, ticks, EVENT_IRECV, peer, comm, tag, size_bytes, request),           \
      MESSAGE_FIELDS REQUEST_FIELDS)                                                               \
    X(MpiIsendComplete, MPI_ISEND_COMPLETE,                                                        \
      decode_request(decoder, ticks, EVENT_ISEND_COMPLETE, request), REQUEST_FIELDS)               \
    X(MpiIrecvRequest, MPI_IRECV_REQUEST,                                                          \
      decode_posted_receive(decoder, ticks, request, ATTRIBUTES), REQUEST_FIELDS)                  \
    X(MpiCollectiveBegin, MPI_COLLECTIVE_BEGIN,                                                    \
      decode_plain(decoder, ticks, EVENT_COLLECTIVE_BEGIN, 0), )                                   \
    X(MpiCollectiveEnd, MPI_COLLECTIVE_END,                                                        \
      decode_collective(decoder, ticks, EVENT_COLLECTIVE_END, op, comm, root, sent_bytes,          \
                        received_bytes, 0, ATTRIBUTES),                                            \
      COLLECTIVE_FIELDS)                                                                           \
    X(NonBlockingCollectiveRequest, NON_BLOCKING_COLLECTIVE_REQUEST,                               \
      decode_posted_collective(decoder, ticks, request, ATTRIBUTES), REQUEST_FIELDS)               \
    X(NonBlockingCollectiveComplete, NON_BLOCKING_COLLECTIVE_COMPLETE,                             \
      decode_collective(decoder, ticks, EVENT_COLLECTIVE_COMPLETE, op, comm, root, sent_bytes,     \
                        received_bytes, request, ATTRIBUTES),                                      \
      COLLECTIVE_FIELDS REQUEST_FIELDS)

/// The others that become events, those of files if they are of collective operations.
#define OTHER_RECORDS(X)                                                                           \
    X(MpiRequestTest, MPI_REQUEST_TEST,                                                            \
      decode_request(decoder, ticks, EVENT_REQUEST_TEST, request), REQUEST_FIELDS)                 \
    X(MpiRequestCancelled, MPI_REQUEST_CANCELLED,                                                  \
      decode_request(decoder, ticks, EVENT_REQUEST_CANCELLED, request), REQUEST_FIELDS)            \
    X(RmaCollectiveBegin, RMA_COLLECTIVE_BEGIN,                                                    \
      decode_plain(decoder, ticks, EVENT_COLLECTIVE_BEGIN, 0), )                                   \
    X(RmaCollectiveEnd, RMA_COLLECTIVE_END,                                                        \
      decode_window_collective(decoder, ticks, op, window, root, sent_bytes, received_bytes),      \
      BYTE(OTF2_CollectiveOp, op) WORD(OTF2_RmaSyncLevel, level)                                   \
          ID(RMA_WIN, OTF2_RmaWinRef, window) WORD(uint32_t, root) LONG(uint64_t, sent_bytes)      \
              LONG(uint64_t, received_bytes))                                                      \
    X(RmaGroupSync, RMA_GROUP_SYNC, decode_group_sync(decoder, ticks, level, window, group),       \
      WORD(OTF2_RmaSyncLevel, level) ID(RMA_WIN, OTF2_RmaWinRef, window)                           \
          ID(GROUP, OTF2_GroupRef, group))                                                         \
    X(RmaPut, RMA_PUT, decode_access(decoder, ticks, COUNTER_PUTS, window, target, size_bytes),    \
      WINDOW_FIELDS LONG(uint64_t, size_bytes) LONG(uint64_t, completion))                         \
    X(RmaGet, RMA_GET, decode_access(decoder, ticks, COUNTER_GETS, window, target, size_bytes),    \
      WINDOW_FIELDS LONG(uint64_t, size_bytes) LONG(uint64_t, completion))                         \
    X(RmaAtomic, RMA_ATOMIC,                                                                       \
      decode_access(decoder, ticks, COUNTER_ATOMICS, window, target, sent_bytes + received_bytes), \
      WINDOW_FIELDS BYTE(OTF2_RmaAtomicType, type) LONG(uint64_t, sent_bytes)                      \
          LONG(uint64_t, received_bytes) LONG(uint64_t, completion))                               \
    X(RmaRequestLock, RMA_REQUEST_LOCK,                                                            \
      decode_lock(decoder, ticks, EVENT_RMA_LOCK, window, target, type == OTF2_LOCK_EXCLUSIVE),    \
      WINDOW_FIELDS LONG(uint64_t, lock) BYTE(OTF2_LockType, type))                                \
    X(RmaReleaseLock, RMA_RELEASE_LOCK,                                                            \
      decode_lock(decoder, ticks, EVENT_RMA_UNLOCK, window, target, false),                        \
      WINDOW_FIELDS LONG(uint64_t, lock))                                                          \
    X(ThreadFork, THREAD_FORK, decode_plain(decoder, ticks, EVENT_THREAD_FORK, n_threads),         \
      BYTE(OTF2_Paradigm, paradigm) WORD(uint32_t, n_threads))                                     \
    X(ThreadJoin, THREAD_JOIN, decode_plain(decoder, ticks, EVENT_THREAD_JOIN, 0),                 \
      BYTE(OTF2_Paradigm, paradigm))                                                               \
    X(ThreadTeamBegin, THREAD_TEAM_BEGIN,                                                          \
      decode_team(decoder, ticks, EVENT_THREAD_TEAM_BEGIN, team), ID(COMM, OTF2_CommRef, team))    \
    X(ThreadTeamEnd, THREAD_TEAM_END, decode_team(decoder, ticks, EVENT_THREAD_TEAM_END, team),    \
      ID(COMM, OTF2_CommRef, team))                                                                \
    X(ThreadCreate, THREAD_CREATE,                                                                 \
      decode_created(decoder, ticks, EVENT_THREAD_FORK, threads, number), THREAD_FIELDS)           \
    X(ThreadBegin, THREAD_BEGIN,                                                                   \
      decode_created(decoder, ticks, EVENT_THREAD_TEAM_BEGIN, threads, number), THREAD_FIELDS)     \
    X(ThreadWait, THREAD_WAIT, decode_created(decoder, ticks, EVENT_THREAD_JOIN, threads, number), \
      THREAD_FIELDS)                                                                               \
    X(ThreadEnd, THREAD_END,                                                                       \
      decode_created(decoder, ticks, EVENT_THREAD_TEAM_END, threads, number), THREAD_FIELDS)       \
    X(ThreadAcquireLock, THREAD_ACQUIRE_LOCK,                                                      \
      decode_thread_lock(decoder, ticks, EVENT_LOCK_ACQUIRED, paradigm, lock), LOCK_FIELDS)        \
    X(ThreadReleaseLock, THREAD_RELEASE_LOCK,                                                      \
      decode_thread_lock(decoder, ticks, EVENT_LOCK_RELEASED, paradigm, lock), LOCK_FIELDS)        \
    X(IoCreateHandle, IO_CREATE_HANDLE, decode_file_open(decoder, ticks, handle),                  \
      ID(IO_HANDLE, OTF2_IoHandleRef, handle) BYTE(OTF2_IoAccessMode, mode)                        \
          WORD(OTF2_IoCreationFlag, creation) WORD(OTF2_IoStatusFlag, status))                     \
    X(IoDestroyHandle, IO_DESTROY_HANDLE, decode_file_close(decoder, ticks, handle),               \
      ID(IO_HANDLE, OTF2_IoHandleRef, handle))                                                     \
    X(IoChangeStatusFlags, IO_CHANGE_STATUS_FLAGS,                                                 \
      decode_file_changed(decoder, ticks, handle, ATTRIBUTES),                                     \
      ID(IO_HANDLE, OTF2_IoHandleRef, handle) WORD(OTF2_IoStatusFlag, status))                     \
    X(IoOperationBegin, IO_OPERATION_BEGIN,                                                        \
      decode_file_begin(decoder, ticks, handle, mode, flags, id),                                  \
      ID(IO_HANDLE, OTF2_IoHandleRef, handle) BYTE(OTF2_IoOperationMode, mode)                     \
          WORD(OTF2_IoOperationFlag, flags) LONG(uint64_t, asked_bytes) LONG(uint64_t, id))        \
    X(MeasurementOnOff, MEASUREMENT_ON_OFF, decode_measurement(decoder, ticks, mode),              \
      BYTE(OTF2_MeasurementMode, mode))

/// Those that become events and whose fields are read by hand.
#define ODD_RECORDS(X)                                                                             \
    X(Metric)                                                                                      \
    X(BufferFlush)

/// Records that are noted with the events around them.
#define NOTED_RECORDS(N)                                                                           \
    N(ParameterString, PARAMETER_STRING, decode_parameter(decoder, ticks, parameter, 0),           \
      ID(PARAMETER, OTF2_ParameterRef, parameter) WORD(OTF2_StringRef, value))                     \
    N(ParameterInt, PARAMETER_INT, decode_parameter(decoder, ticks, parameter, (double)value),     \
      ID(PARAMETER, OTF2_ParameterRef, parameter) LONG(int64_t, value))                            \
    N(ParameterUnsignedInt, PARAMETER_UNSIGNED_INT,                                                \
      decode_parameter(decoder, ticks, parameter, (double)value),                                  \
      ID(PARAMETER, OTF2_ParameterRef, parameter) LONG(uint64_t, value))                           \
    N(IoOperationComplete, IO_OPERATION_COMPLETE,                                                  \
      decode_file_end(decoder, ticks, handle, size_bytes, id),                                     \
      ID(IO_HANDLE, OTF2_IoHandleRef, handle) LONG(uint64_t, size_bytes) LONG(uint64_t, id))       \
    N(IoOperationCancelled, IO_OPERATION_CANCELLED, decode_file_cancelled(decoder, handle, id),    \
      ID(IO_HANDLE, OTF2_IoHandleRef, handle) LONG(uint64_t, id))

/// What makes an event of each kind that becomes one: callbacks of OTF2, whose user data is a
/// struct decoder.
struct otf2_records {
#define RECORD_FUNCTION(kind, ...) OTF2_EvtReaderCallback_##kind kind;
    FREQUENT_RECORDS(RECORD_FUNCTION)
    OTHER_RECORDS(RECORD_FUNCTION)
    ODD_RECORDS(RECORD_FUNCTION)
#undef RECORD_FUNCTION
};
extern const struct otf2_records otf2_records;

/// All of them, and what notes or counts other records, to be registered with a struct decoder as
/// user data. NULL when memory is out. The caller deletes them.
OTF2_EvtReaderCallbacks *otf2_records_callbacks(void);
