// SPDX-License-Identifier: BSD-3-Clause
// Event callbacks (see decode.h). Each checks its references, then appends one event; records that
// name something undefined are dropped and counted. Record kinds that no replay needs have no
// callback at all: the library skips them faster than we could.
#include "analyzer/trace/decode.h"

// Parameters that all event callbacks share.
#define CALLBACK_PARAMETERS                                                                        \
    OTF2_LocationRef location, OTF2_TimeStamp ticks, uint64_t record, void *user_data,             \
        OTF2_AttributeList *attributes
#define IGNORE_PARAMETERS ((void)location, (void)record, (void)attributes)

// Appends an event of KIND at TICKS, all other fields 0.
static inline struct event *append(struct decoder *decoder, uint64_t ticks, enum event_kind kind)
{
    // Before the last event, or beyond the end.
    uint64_t last_ticks = (uint64_t)decoder->last_ticks;
    if (__builtin_expect(ticks - last_ticks > (uint64_t)decoder->end_ticks - last_ticks, 0)) {
        if ((int64_t)ticks < decoder->last_ticks)
            decoder->report.n_backward++;
        else if (decoder->n_in_time == UINT32_MAX)
            decoder->n_in_time = decoder->n_output;
        ticks = last_ticks;
    }
    decoder->last_ticks = (int64_t)ticks;
    struct event *event = &decoder->output[decoder->n_output++];
    *event = (struct event){.time_ns = clock_time_ns(decoder->clock, ticks), .kind = (uint8_t)kind};
    if (__builtin_expect(decoder->in_polls, 0) && event->time_ns > decoder->polls_end_ns)
        event->time_ns = decoder->polls_end_ns;
    return event;
}

static OTF2_CallbackCode drop(struct decoder *decoder)
{
    decoder->report.n_bad_references++;
    return OTF2_CALLBACK_SUCCESS;
}

static inline uint32_t region_index(const struct decoder *decoder, OTF2_RegionRef region)
{
    return id_table_get(&decoder->records->regions.by_id, region);
}

static inline uint32_t comm_index(const struct decoder *decoder, OTF2_CommRef comm)
{
    return id_table_get(&decoder->records->communicators.by_id, comm);
}

static OTF2_CallbackCode on_unknown(CALLBACK_PARAMETERS)
{
    IGNORE_PARAMETERS;
    (void)ticks;
    struct decoder *decoder = user_data;
    decoder->report.n_unknown++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_enter(CALLBACK_PARAMETERS, OTF2_RegionRef region)
{
    IGNORE_PARAMETERS;
    struct decoder *decoder = user_data;
    uint32_t index = region_index(decoder, region);
    if (index == UINT32_MAX)
        return drop(decoder);
    struct event *event = append(decoder, ticks, EVENT_ENTER);
    event->index = index;
    event->context = EVENT_NO_INDEX;
    return OTF2_CALLBACK_SUCCESS;
}

// The attribute of ROLE in a record's list; false when it has none of that role and TYPE.
static bool find_attribute(const struct decoder *decoder, const OTF2_AttributeList *attributes,
                           enum attribute_role role, OTF2_Type type, OTF2_AttributeValue *value)
{
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(attributes);
    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef id;
        OTF2_Type found_type;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &id, &found_type, value) !=
            OTF2_SUCCESS)
            continue;
        if (found_type == type && id_table_get(&decoder->resolved->attribute_roles, id) == role)
            return true;
    }
    return false;
}

// Puts the place of a call into EVENT, an enter. Where it is undefined the call itself stays.
static void put_call_site(struct decoder *decoder, struct event *event, OTF2_Type type,
                          OTF2_AttributeValue value)
{
    const struct records *records = decoder->records;
    uint32_t context;
    if (type == OTF2_TYPE_CALLING_CONTEXT) {
        context = id_table_get(&records->calling_contexts.by_id, value.callingContextRef);
    } else {
        context = id_table_get(&records->source_locations.by_id, value.sourceCodeLocationRef);
        if (context != UINT32_MAX) // they follow the contexts, see resolve.h
            context += (uint32_t)records->calling_contexts.n;
    }
    if (context == UINT32_MAX)
        drop(decoder);
    else if (event->context == EVENT_NO_INDEX || type == OTF2_TYPE_CALLING_CONTEXT)
        event->context = context;
}

