// SPDX-License-Identifier: BSD-3-Clause
// Decoding of event records: OTF2's callbacks write struct event straight into a location's buffer.
#ifndef PAGODA_TRACE_DECODE_H
#define PAGODA_TRACE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/trace/clock.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/file_check.h"
#include "analyzer/trace/records.h"
#include "analyzer/trace/resolve.h"

/// What the callbacks of one location know; handed to OTF2 as their user data.
struct decoder {
    struct event *output; // where the callbacks append; has room for what is asked of OTF2
    uint32_t n_output;
    int64_t last_ticks; // time of the newest event, below 0 when a clock offset says so
    int64_t end_ticks;  // no run lasts until then
    uint32_t n_in_time; // events in the output before the first beyond that; UINT32_MAX: no such
    bool in_polls;      // in a folded polling loop, which is to end at polls_end_ns
    uint64_t polls_end_ns;
    const struct clock *clock;
    const struct records *records;
    const struct resolved *resolved;
    OTF2_EvtReader *reader; // NULL: nothing (more) to read
    struct cursor cursor;   // what the engine reads; not touched by the callbacks
    size_t capacity;        // events the cursor's buffer can hold
    struct event_walk walk; // what its file holds
    uint64_t *n_unused;     // owned, of report.n_unused; NULL: not counted
    struct location_report report;
    char *reason; // owned text of report.reason
};

/// DECODER is at the begin of its location: no event and no polling loop yet.
static inline void decoder_begin(struct decoder *decoder)
{
    decoder->last_ticks = INT64_MIN;
    decoder->n_in_time = UINT32_MAX;
    decoder->in_polls = false;
}

/// The kinds of records that become events, and what makes one of each: OTF2's callbacks, whose
/// user data is a struct decoder. RESOLVED tells whether enter records can carry attributes of
/// ours.
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
    X(Metric)                                                                                      \
    X(ThreadFork)                                                                                  \
    X(ThreadJoin)                                                                                  \
    X(ThreadTeamBegin)                                                                             \
    X(ThreadTeamEnd)                                                                               \
    X(BufferFlush)                                                                                 \
    X(MeasurementOnOff)

struct decode_functions {
#define DECODE_FUNCTION(kind) OTF2_EvtReaderCallback_##kind kind;
    DECODED_KINDS(DECODE_FUNCTION)
#undef DECODE_FUNCTION
};
struct decode_functions decode_functions(const struct resolved *resolved);

/// The callbacks, to be registered with a struct decoder as user data. RESOLVED tells whether
/// enter records can carry attributes of ours. NULL when memory is out. The caller deletes them.
OTF2_EvtReaderCallbacks *decode_callbacks(const struct resolved *resolved);

#endif
