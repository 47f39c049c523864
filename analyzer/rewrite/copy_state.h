// SPDX-License-Identifier: BSD-3-Clause
// What copying the records of one location keeps, shared by the callbacks of copy_events.c,
// and when the record at hand happens now.
#ifndef PAGODA_REWRITE_COPY_STATE_H
#define PAGODA_REWRITE_COPY_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/base/error.h"
#include "analyzer/base/map.h"
#include "analyzer/rewrite/copy_definitions.h"
#include "analyzer/rewrite/time_map.h"
#include "analyzer/trace/decode.h"
#include "analyzer/trace/reader.h"

/// Parameters that all callbacks for events share.
#define COPY_EVENT_PARAMETERS                                                                      \
    OTF2_LocationRef location, OTF2_TimeStamp ticks, uint64_t record, void *user_data,             \
        OTF2_AttributeList *attributes

/// A message that a call completes later.
struct late_message {
    uint64_t call; // number of the call that was put off
    bool is_send;
    uint64_t request, size_bytes;
    uint32_t sender, tag;
    OTF2_CommRef communicator;
};

/// One location.
struct copy {
    struct trace_source source;
    struct decode_functions decode;
    struct decoder decoder;
    struct event event; // the decoder's output
    struct time_map_reader *times;
    OTF2_EvtWriter *writer;
    OTF2_MetricValue *values; // of a metric record
    size_t value_capacity;
    const struct pag_changed *change; // of the record at hand, NULL: none
    uint64_t put_off;                 // number of the call it is in, 0: not put off
    // Where calls are put off, requests are numbered anew: one may be open for longer than its
    // number is its own.
    const struct late_definitions *late; // NULL: no call is
    struct map requests;                 // number in the trace -> new one
    uint32_t n_requests;
    struct late_message *waiting; // by call
    size_t n_waiting, waiting_capacity;
    struct error *err;
    bool has_failed;
};

/// When the record that was just given to the decoder, or none of its, happens now; calls that are
/// waited for before it are written.
uint64_t copy_place(struct copy *copy, uint64_t ticks);

/// For the decoder's next record.
struct decoder *copy_decoder(struct copy *copy);

/// After a record was written with this CODE: whether to go on.
OTF2_CallbackCode copy_written(struct copy *copy, OTF2_ErrorCode code);

/// The run does not have the record at hand.
static inline bool copy_is_left_out(const struct copy *copy)
{
    return copy->change && copy->change->is_left_out;
}

/// Writes the calls without events that are due before the next event, or at the end.
void copy_late_calls(struct copy *copy);

#endif