// Between the polls of a loop the program does something else. Where is not known, how long is: the
// call ends earlier by that.
static void put_polls(struct decoder *decoder, struct event *event, uint64_t n_polls,
                      uint64_t inside_ns)
{
    event->flags = EVENT_FOLDED_POLLS;
    event->size_bytes = n_polls;
    if (inside_ns < UINT64_MAX - event->time_ns) {
        decoder->in_polls = true;
        decoder->polls_end_ns = event->time_ns + inside_ns;
    }
}

// A count in whole units; false for what is negative or no number.
static bool read_count(OTF2_Type type, OTF2_AttributeValue value, uint64_t *count)
{
    double units = -1;
    switch (type) {
    case OTF2_TYPE_DOUBLE:
        units = value.float64;
        break;
    case OTF2_TYPE_FLOAT:
        units = value.float32;
        break;
    case OTF2_TYPE_UINT64:
        units = (double)value.uint64;
        break;
    case OTF2_TYPE_INT64:
        units = (double)value.int64;
        break;
    case OTF2_TYPE_UINT32:
        units = value.uint32;
        break;
    case OTF2_TYPE_INT32:
        units = value.int32;
        break;
    default:
        return false;
    }
    if (!(units >= 0) || units >= 0x1p63)
        return false;
    *count = (uint64_t)(units + 0.5);
    return true;
}

// on_enter for archives that define pagoda::poll_count, pagoda::call_site or work.
static OTF2_CallbackCode on_enter_with_attributes(CALLBACK_PARAMETERS, OTF2_RegionRef region)
{
    (void)location, (void)record;
    struct decoder *decoder = user_data;
    uint32_t index = region_index(decoder, region);
    if (index == UINT32_MAX)
        return drop(decoder);
    decoder->in_polls = false;
    struct event *event = append(decoder, ticks, EVENT_ENTER);
    event->index = index;
    event->context = EVENT_NO_INDEX;
    bool is_polls = false;
    uint64_t n_polls = 0, inside_ns = UINT64_MAX;
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(attributes);
    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef id;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &id, &type, &value) !=
            OTF2_SUCCESS)
            continue;
        uint32_t role = id_table_get(&decoder->resolved->attribute_roles, id);
        if (role == ATTRIBUTE_CALL_SITE &&
            (type == OTF2_TYPE_CALLING_CONTEXT || type == OTF2_TYPE_SOURCE_CODE_LOCATION)) {
            put_call_site(decoder, event, type, value);
        } else if (role == ATTRIBUTE_POLL_COUNT && type == OTF2_TYPE_UINT64) {
            is_polls = true;
            n_polls = value.uint64;
        } else if (role == ATTRIBUTE_POLL_NS && type == OTF2_TYPE_UINT64) {
            inside_ns = value.uint64;
        } else if (role == ATTRIBUTE_WORK && read_count(type, value, &event->size_bytes)) {
            event->flags |= EVENT_HAS_WORK;
        } else if (role == ATTRIBUTE_ELEMENTS && read_count(type, value, &event->received_bytes)) {
            event->flags |= EVENT_HAS_ELEMENTS;
        }
    }
    if (is_polls)
        put_polls(decoder, event, n_polls, inside_ns);
    return OTF2_CALLBACK_SUCCESS;
}

// A CPU time just before a leave is that of its end: for the replay it comes after the region.
static void put_behind(const struct decoder *decoder, struct event *leave, uint64_t ticks)
{
    struct event sample = leave[-1];
    if (sample.time_ns != leave->time_ns)
        return;
    sample.time_ns = clock_time_ns(decoder->clock, ticks); // polls end earlier
    leave[-1] = *leave;
    *leave = sample;
}

