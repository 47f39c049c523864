// SPDX-License-Identifier: BSD-3-Clause
// A callback for each kind of record writes it again, when it happens now. The functions that make
// events of the records for the replay (decode.h) say which of them were events, and when: so the
// times given for events, in their order, find their records. The other records go with their
// surroundings.
#include "analyzer/rewrite/rewrite.h"

#include <inttypes.h>
#include <stdbool.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/error.h"
#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/trace/archive.h"
#include "analyzer/trace/decode.h"
#include "analyzer/trace/otf2_records.h"

#include "record_kinds.gen.h" // of record_kinds.awk

/// Parameters that all callbacks for events share.
#define COPY_EVENT_PARAMETERS                                                                      \
    OTF2_LocationRef location, OTF2_TimeStamp own_ticks, uint64_t record, void *user_data,         \
        OTF2_AttributeList *attributes

/// A record that completes a request, in a call that was put off.
struct late_record {
    enum { LATE_SEND, LATE_RECEIVE, LATE_COLLECTIVE } kind;
    uint64_t call; // its number
    uint64_t request, size_bytes, received_bytes;
    uint32_t peer, tag; // the sender; the root
    OTF2_CommRef communicator;
    OTF2_CollectiveOp operation;
    OTF2_AttributeList *attributes; // owned, NULL: none
};

/// One location.
struct copy {
    struct trace_source source;
    const struct local_definitions *local; // with its clock offsets
    size_t clock_interval;
    struct decoder decoder;
    struct event event; // the decoder's output
    struct time_map_reader *times;
    OTF2_EvtWriter *writer;
    OTF2_MetricValue *values; // of a metric record
    size_t value_capacity;
    struct time_map_event at; // the record at hand
    // Where calls are put off, requests are numbered anew: one may be open for longer than its
    // number is its own.
    const struct late_definitions *late; // NULL: no call is
    struct map requests;                 // number in the trace -> new one
    uint32_t n_requests;
    struct late_record *waiting; // by call
    size_t n_waiting, waiting_capacity;
    struct error *err;
    bool has_failed;
};

// ---- when a record happens now ----

/// A time of the location's clock on the run's.
static uint64_t in_run(struct copy *copy, uint64_t own_ticks)
{
    return local_definitions_ticks(copy->local, &copy->clock_interval, own_ticks);
}

/// The run does not have the record at hand.
static bool copy_is_left_out(const struct copy *copy)
{
    return copy->at.change && copy->at.change->is_left_out;
}

/// For the next record.
static struct decoder *copy_decoder(struct copy *copy)
{
    copy->decoder.n_output = 0;
    return &copy->decoder;
}

/// After a record was written with this CODE: whether to go on.
static OTF2_CallbackCode copy_written(struct copy *copy, OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS && !copy->has_failed) {
        copy->has_failed = true;
        error_set(copy->err, "cannot write: %s", otf2_error_cause(code));
    }
    return copy->has_failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_ErrorCode write_late(const struct copy *copy, const struct late_record *record,
                                 uint64_t time_ns)
{
    OTF2_EvtWriter *writer = copy->writer;
    switch (record->kind) {
    case LATE_SEND:
        return OTF2_EvtWriter_MpiIsendComplete(writer, NULL, time_ns, record->request);
    case LATE_RECEIVE:
        return OTF2_EvtWriter_MpiIrecv(writer, NULL, time_ns, record->peer, record->communicator,
                                       record->tag, record->size_bytes, record->request);
    default:
        return OTF2_EvtWriter_NonBlockingCollectiveComplete(
            writer, record->attributes, time_ns, record->operation, record->communicator,
            record->peer, record->size_bytes, record->received_bytes, record->request);
    }
}

static void write_late_call(struct copy *copy, const struct time_map_late *late)
{
    size_t n = 0;
    copy_written(copy,
                 OTF2_EvtWriter_Enter(copy->writer, NULL, late->begin_ns, copy->late->waitall));
    for (; n < copy->n_waiting && copy->waiting[n].call <= late->last; n++) {
        copy_written(copy, write_late(copy, &copy->waiting[n], late->end_ns));
        OTF2_AttributeList_Delete(copy->waiting[n].attributes);
    }
    copy_written(copy, OTF2_EvtWriter_Leave(copy->writer, NULL, late->end_ns, copy->late->waitall));
    copy->n_waiting -= n;
    for (size_t i = 0; i < copy->n_waiting; i++)
        copy->waiting[i] = copy->waiting[n + i];
}

