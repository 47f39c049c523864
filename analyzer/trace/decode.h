// SPDX-License-Identifier: BSD-3-Clause
// What an event record means: one function for each kind makes a struct event of its fields. Who
// read the record, event_file.c or the OTF2 library (otf2_records.c), makes no difference.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/trace/batch.h"
#include "analyzer/trace/clock.h"
#include "analyzer/trace/definitions/records.h"
#include "analyzer/trace/definitions/resolve.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/file_operations.h"
#include "analyzer/trace/metrics/metric_series.h"

/// What the counters of a location grow by: what the digest is to get, and the values so far.
struct counts {
    bool is_on;    // they are looked at
    uint32_t base; // where the decoder's output begins among the events that the digest gets
    struct counter_growth *growths;
    size_t n_growths, capacity;
    double *last; // by counter, NAN before the first; NULL: this location counts for no rank
};

/// What making events of one location's records needs and finds out.
/// A message that a matched probe has taken, until it is received. From its receive being posted
/// on, `id` is that of the request.
struct probed_message {
    uint64_t id;
    bool is_posted;
    uint32_t peer, tag;
    OTF2_CommRef comm;
};

struct decoder {
    struct event *output; // where events are appended; has room for one for each record
    uint32_t n_output;
    int64_t last_ticks; // time of the newest event, below 0 when a clock offset says so
    int64_t end_ticks;  // no run lasts until then
    uint32_t n_in_time; // events in the output before the first beyond that; UINT32_MAX: no such
    bool in_polls;      // in a folded polling loop, which is to end at polls_end_ns
    uint64_t polls_end_ns;
    const struct clock *clock;
    const struct records *records;
    const struct resolved *resolved;
    uint64_t *n_unused; // owned, of report.n_unused; NULL: not counted
    struct counts counts;
    struct metric_series_list series; // of the metrics that are not in `counts`
    struct file_operations files;
    struct probed_message *probed; // owned, in the order of their probes
    size_t n_probed, probed_capacity;
    struct location_report report;
};

/// No counter had a value yet.
void decode_counts_begin(struct decoder *decoder);

/// DECODER is at the begin of its location: no event and no polling loop yet.
static inline void decoder_begin(struct decoder *decoder)
{
    decoder->last_ticks = INT64_MIN;
    decoder->n_in_time = UINT32_MAX;
    decoder->in_polls = false;
    decoder->n_probed = 0;
    decode_counts_begin(decoder);
    file_operations_begin(&decoder->files);
}

/// The attributes of one record that mean something to us, in their order.
struct attributes {
    uint32_t n;
    struct attribute {
        OTF2_AttributeRef id;
        uint32_t role; // enum attribute_role, UINT32_MAX for none
        OTF2_Type type;
        OTF2_AttributeValue value;
    } items[16]; // further ones are ignored: there are fewer roles, and markers have few
};

/// Adds an attribute of a record, if it means something.
static inline void decode_attribute(const struct decoder *decoder, struct attributes *attributes,
                                    OTF2_AttributeRef id, OTF2_Type type, OTF2_AttributeValue value)
{
    uint32_t role = id_table_get(&decoder->resolved->attribute_roles, id);
    if ((role != UINT32_MAX ||
         id_table_get(&decoder->resolved->marker_parameters, id) != UINT32_MAX) &&
        attributes->n < sizeof attributes->items / sizeof attributes->items[0])
        attributes->items[attributes->n++] =
            (struct attribute){.id = id, .role = role, .type = type, .value = value};
}

// Each appends the event of a record to the output. A record that names something undefined is
// dropped and counted. References are global ones, TICKS those of the corrected clock.

void decode_enter(struct decoder *decoder, uint64_t ticks, OTF2_RegionRef region,
                  const struct attributes *attributes);
void decode_leave(struct decoder *decoder, uint64_t ticks, OTF2_RegionRef region);

/// KIND is EVENT_ENTER or EVENT_LEAVE.
void decode_context(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                    OTF2_CallingContextRef context);

/// KIND is EVENT_SEND, EVENT_RECV (without a request), EVENT_ISEND or EVENT_IRECV.
void decode_message(struct decoder *decoder, uint64_t ticks, enum event_kind kind, uint32_t peer,
                    OTF2_CommRef comm, uint32_t tag, uint64_t size_bytes, uint64_t request);

/// Kinds that have only a request.
void decode_request(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                    uint64_t request);
void decode_posted_receive(struct decoder *decoder, uint64_t ticks, uint64_t request,
                           const struct attributes *attributes);