static OTF2_CallbackCode on_leave(CALLBACK_PARAMETERS, OTF2_RegionRef region)
{
    IGNORE_PARAMETERS;
    struct decoder *decoder = user_data;
    uint32_t index = region_index(decoder, region);
    if (index == UINT32_MAX)
        return drop(decoder);
    struct event *event = append(decoder, ticks, EVENT_LEAVE);
    event->index = index;
    decoder->in_polls = false;
    if (decoder->n_output > 1 && event[-1].kind == EVENT_CPU_TIME)
        put_behind(decoder, event, ticks);
    return OTF2_CALLBACK_SUCCESS;
}

// Score-P's contexts have the entered region innermost, so its call is where their parent says.
static OTF2_CallbackCode append_context(struct decoder *decoder, uint64_t ticks,
                                        enum event_kind kind, OTF2_CallingContextRef ref)
{
    uint32_t place = id_table_get(&decoder->records->calling_contexts.by_id, ref);
    const struct calling_context *contexts = decoder->resolved->definitions.contexts;
    if (place == UINT32_MAX || contexts[place].region == EVENT_NO_INDEX)
        return drop(decoder);
    struct event *event = append(decoder, ticks, kind);
    event->index = contexts[place].region;
    if (kind == EVENT_ENTER)
        event->context = contexts[place].parent;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context_enter(CALLBACK_PARAMETERS, OTF2_CallingContextRef context,
                                          uint32_t unwind_distance)
{
    IGNORE_PARAMETERS;
    (void)unwind_distance;
    return append_context(user_data, ticks, EVENT_ENTER, context);
}

static OTF2_CallbackCode on_context_leave(CALLBACK_PARAMETERS, OTF2_CallingContextRef context)
{
    IGNORE_PARAMETERS;
    return append_context(user_data, ticks, EVENT_LEAVE, context);
}

// Messages of neighbourhood collectives, which archives used to mark by a tag out of MPI's range,
// still have such tags here.
static inline uint32_t own_tag(const struct decoder *decoder, uint32_t comm, uint32_t tag)
{
    return decoder->resolved->definitions.communicators[comm].is_neighborhood
               ? tag | EVENT_FIRST_OWN_TAG
               : tag;
}

static inline OTF2_CallbackCode append_message(struct decoder *decoder, uint64_t ticks,
                                               enum event_kind kind, uint32_t peer,
                                               OTF2_CommRef comm, uint32_t tag, uint64_t size_bytes,
                                               uint64_t request)
{
    uint32_t index = comm_index(decoder, comm);
    if (index == UINT32_MAX)
        return drop(decoder);
    struct event *event = append(decoder, ticks, kind);
    event->index = index;
    event->peer = peer;
    event->tag = own_tag(decoder, index, tag);
    event->size_bytes = size_bytes;
    event->request = request;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_send(CALLBACK_PARAMETERS, uint32_t peer, OTF2_CommRef comm,
                                 uint32_t tag, uint64_t size_bytes)
{
    IGNORE_PARAMETERS;
    return append_message(user_data, ticks, EVENT_SEND, peer, comm, tag, size_bytes, 0);
}

static OTF2_CallbackCode on_isend(CALLBACK_PARAMETERS, uint32_t peer, OTF2_CommRef comm,
                                  uint32_t tag, uint64_t size_bytes, uint64_t request)
{
    IGNORE_PARAMETERS;
    return append_message(user_data, ticks, EVENT_ISEND, peer, comm, tag, size_bytes, request);
}

static OTF2_CallbackCode on_recv(CALLBACK_PARAMETERS, uint32_t peer, OTF2_CommRef comm,
                                 uint32_t tag, uint64_t size_bytes)
{
    IGNORE_PARAMETERS;
    return append_message(user_data, ticks, EVENT_RECV, peer, comm, tag, size_bytes, 0);
}

static OTF2_CallbackCode on_irecv(CALLBACK_PARAMETERS, uint32_t peer, OTF2_CommRef comm,
                                  uint32_t tag, uint64_t size_bytes, uint64_t request)
{
    IGNORE_PARAMETERS;
    return append_message(user_data, ticks, EVENT_IRECV, peer, comm, tag, size_bytes, request);
}

static OTF2_CallbackCode on_isend_complete(CALLBACK_PARAMETERS, uint64_t request)
{
    IGNORE_PARAMETERS;
    append(user_data, ticks, EVENT_ISEND_COMPLETE)->request = request;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv_request(CALLBACK_PARAMETERS, uint64_t request)
{
    (void)location, (void)record;
    struct decoder *decoder = user_data;
    struct event *event = append(decoder, ticks, EVENT_IRECV_REQUEST);
    event->request = request;
    OTF2_AttributeValue comm, source, tag;
    if (OTF2_AttributeList_GetNumberOfElements(attributes) == 0 ||
        !find_attribute(decoder, attributes, ATTRIBUTE_COMMUNICATOR, OTF2_TYPE_COMM, &comm) ||
        !find_attribute(decoder, attributes, ATTRIBUTE_SOURCE, OTF2_TYPE_INT32, &source) ||
        !find_attribute(decoder, attributes, ATTRIBUTE_TAG, OTF2_TYPE_INT32, &tag))
        return OTF2_CALLBACK_SUCCESS;
    uint32_t index = comm_index(decoder, comm.commRef);
    if (index == UINT32_MAX)
        return drop(decoder); // the posting itself stays
    event->flags = EVENT_HAS_ENVELOPE;
    event->index = index;
    event->peer = source.int32 < 0 ? EVENT_ANY : (uint32_t)source.int32;
    event->tag = tag.int32 < 0 ? EVENT_ANY : own_tag(decoder, index, (uint32_t)tag.int32);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_request_test(CALLBACK_PARAMETERS, uint64_t request)
{
    IGNORE_PARAMETERS;
    append(user_data, ticks, EVENT_REQUEST_TEST)->request = request;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_request_cancelled(CALLBACK_PARAMETERS, uint64_t request)
{
    IGNORE_PARAMETERS;
    append(user_data, ticks, EVENT_REQUEST_CANCELLED)->request = request;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_begin(CALLBACK_PARAMETERS)
{
    IGNORE_PARAMETERS;
    append(user_data, ticks, EVENT_COLLECTIVE_BEGIN);
    return OTF2_CALLBACK_SUCCESS;
}

static enum collective_class class_of(OTF2_CollectiveOp op)
{
    switch (op) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return COLLECTIVE_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return COLLECTIVE_ONE_TO_ALL;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return COLLECTIVE_ALL_TO_ONE;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return COLLECTIVE_SCAN;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
        return COLLECTIVE_ALL_TO_ALL;
    default:
        return COLLECTIVE_HANDLE;
    }
}

/// A member that takes nothing from another one need not wait for it, and the record has sums only.
static bool is_uneven(OTF2_CollectiveOp op)
{
    return op == OTF2_COLLECTIVE_OP_GATHERV || op == OTF2_COLLECTIVE_OP_ALLGATHERV ||
           op == OTF2_COLLECTIVE_OP_ALLTOALLV || op == OTF2_COLLECTIVE_OP_ALLTOALLW ||
           op == OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
}

static OTF2_CallbackCode append_collective(struct decoder *decoder, uint64_t ticks,
                                           enum event_kind kind, OTF2_CollectiveOp op,
                                           OTF2_CommRef comm, uint32_t root, uint64_t sent_bytes,
                                           uint64_t received_bytes, uint64_t request,
                                           const OTF2_AttributeList *attributes)
{
    uint32_t index = comm_index(decoder, comm);
    OTF2_AttributeValue in_place;
    if (index == UINT32_MAX)
        return drop(decoder);
    struct event *event = append(decoder, ticks, kind);
    event->op = op;
    event->class_ = (uint8_t)class_of(op);
    event->flags = is_uneven(op) ? EVENT_UNEVEN : 0;
    if (OTF2_AttributeList_GetNumberOfElements(attributes) > 0 &&
        find_attribute(decoder, attributes, ATTRIBUTE_IN_PLACE, OTF2_TYPE_UINT8, &in_place) &&
        in_place.uint8 != 0)
        event->flags |= EVENT_IN_PLACE;
    event->index = index;
    event->peer = root;
    event->size_bytes = sent_bytes;
    event->received_bytes = received_bytes;
    event->request = request;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_end(CALLBACK_PARAMETERS, OTF2_CollectiveOp op,
                                           OTF2_CommRef comm, uint32_t root, uint64_t sent_bytes,
                                           uint64_t received_bytes)
{
    (void)location, (void)record;
    return append_collective(user_data, ticks, EVENT_COLLECTIVE_END, op, comm, root, sent_bytes,
                             received_bytes, 0, attributes);
}

static OTF2_CallbackCode on_collective_request(CALLBACK_PARAMETERS, uint64_t request)
{
    (void)location, (void)record;
    struct decoder *decoder = user_data;
    struct event *event = append(decoder, ticks, EVENT_COLLECTIVE_REQUEST);
    event->request = request;
    OTF2_AttributeValue comm;
    if (!find_attribute(decoder, attributes, ATTRIBUTE_COMMUNICATOR, OTF2_TYPE_COMM, &comm))
        return OTF2_CALLBACK_SUCCESS;
    uint32_t index = comm_index(decoder, comm.commRef);
    if (index == UINT32_MAX)
        return drop(decoder); // the posting itself stays
    event->flags = EVENT_HAS_ENVELOPE;
    event->index = index;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_complete(CALLBACK_PARAMETERS, OTF2_CollectiveOp op,
                                                OTF2_CommRef comm, uint32_t root,
                                                uint64_t sent_bytes, uint64_t received_bytes,
                                                uint64_t request)
{
    (void)location, (void)record;
    return append_collective(user_data, ticks, EVENT_COLLECTIVE_COMPLETE, op, comm, root,
                             sent_bytes, received_bytes, request, attributes);
}

static uint64_t value_as_ns(OTF2_Type type, OTF2_MetricValue value)
{
    switch (type) {
    case OTF2_TYPE_DOUBLE:
        return value.floating_point >= 0 && value.floating_point < 0x1p64
                   ? (uint64_t)value.floating_point
                   : 0;
    case OTF2_TYPE_INT64:
        return value.signed_int >= 0 ? (uint64_t)value.signed_int : 0;
    default:
        return value.unsigned_int;
    }
}

static OTF2_CallbackCode on_metric(CALLBACK_PARAMETERS, OTF2_MetricRef metric, uint8_t n_values,
                                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
    IGNORE_PARAMETERS;
    struct decoder *decoder = user_data;
    uint32_t position = id_table_get(&decoder->resolved->cpu_time_position, metric);
    uint32_t place = id_table_get(&decoder->records->metrics.by_id, metric);
    if (decoder->n_unused && place != UINT32_MAX)
        decoder->n_unused[place]++;
    if (position < n_values)
        append(decoder, ticks, EVENT_CPU_TIME)->size_bytes =
            value_as_ns(types[position], values[position]);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode count_parameter(struct decoder *decoder, OTF2_ParameterRef parameter)
{
    uint32_t place = id_table_get(&decoder->records->parameters.by_id, parameter);
    if (decoder->n_unused && place != UINT32_MAX)
        decoder->n_unused[decoder->records->metrics.n + place]++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_parameter_string(CALLBACK_PARAMETERS, OTF2_ParameterRef parameter,
                                             OTF2_StringRef value)
{
    IGNORE_PARAMETERS;
    (void)ticks, (void)value;
    return count_parameter(user_data, parameter);
}

static OTF2_CallbackCode on_parameter_int(CALLBACK_PARAMETERS, OTF2_ParameterRef parameter,
                                          int64_t value)
{
    IGNORE_PARAMETERS;
    (void)ticks, (void)value;
    return count_parameter(user_data, parameter);
}

static OTF2_CallbackCode on_parameter_unsigned_int(CALLBACK_PARAMETERS, OTF2_ParameterRef parameter,
                                                   uint64_t value)
{
    IGNORE_PARAMETERS;
    (void)ticks, (void)value;
    return count_parameter(user_data, parameter);
}

static OTF2_CallbackCode on_thread_fork(CALLBACK_PARAMETERS, OTF2_Paradigm paradigm,
                                        uint32_t n_threads)
{
    IGNORE_PARAMETERS;
    (void)paradigm;
    append(user_data, ticks, EVENT_THREAD_FORK)->size_bytes = n_threads;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_thread_join(CALLBACK_PARAMETERS, OTF2_Paradigm paradigm)
{
    IGNORE_PARAMETERS;
    (void)paradigm;
    append(user_data, ticks, EVENT_THREAD_JOIN);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode append_team(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                                     OTF2_CommRef team)
{
    uint32_t index = comm_index(decoder, team);
    if (index == UINT32_MAX)
        return drop(decoder);
    append(decoder, ticks, kind)->index = index;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_team_begin(CALLBACK_PARAMETERS, OTF2_CommRef team)
{
    IGNORE_PARAMETERS;
    return append_team(user_data, ticks, EVENT_THREAD_TEAM_BEGIN, team);
}

static OTF2_CallbackCode on_team_end(CALLBACK_PARAMETERS, OTF2_CommRef team)
{
    IGNORE_PARAMETERS;
    return append_team(user_data, ticks, EVENT_THREAD_TEAM_END, team);
}

static OTF2_CallbackCode on_buffer_flush(CALLBACK_PARAMETERS, OTF2_TimeStamp stop_ticks)
{
    IGNORE_PARAMETERS;
    struct decoder *decoder = user_data;
    if ((int64_t)stop_ticks > decoder->end_ticks)
        stop_ticks = (uint64_t)decoder->end_ticks;
    uint64_t flush_ticks = (int64_t)stop_ticks > (int64_t)ticks ? stop_ticks - ticks : 0;
    append(decoder, ticks, EVENT_BUFFER_FLUSH)->size_bytes =
        clock_duration_ns(decoder->clock, flush_ticks);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_measurement(CALLBACK_PARAMETERS, OTF2_MeasurementMode mode)
{
    IGNORE_PARAMETERS;
    append(user_data, ticks,
           mode == OTF2_MEASUREMENT_OFF ? EVENT_MEASUREMENT_OFF : EVENT_MEASUREMENT_ON);
    return OTF2_CALLBACK_SUCCESS;
}

struct decode_functions decode_functions(const struct resolved *resolved)
{
    return (struct decode_functions){
        .Enter = resolved->has_enter_attributes ? on_enter_with_attributes : on_enter,
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
        .Metric = on_metric,
        .ThreadFork = on_thread_fork,
        .ThreadJoin = on_thread_join,
        .ThreadTeamBegin = on_team_begin,
        .ThreadTeamEnd = on_team_end,
        .BufferFlush = on_buffer_flush,
        .MeasurementOnOff = on_measurement,
    };
}

OTF2_EvtReaderCallbacks *decode_callbacks(const struct resolved *resolved)
{
    const struct decode_functions functions = decode_functions(resolved);
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (!callbacks)
        return NULL;
    OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
#define SET(kind) OTF2_EvtReaderCallbacks_Set##kind##Callback(callbacks, functions.kind);
    DECODED_KINDS(SET)
#undef SET
    OTF2_EvtReaderCallbacks_SetParameterStringCallback(callbacks, on_parameter_string);
    OTF2_EvtReaderCallbacks_SetParameterIntCallback(callbacks, on_parameter_int);
    OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(callbacks, on_parameter_unsigned_int);
    return callbacks;
}