/// Writes the calls without events that are due before the next event, or at the end.
static void copy_late_calls(struct copy *copy)
{
    struct time_map_late late;
    int status = 0;
    while (copy->late && !copy->has_failed &&
           (status = time_map_late(copy->times, &late, copy->err)) == 1)
        write_late_call(copy, &late);
    copy->has_failed = copy->has_failed || status < 0;
}

/// When the record that was just given to the decoder, or none of its, happens now; calls that are
/// waited for before it are written.
static uint64_t copy_place(struct copy *copy, uint64_t ticks)
{
    int status;
    copy->at = (struct time_map_event){0};
    if (copy->decoder.n_output > 0) {
        copy_late_calls(copy);
        status = time_map_event(copy->times, copy->event.time_ns, event_completes(&copy->event),
                                &copy->at, copy->err);
    } else {
        uint64_t origin_ticks = copy->source.clock->origin_ticks;
        uint64_t recorded_ns =
            (int64_t)(ticks - origin_ticks) > 0 ? clock_time_ns(copy->source.clock, ticks) : 0;
        status = time_map_between(copy->times, recorded_ns, &copy->at.time_ns, copy->err);
    }
    copy->decoder.n_output = 0;
    copy->has_failed = copy->has_failed || status != 0;
    return copy->at.time_ns;
}

// ---- messages, requests and collectives ----

// --- requests

/// A request is opened by the record at hand.
static uint64_t open_request(struct copy *copy, uint64_t request)
{
    if (!copy->late)
        return request;
    map_put(&copy->requests, request, ++copy->n_requests);
    return copy->n_requests;
}

static uint64_t request_of(const struct copy *copy, uint64_t request)
{
    uint32_t number;
    return copy->late && map_get(&copy->requests, request, &number) ? number : request;
}

static uint64_t close_request(struct copy *copy, uint64_t request)
{
    uint32_t number;
    if (!copy->late)
        return request;
    if (!map_get(&copy->requests, request, &number)) // never opened
        return ++copy->n_requests;
    map_remove(&copy->requests, request);
    return number;
}

// --- calls that are waited for later

/// RECORD is of the call at hand, which was put off.
static void put_off(struct copy *copy, struct late_record record)
{
    record.call = copy->at.put_off;
    *ARRAY_NEXT(copy->waiting, copy->n_waiting, copy->waiting_capacity) = record;
}

/// A copy of ATTRIBUTES that outlives their record.
static OTF2_AttributeList *keep_attributes(OTF2_AttributeList *attributes)
{
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(attributes);
    OTF2_AttributeList *kept = n > 0 ? OTF2_AttributeList_New() : NULL;
    for (uint32_t i = 0; kept && i < n; i++) {
        OTF2_AttributeRef id;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &id, &type, &value) ==
            OTF2_SUCCESS)
            OTF2_AttributeList_AddAttribute(kept, id, type, value);
    }
    return kept;
}

/// Says in ATTRIBUTES what a posted receive is for.
static void add_envelope(const struct copy *copy, OTF2_AttributeList *attributes, uint32_t sender,
                         OTF2_CommRef communicator, uint32_t tag)
{
    const OTF2_AttributeRef *ids = copy->late->attributes;
    OTF2_AttributeList_AddCommRef(attributes, ids[ATTRIBUTE_COMMUNICATOR], communicator);
    OTF2_AttributeList_AddInt32(attributes, ids[ATTRIBUTE_SOURCE], (int32_t)sender);
    OTF2_AttributeList_AddInt32(attributes, ids[ATTRIBUTE_TAG], (int32_t)tag);
}

static void put_off_receive(struct copy *copy, uint64_t request, uint64_t size_bytes,
                            uint32_t sender, uint32_t tag, OTF2_CommRef communicator)
{
    put_off(copy, (struct late_record){.kind = LATE_RECEIVE,
                                       .request = request,
                                       .size_bytes = size_bytes,
                                       .peer = sender,
                                       .tag = tag,
                                       .communicator = communicator});
}

// --- callbacks

/// Of the record at hand in a callback, of KIND: gives it to the decoder; the same, and returns if
/// it is left out of COPY; writes one at TIME_NS.
#define READ(kind, ...) otf2_records.kind(location, ticks, record, copy_decoder(copy), __VA_ARGS__)
#define BEGIN_COPY(kind, ...)                                                                      \
    struct copy *copy = user_data;                                                                 \
    uint64_t ticks = in_run(copy, own_ticks);                                                      \
    READ(kind, __VA_ARGS__);                                                                       \
    uint64_t time_ns = copy_place(copy, ticks);                                                    \
    if (copy_is_left_out(copy)) {                                                                  \
        return copy_written(copy, OTF2_SUCCESS);                                                   \
    }