/// What OTF2 since 3.2 has of matched probes: the message MESSAGE was taken; its receive was posted
/// as REQUEST; it was received, as EVENT_RECV by its number or as EVENT_IRECV by that of its
/// request.
void decode_probed(struct decoder *decoder, struct probed_message message);
void decode_posted_matched(struct decoder *decoder, uint64_t ticks, uint64_t id, uint64_t request);
void decode_matched_receive(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                            uint64_t id, uint64_t size_bytes);
void decode_posted_collective(struct decoder *decoder, uint64_t ticks, uint64_t request,
                              const struct attributes *attributes);

/// KIND is EVENT_COLLECTIVE_END (without a request) or EVENT_COLLECTIVE_COMPLETE.
void decode_collective(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                       OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent_bytes,
                       uint64_t received_bytes, uint64_t request,
                       const struct attributes *attributes);

/// KIND is EVENT_RMA_LOCK or EVENT_RMA_UNLOCK.
void decode_lock(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                 OTF2_RmaWinRef window, uint32_t target, bool is_exclusive);

/// One that synchronises nothing is no event.
void decode_group_sync(struct decoder *decoder, uint64_t ticks, OTF2_RmaSyncLevel level,
                       OTF2_RmaWinRef window, OTF2_GroupRef group);

/// RmaPut, RmaGet, RmaAtomic, by the counter of their number.
void decode_access(struct decoder *decoder, uint64_t ticks, enum access_counter counter,
                   OTF2_RmaWinRef window, uint32_t target, uint64_t size_bytes);

/// A collective operation on an RMA window.
void decode_window_collective(struct decoder *decoder, uint64_t ticks, OTF2_CollectiveOp op,
                              OTF2_RmaWinRef window, uint32_t root, uint64_t sent_bytes,
                              uint64_t received_bytes);

void decode_metric(struct decoder *decoder, uint64_t ticks, OTF2_MetricRef metric, uint8_t n_values,
                   const OTF2_Type *types, const OTF2_MetricValue *values);
/// VALUE is 0 of a text.
void decode_parameter(struct decoder *decoder, uint64_t ticks, OTF2_ParameterRef parameter,
                      double value);

// Records of file I/O are noted in decoder.files. Those of blocking collective operations become
// collective events as well, on what stands for the files of their communicator. All that is known
// of one comes with its begin, so nothing has to be kept until its end.

void decode_file_open(struct decoder *decoder, uint64_t ticks, OTF2_IoHandleRef handle);
void decode_file_close(struct decoder *decoder, uint64_t ticks, OTF2_IoHandleRef handle);
/// Only our tracer tells collective changes, by an attribute.
void decode_file_changed(struct decoder *decoder, uint64_t ticks, OTF2_IoHandleRef handle,
                         const struct attributes *attributes);
void decode_file_begin(struct decoder *decoder, uint64_t ticks, OTF2_IoHandleRef handle,
                       OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags, uint64_t id);
void decode_file_end(struct decoder *decoder, uint64_t ticks, OTF2_IoHandleRef handle,
                     uint64_t size_bytes, uint64_t id);
void decode_file_cancelled(struct decoder *decoder, OTF2_IoHandleRef handle, uint64_t id);

/// Kinds that have nothing, or a number: the threads of a fork.
void decode_plain(struct decoder *decoder, uint64_t ticks, enum event_kind kind, uint64_t number);

/// KIND is EVENT_THREAD_TEAM_BEGIN or EVENT_THREAD_TEAM_END.
void decode_team(struct decoder *decoder, uint64_t ticks, enum event_kind kind, OTF2_CommRef team);
/// The thread NUMBER of THREADS is made, begins, is awaited or ends: EVENT_THREAD_FORK,
/// _TEAM_BEGIN, _JOIN, _TEAM_END.
void decode_created(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                    OTF2_CommRef threads, uint64_t number);

/// KIND is EVENT_LOCK_ACQUIRED or EVENT_LOCK_RELEASED.
void decode_thread_lock(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                        OTF2_Paradigm paradigm, uint32_t lock);
void decode_flush(struct decoder *decoder, uint64_t ticks, uint64_t stop_ticks);
void decode_measurement(struct decoder *decoder, uint64_t ticks, OTF2_MeasurementMode mode);

/// Counts a record of an unknown kind.
void decode_unknown(struct decoder *decoder);
