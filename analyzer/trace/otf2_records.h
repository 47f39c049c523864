// SPDX-License-Identifier: BSD-3-Clause
// Event records as the OTF2 library delivers them, given to decode.h: for archives that
// event_file.c does not take, and for copies of archives, which need all that a record holds.
#pragma once

#include <otf2/otf2.h>

/// The kinds of records that become events, and what makes one of each: callbacks of OTF2, whose
/// user data is a struct decoder.
#define DECODED_KINDS(X)                                                                           \
    X(Enter)                                                                                       \
    X(Leave)                                                                                       \
    X(CallingContextEnter)                                                                         \
    X(CallingContextLeave)                                                                         \
    X(MpiSend)                                                                                     \
    X(MpiIsend)                                                                                    \
    X(MpiIsendComplete)                                                                            \
    X(MpiIrecvRequest)                                                                             \
    X(MpiRecv)                                                                                     \
    X(MpiIrecv)                                                                                    \
    X(MpiRequestTest)                                                                              \
    X(MpiRequestCancelled)                                                                         \
    X(MpiCollectiveBegin)                                                                          \
    X(MpiCollectiveEnd)                                                                            \
    X(NonBlockingCollectiveRequest)                                                                \
    X(NonBlockingCollectiveComplete)                                                               \
    X(RmaCollectiveBegin)                                                                          \
    X(RmaCollectiveEnd)                                                                            \
    X(RmaGroupSync)                                                                                \
    X(RmaPut)                                                                                      \
    X(RmaGet)                                                                                      \
    X(RmaAtomic)                                                                                   \
    X(RmaRequestLock)                                                                              \
    X(RmaReleaseLock)                                                                              \
    X(Metric)                                                                                      \
    X(ThreadFork)                                                                                  \
    X(ThreadJoin)                                                                                  \
    X(ThreadTeamBegin)                                                                             \
    X(ThreadTeamEnd)                                                                               \
    X(ThreadCreate)                                                                                \
    X(ThreadBegin)                                                                                 \
    X(ThreadWait)                                                                                  \
    X(ThreadEnd)                                                                                   \
    X(ThreadAcquireLock)                                                                           \
    X(ThreadReleaseLock)                                                                           \
    X(BufferFlush)                                                                                 \
    X(MeasurementOnOff)

struct otf2_records {
#define RECORD_FUNCTION(kind) OTF2_EvtReaderCallback_##kind kind;
    DECODED_KINDS(RECORD_FUNCTION)
#undef RECORD_FUNCTION
};
extern const struct otf2_records otf2_records;

/// All of them, and what counts other records, to be registered with a struct decoder as user data.
/// NULL when memory is out. The caller deletes them.
OTF2_EvtReaderCallbacks *otf2_records_callbacks(void);