#define WRITE(kind, ...)                                                                           \
    copy_written(copy, OTF2_EvtWriter_##kind(copy->writer, attributes, time_ns, __VA_ARGS__))

static uint64_t size_of(const struct copy *copy, uint64_t size_bytes)
{
    return copy->at.change ? copy->at.change->size_bytes : size_bytes;
}

static OTF2_CallbackCode copy_MpiSend(COPY_EVENT_PARAMETERS, uint32_t receiver, OTF2_CommRef comm,
                                      uint32_t tag, uint64_t size_bytes)
{
    BEGIN_COPY(MpiSend, attributes, receiver, comm, tag, size_bytes);
    size_bytes = size_of(copy, size_bytes);
    if (copy->at.put_off == 0)
        return WRITE(MpiSend, receiver, comm, tag, size_bytes);
    uint64_t request = ++copy->n_requests;
    put_off(copy, (struct late_record){.kind = LATE_SEND, .request = request});
    return WRITE(MpiIsend, receiver, comm, tag, size_bytes, request);
}

static OTF2_CallbackCode copy_MpiIsend(COPY_EVENT_PARAMETERS, uint32_t receiver, OTF2_CommRef comm,
                                       uint32_t tag, uint64_t size_bytes, uint64_t request)
{
    BEGIN_COPY(MpiIsend, attributes, receiver, comm, tag, size_bytes, request);
    return WRITE(MpiIsend, receiver, comm, tag, size_of(copy, size_bytes),
                 open_request(copy, request));
}

static OTF2_CallbackCode copy_MpiRecv(COPY_EVENT_PARAMETERS, uint32_t sender, OTF2_CommRef comm,
                                      uint32_t tag, uint64_t size_bytes)
{
    BEGIN_COPY(MpiRecv, attributes, sender, comm, tag, size_bytes);
    size_bytes = size_of(copy, size_bytes);
    if (copy->at.put_off == 0)
        return WRITE(MpiRecv, sender, comm, tag, size_bytes);
    uint64_t request = ++copy->n_requests;
    put_off_receive(copy, request, size_bytes, sender, tag, comm);
    add_envelope(copy, attributes, sender, comm, tag);
    return WRITE(MpiIrecvRequest, request);
}

static OTF2_CallbackCode copy_MpiIrecv(COPY_EVENT_PARAMETERS, uint32_t sender, OTF2_CommRef comm,
                                       uint32_t tag, uint64_t size_bytes, uint64_t request)
{
    BEGIN_COPY(MpiIrecv, attributes, sender, comm, tag, size_bytes, request);
    request = close_request(copy, request);
    size_bytes = size_of(copy, size_bytes);
    if (copy->at.put_off == 0)
        return WRITE(MpiIrecv, sender, comm, tag, size_bytes, request);
    put_off_receive(copy, request, size_bytes, sender, tag, comm);
    return copy_written(copy, OTF2_SUCCESS);
}

static OTF2_CallbackCode copy_MpiIsendComplete(COPY_EVENT_PARAMETERS, uint64_t request)
{
    BEGIN_COPY(MpiIsendComplete, attributes, request);
    request = close_request(copy, request);
    if (copy->at.put_off == 0)
        return WRITE(MpiIsendComplete, request);
    put_off(copy, (struct late_record){.kind = LATE_SEND, .request = request});
    return copy_written(copy, OTF2_SUCCESS);
}

static OTF2_CallbackCode
copy_NonBlockingCollectiveComplete(COPY_EVENT_PARAMETERS, OTF2_CollectiveOp operation,
                                   OTF2_CommRef comm, uint32_t root, uint64_t sent_bytes,
                                   uint64_t received_bytes, uint64_t request)
{
    BEGIN_COPY(NonBlockingCollectiveComplete, attributes, operation, comm, root, sent_bytes,
               received_bytes, request);
    request = close_request(copy, request);
    if (copy->at.put_off == 0)
        return WRITE(NonBlockingCollectiveComplete, operation, comm, root, sent_bytes,
                     received_bytes, request);
    put_off(copy, (struct late_record){.kind = LATE_COLLECTIVE,
                                       .request = request,
                                       .size_bytes = sent_bytes,
                                       .received_bytes = received_bytes,
                                       .peer = root,
                                       .communicator = comm,
                                       .operation = operation,
                                       .attributes = keep_attributes(attributes)});
    return copy_written(copy, OTF2_SUCCESS);
}

/// Records that open, name or close a request and are otherwise the same.
#define NUMBER_MpiIrecvRequest              open_request
#define NUMBER_MpiRequestTest               request_of
#define NUMBER_MpiRequestCancelled          close_request
#define NUMBER_NonBlockingCollectiveRequest open_request
#define COPY_REQUEST(kind, parameters, arguments)                                                  \
    static OTF2_CallbackCode copy_##kind(COPY_EVENT_PARAMETERS parameters, uint64_t request)       \
    {                                                                                              \
        BEGIN_COPY(kind, attributes arguments, request);                                           \
        return copy_written(copy,                                                                  \
                            OTF2_EvtWriter_##kind(copy->writer, attributes, time_ns arguments,     \
                                                  NUMBER_##kind(copy, request)));                  \
    }
REQUEST_EVENT_KINDS(COPY_REQUEST)

// ---- other records ----

enum { BATCH_RECORDS = 4096 };

#define COPY_REPLAYED(kind, parameters, arguments)                                                 \
    static OTF2_CallbackCode copy_##kind(COPY_EVENT_PARAMETERS parameters)                         \
    {                                                                                              \
        BEGIN_COPY(kind, attributes arguments);                                                    \
        return copy_written(copy,                                                                  \
                            OTF2_EvtWriter_##kind(copy->writer, attributes, time_ns arguments));   \
    }
REPLAYED_EVENT_KINDS(COPY_REPLAYED)

#define COPY_OTHER(kind, parameters, arguments)                                                    \
    static OTF2_CallbackCode copy_##kind(COPY_EVENT_PARAMETERS parameters)                         \
    {                                                                                              \
        (void)location, (void)record;                                                              \
        struct copy *copy = user_data;                                                             \
        uint64_t ticks = in_run(copy, own_ticks);                                                  \
        uint64_t time_ns = copy_place(copy, ticks);                                                \
        return copy_written(copy,                                                                  \
                            OTF2_EvtWriter_##kind(copy->writer, attributes, time_ns arguments));   \
    }
_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
    OTHER_EVENT_KINDS(COPY_OTHER) _Pragma("GCC diagnostic pop")

    /// The calls of a polling loop now take the whole of their record, so that is not said apart.
    static OTF2_CallbackCode copy_Enter(COPY_EVENT_PARAMETERS, OTF2_RegionRef region)
{
    struct copy *copy = user_data;
    uint64_t ticks = in_run(copy, own_ticks);
    READ(Enter, attributes, region);
    uint64_t time_ns = copy_place(copy, ticks);
    for (uint32_t i = OTF2_AttributeList_GetNumberOfElements(attributes); i-- > 0;) {
        OTF2_AttributeRef id;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &id, &type, &value) ==
                OTF2_SUCCESS &&
            id_table_get(&copy->source.resolved->attribute_roles, id) == ATTRIBUTE_POLL_NS)
            OTF2_AttributeList_RemoveAttribute(attributes, id);
    }
    return WRITE(Enter, region);
}

static OTF2_MetricValue value_of(OTF2_Type type, uint64_t value)
{
    OTF2_MetricValue result = {.unsigned_int = value};
    if (type == OTF2_TYPE_DOUBLE)
        result.floating_point = (double)value;
    else if (type == OTF2_TYPE_INT64)
        result.signed_int = (int64_t)value;
    return result;
}

/// CPU time is that of the predicted run; other metrics stay what they were.
static OTF2_CallbackCode copy_Metric(COPY_EVENT_PARAMETERS, OTF2_MetricRef metric, uint8_t n_values,
                                     const OTF2_Type *types, const OTF2_MetricValue *values)
{
    struct copy *copy = user_data;
    uint64_t ticks = in_run(copy, own_ticks);
    READ(Metric, attributes, metric, n_values, types, values);
    bool is_event = copy->decoder.n_output > 0;
    uint64_t time_ns = copy_place(copy, ticks);
    if (is_event) {
        uint32_t position = id_table_get(&copy->source.resolved->cpu_time_position, metric);
        copy->values =
            array_reserve(copy->values, &copy->value_capacity, n_values, sizeof *copy->values);
        for (uint8_t i = 0; i < n_values; i++)
            copy->values[i] = values[i];
        copy->values[position] = value_of(types[position], time_map_cpu_ns(copy->times));
        position = id_table_get(&copy->source.resolved->core_wait_position, metric);
        if (position < n_values)
            copy->values[position] = value_of(types[position], time_map_core_wait_ns(copy->times));
        values = copy->values;
    }
    return WRITE(Metric, metric, n_values, types, values);
}

/// A flush takes as long as it did.
static OTF2_CallbackCode copy_BufferFlush(COPY_EVENT_PARAMETERS, OTF2_TimeStamp own_stop_ticks)
{
    struct copy *copy = user_data;
    uint64_t ticks = in_run(copy, own_ticks);
    uint64_t stop_ticks = in_run(copy, own_stop_ticks);
    READ(BufferFlush, attributes, stop_ticks);
    uint64_t flush_ns =
        stop_ticks > ticks ? clock_duration_ns(copy->source.clock, stop_ticks - ticks) : 0;
    uint64_t time_ns = copy_place(copy, ticks);
    return WRITE(BufferFlush, time_ns + flush_ns);
}

OTF2_EvtReaderCallbacks *copy_events_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (!callbacks)
        return NULL;
#define SET(kind, parameters, arguments)                                                           \
    OTF2_EvtReaderCallbacks_Set##kind##Callback(callbacks, copy_##kind);
    REQUEST_EVENT_KINDS(SET)
    REPLAYED_EVENT_KINDS(SET)
    OTHER_EVENT_KINDS(SET)
#undef SET
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, copy_MpiSend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, copy_MpiIsend);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, copy_MpiRecv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, copy_MpiIrecv);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, copy_MpiIsendComplete);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
        callbacks, copy_NonBlockingCollectiveComplete);
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, copy_Enter);
    OTF2_EvtReaderCallbacks_SetMetricCallback(callbacks, copy_Metric);
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(callbacks, copy_BufferFlush);
    return callbacks;
}

static int copy_all(struct copy_events *shared, struct copy *copy, OTF2_EvtReader *reader,
                    uint64_t n_records)
{
    for (uint64_t n_left = n_records; n_left > 0;) {
        uint64_t n_read = 0, n_wanted = n_left < BATCH_RECORDS ? n_left : BATCH_RECORDS;
        OTF2_ErrorCode code =
            OTF2_Reader_ReadLocalEvents(shared->reader, reader, n_wanted, &n_read);
        if (copy->has_failed)
            return -1;
        if (code != OTF2_SUCCESS || n_read == 0)
            return error_set(copy->err, "cannot read: %s", otf2_error_cause(code));
        if (interrupt_has_come())
            return error_set(copy->err, "interrupted");
        n_left -= n_read;
        shared->n_done += n_read;
        progress_update(shared->progress, shared->n_done);
    }
    return 0;
}

int copy_events(struct copy_events *shared, OTF2_LocationRef id,
                const struct local_definitions *local, uint64_t n_records,
                struct time_map_reader *times, uint64_t *n_written, struct error *err)
{
    struct copy copy = {
        .source = shared->source, .local = local, .times = times, .late = shared->late, .err = err};
    map_init(&copy.requests);
    copy.decoder = (struct decoder){.output = &copy.event,
                                    .end_ticks = INT64_MAX,
                                    .clock = shared->source.clock,
                                    .records = shared->source.records,
                                    .resolved = shared->source.resolved};
    decoder_begin(&copy.decoder);
    *n_written = 0;
    OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(shared->reader, id);
    copy.writer = OTF2_Archive_GetEvtWriter(shared->archive, id);
    if (!reader || !copy.writer)
        return error_set(err, "%s: %s", reader ? "cannot write" : "cannot read",
                         otf2_error_cause(OTF2_ERROR_FILE_CAN_NOT_OPEN));
    OTF2_ErrorCode code =
        OTF2_Reader_RegisterEvtCallbacks(shared->reader, reader, shared->callbacks, &copy);
    if (code == OTF2_SUCCESS)
        code = OTF2_EvtReader_ApplyClockOffsets(reader, false); // which may be corrected
    int status = code == OTF2_SUCCESS ? copy_all(shared, &copy, reader, n_records)
                                      : error_set(err, "cannot read: %s", otf2_error_cause(code));
    copy.decoder.n_output = 0;
    if (status == 0) {
        copy_late_calls(&copy);
        status = copy.has_failed ? -1 : 0;
    }
    map_release(&copy.requests);
    for (size_t i = 0; i < copy.n_waiting; i++)
        OTF2_AttributeList_Delete(copy.waiting[i].attributes);
    FREE_ALL(copy.waiting, copy.values);
    if (status != 0)
        return error_wrap(err, "location %" PRIu64, id);
    OTF2_EvtWriter_GetNumberOfEvents(copy.writer, n_written);
    OTF2_Reader_CloseEvtReader(shared->reader, reader);
    code = OTF2_Archive_CloseEvtWriter(shared->archive, copy.writer);
    return code == OTF2_SUCCESS ? 0 : error_set(err, "cannot write: %s", otf2_error_cause(code));
}
