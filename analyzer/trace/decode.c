// SPDX-License-Identifier: BSD-3-Clause
// What the kinds of records become (see decode.h). Each function checks its references, then
// appends one event; records that name something undefined are dropped and counted.
#include "analyzer/trace/decode.h"

#include <assert.h>
#include <math.h>

#include "analyzer/base/memory.h"

/// TICKS, not before the last event nor beyond the end.
static uint64_t in_time(const struct decoder *decoder, uint64_t ticks)
{
    if ((int64_t)ticks < decoder->last_ticks)
        return (uint64_t)decoder->last_ticks;
    return (int64_t)ticks > decoder->end_ticks ? (uint64_t)decoder->end_ticks : ticks;
}

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

static void drop(struct decoder *decoder)
{
    decoder->report.n_bad_references++;
}

static inline uint32_t region_index(const struct decoder *decoder, OTF2_RegionRef region)
{
    return id_table_get(&decoder->records->regions.by_id, region);
}

static inline uint32_t comm_index(const struct decoder *decoder, OTF2_CommRef comm)
{
    return id_table_get(&decoder->records->communicators.by_id, comm);
}

// --- attributes

// The first attribute of ROLE and TYPE; NULL without.
static const struct attribute *find_attribute(const struct attributes *attributes,
                                              enum attribute_role role, OTF2_Type type)
{
    for (uint32_t i = 0; i < attributes->n; i++)
        if (attributes->items[i].role == role && attributes->items[i].type == type)
            return &attributes->items[i];
    return NULL;
}

// --- what counters grow by, and values of parameters

// Adds GROWTH before the next event: one for each counter, however often it is recorded there.
static void add_growth(struct decoder *decoder, uint64_t ticks, uint32_t counter, double growth)
{
    uint64_t time_ns = clock_time_ns(decoder->clock, in_time(decoder, ticks));
    struct counts *counts = &decoder->counts;
    uint32_t before = counts->base + decoder->n_output;
    for (size_t i = counts->n_growths; i-- > 0 && counts->growths[i].before == before;)
        if (counts->growths[i].counter == counter) {
            counts->growths[i].growth += growth;
            counts->growths[i].time_ns = time_ns;
            return;
        }
    *ARRAY_NEXT(counts->growths, counts->n_growths, counts->capacity) =
        (struct counter_growth){before, counter, growth, time_ns};
}

// The parameters of a marker that has been entered.
static void count_marker(struct decoder *decoder, uint64_t ticks,
                         const struct attributes *attributes)
{
    for (uint32_t i = 0; decoder->counts.is_on && i < attributes->n; i++) {
        const struct attribute *attribute = &attributes->items[i];
        uint32_t counter = id_table_get(&decoder->resolved->marker_parameters, attribute->id);
        double value = attribute->type == OTF2_TYPE_DOUBLE ? attribute->value.float64 : 0;
        if (counter != UINT32_MAX && value > 0 && isfinite(value))
            add_growth(decoder, ticks, counter, value);
    }
}

// --- regions

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

static __attribute__((noinline)) void put_attributes(struct decoder *decoder, struct event *event,
                                                     const struct attributes *attributes)
{
    bool is_polls = false;
    uint64_t n_polls = 0, inside_ns = UINT64_MAX;
    for (uint32_t i = 0; i < attributes->n; i++) {
        uint32_t role = attributes->items[i].role;
        OTF2_Type type = attributes->items[i].type;
        OTF2_AttributeValue value = attributes->items[i].value;
        if (role == ATTRIBUTE_CALL_SITE &&
            (type == OTF2_TYPE_CALLING_CONTEXT || type == OTF2_TYPE_SOURCE_CODE_LOCATION)) {
            put_call_site(decoder, event, type, value);
        } else if (role == ATTRIBUTE_POLL_COUNT && type == OTF2_TYPE_UINT64) {
            is_polls = true;
            n_polls = value.uint64;
        } else if (role == ATTRIBUTE_POLL_NS && type == OTF2_TYPE_UINT64) {
            inside_ns = value.uint64;
        } else if ((role == ATTRIBUTE_BARRIER || role == ATTRIBUTE_CONDITION) &&
                   type == OTF2_TYPE_UINT32) {
            event->tag = value.uint32 + 1;
        } else if (role == ATTRIBUTE_WORK && read_count(type, value, &event->size_bytes)) {
            event->flags |= EVENT_HAS_WORK;
        } else if (role == ATTRIBUTE_ELEMENTS && read_count(type, value, &event->received_bytes)) {
            event->flags |= EVENT_HAS_ELEMENTS;
        }
    }
    if (is_polls)
        put_polls(decoder, event, n_polls, inside_ns);
}

void decode_enter(struct decoder *decoder, uint64_t ticks, OTF2_RegionRef region,
                  const struct attributes *attributes)
{
    uint32_t index = region_index(decoder, region);
    if (index == UINT32_MAX) {
        drop(decoder);
        return;
    }
    decoder->in_polls = false;
    struct event *event = append(decoder, ticks, EVENT_ENTER);
    event->index = index;
    event->context = EVENT_NO_INDEX;
    if (attributes->n == 0)
        return;
    put_attributes(decoder, event, attributes);
    if (decoder->resolved->definitions.regions[index].is_marker)
        count_marker(decoder, ticks, attributes);
}

// A CPU time just before a leave is that of its end: for the replay it comes after the region. What
// counters grew by in between stays before the leave.
static __attribute__((noinline)) void put_behind(struct decoder *decoder, struct event *leave)
{
    struct counts *counts = &decoder->counts;
    struct event sample = leave[-1];
    if (sample.time_ns != leave->time_ns)
        return;
    uint32_t at = counts->base + decoder->n_output - 1;
    for (size_t i = counts->n_growths; i-- > 0 && counts->growths[i].before == at;)
        counts->growths[i].before--;
    sample.time_ns =
        clock_time_ns(decoder->clock, (uint64_t)decoder->last_ticks); // polls end earlier
    leave[-1] = *leave;
    *leave = sample;
}

void decode_leave(struct decoder *decoder, uint64_t ticks, OTF2_RegionRef region)
{
    uint32_t index = region_index(decoder, region);
    if (index == UINT32_MAX) {
        drop(decoder);
        return;
    }
    struct event *event = append(decoder, ticks, EVENT_LEAVE);
    event->index = index;
    decoder->in_polls = false;
    if (decoder->n_output > 1 && event[-1].kind == EVENT_CPU_TIME)
        put_behind(decoder, event);
}

// Score-P's contexts have the entered region innermost, so its call is where their parent says.
void decode_context(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                    OTF2_CallingContextRef context)
{
    uint32_t place = id_table_get(&decoder->records->calling_contexts.by_id, context);
    const struct calling_context *contexts = decoder->resolved->definitions.contexts;
    if (place == UINT32_MAX || contexts[place].region == EVENT_NO_INDEX) {
        drop(decoder);
        return;
    }
    struct event *event = append(decoder, ticks, kind);
    event->index = contexts[place].region;
    if (kind == EVENT_ENTER)
        event->context = contexts[place].parent;
}

// --- messages

// Messages of neighbourhood collectives, which archives used to mark by a tag out of MPI's range,
// still have such tags here.
static inline uint32_t own_tag(const struct decoder *decoder, uint32_t comm, uint32_t tag)
{
    return decoder->resolved->definitions.communicators[comm].is_neighborhood
               ? tag | EVENT_FIRST_OWN_TAG
               : tag;
}

void decode_message(struct decoder *decoder, uint64_t ticks, enum event_kind kind, uint32_t peer,
                    OTF2_CommRef comm, uint32_t tag, uint64_t size_bytes, uint64_t request)
{
    uint32_t index = comm_index(decoder, comm);
    if (index == UINT32_MAX) {
        drop(decoder);
        return;
    }
    struct event *event = append(decoder, ticks, kind);
    event->index = index;
    event->peer = peer;
    event->tag = own_tag(decoder, index, tag);
    event->size_bytes = size_bytes;
    event->request = request;
}

void decode_request(struct decoder *decoder, uint64_t ticks, enum event_kind kind, uint64_t request)
{
    append(decoder, ticks, kind)->request = request;
}

static void put_envelope(struct event *event, uint32_t comm_index)
{
    event->flags = EVENT_HAS_ENVELOPE;
    event->index = comm_index;
}

// The communicator of what EVENT posts, if ATTRIBUTES name one; the posting itself stays if not.
static bool put_communicator(struct decoder *decoder, struct event *event,
                             const struct attributes *attributes)
{
    const struct attribute *comm =
        find_attribute(attributes, ATTRIBUTE_COMMUNICATOR, OTF2_TYPE_COMM);
    uint32_t index = comm ? comm_index(decoder, comm->value.commRef) : UINT32_MAX;
    if (comm && index == UINT32_MAX)
        drop(decoder);
    if (index == UINT32_MAX)
        return false;
    put_envelope(event, index);
    return true;
}

void decode_posted_receive(struct decoder *decoder, uint64_t ticks, uint64_t request,
                           const struct attributes *attributes)
{
    struct event *event = append(decoder, ticks, EVENT_IRECV_REQUEST);
    event->request = request;
    const struct attribute *source = find_attribute(attributes, ATTRIBUTE_SOURCE, OTF2_TYPE_INT32);
    const struct attribute *tag = find_attribute(attributes, ATTRIBUTE_TAG, OTF2_TYPE_INT32);
    if (!source || !tag || !put_communicator(decoder, event, attributes))
        return;
    int32_t rank = source->value.int32, number = tag->value.int32;
    event->peer = rank < 0 ? EVENT_ANY : (uint32_t)rank;
    event->tag = number < 0 ? EVENT_ANY : own_tag(decoder, event->index, (uint32_t)number);
}

// --- messages of matched probes

enum { MAX_PROBED = 1024 }; // the oldest is forgotten: its receive may not be recorded

static void keep_probed(struct decoder *decoder, struct probed_message message)
{
    if (decoder->n_probed == MAX_PROBED)
        memmove(decoder->probed, decoder->probed + 1,
                --decoder->n_probed * sizeof *decoder->probed);
    *ARRAY_NEXT(decoder->probed, decoder->n_probed, decoder->probed_capacity) = message;
}

// The newest that has this number goes out; false: there is none.
static bool take_probed(struct decoder *decoder, uint64_t id, bool is_posted,
                        struct probed_message *taken)
{
    size_t i = decoder->n_probed;
    while (i > 0 &&
           (decoder->probed[i - 1].id != id || decoder->probed[i - 1].is_posted != is_posted))
        i--;
    if (i == 0) {
        drop(decoder);
        return false;
    }
    *taken = decoder->probed[i - 1];
    memmove(&decoder->probed[i - 1], &decoder->probed[i],
            (--decoder->n_probed - (i - 1)) * sizeof *taken);
    return true;
}

void decode_probed(struct decoder *decoder, struct probed_message message)
{
    decoder->report.n_matched++;
    keep_probed(decoder, message);
}

void decode_posted_matched(struct decoder *decoder, uint64_t ticks, uint64_t id, uint64_t request)
{
    struct probed_message message;
    if (!take_probed(decoder, id, false, &message))
        return;
    uint32_t index = comm_index(decoder, message.comm);
    struct event *event = append(decoder, ticks, EVENT_IRECV_REQUEST);
    event->request = request;
    if (index != UINT32_MAX) {
        put_envelope(event, index);
        event->peer = message.peer;
        event->tag = own_tag(decoder, index, message.tag);
    }
    message.id = request;
    message.is_posted = true;
    keep_probed(decoder, message);
}

void decode_matched_receive(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                            uint64_t id, uint64_t size_bytes)
{
    struct probed_message message;
    bool is_posted = kind == EVENT_IRECV;
    if (take_probed(decoder, id, is_posted, &message))
        decode_message(decoder, ticks, kind, message.peer, message.comm, message.tag, size_bytes,
                       is_posted ? id : 0);
}

// --- collectives

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

static_assert((int)COLLECTIVE_OP_CREATE == OTF2_COLLECTIVE_OP_CREATE_HANDLE, "the same number");

void decode_collective(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                       OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent_bytes,
                       uint64_t received_bytes, uint64_t request,
                       const struct attributes *attributes)
{
    uint32_t index = comm_index(decoder, comm);
    if (index == UINT32_MAX) {
        drop(decoder);
        return;
    }
    const struct attribute *in_place =
        find_attribute(attributes, ATTRIBUTE_IN_PLACE, OTF2_TYPE_UINT8);
    struct event *event = append(decoder, ticks, kind);
    event->op = op;
    event->class_ = (uint8_t)class_of(op);
    event->flags = is_uneven(op) ? EVENT_UNEVEN : 0;
    if (in_place && in_place->value.uint8 != 0)
        event->flags |= EVENT_IN_PLACE;
    event->index = index;
    event->peer = root;
    event->size_bytes = sent_bytes;
    event->received_bytes = received_bytes;
    event->request = request;
}

// --- one-sided communication

static uint32_t first_window(const struct decoder *decoder)
{
    const struct definitions *definitions = &decoder->resolved->definitions;
    return (uint32_t)(definitions->n_communicators - definitions->n_windows);
}

// The window as a communicator, UINT32_MAX: undefined.
static uint32_t window_index(const struct decoder *decoder, OTF2_RmaWinRef window)
{
    const struct records *records = decoder->records;
    uint32_t place = id_table_get(&records->windows.by_id, window);
    return place == UINT32_MAX ? place : first_window(decoder) + place;
}

// A fence need not synchronise (MPI_MODE_NOPRECEDE), nor need a creation or an end, as with other
// handles.
void decode_window_collective(struct decoder *decoder, uint64_t ticks, OTF2_CollectiveOp op,
                              OTF2_RmaWinRef window, uint32_t root, uint64_t sent_bytes,
                              uint64_t received_bytes)
{
    static const struct attributes none = {0};
    const struct records *records = decoder->records;
    uint32_t index = window_index(decoder, window), n_output = decoder->n_output;
    if (index == UINT32_MAX) {
        drop(decoder);
        return;
    }
    decode_collective(decoder, ticks, EVENT_COLLECTIVE_END, op,
                      records->windows.items[index - first_window(decoder)].communicator, root,
                      sent_bytes, received_bytes, 0, &none);
    if (decoder->n_output > n_output) {
        decoder->output[n_output].class_ = COLLECTIVE_HANDLE;
        decoder->output[n_output].flags |= EVENT_OF_WINDOW;
        decoder->output[n_output].index = index;
    }
}

void decode_group_sync(struct decoder *decoder, uint64_t ticks, OTF2_RmaSyncLevel level,
                       OTF2_RmaWinRef window, OTF2_GroupRef group)
{
    uint32_t index = window_index(decoder, window);
    uint32_t place = id_table_get(&decoder->records->groups.by_id, group);
    if (index == UINT32_MAX || place == UINT32_MAX) {
        drop(decoder);
        return;
    }
    if (level == OTF2_RMA_SYNC_LEVEL_NONE) // an unsuccessful MPI_Win_test
        return;
    struct event *event = append(decoder, ticks, EVENT_RMA_SYNC);
    event->index = index;
    event->peer = place;
    event->tag = (level & OTF2_RMA_SYNC_LEVEL_MEMORY) != 0;
}

void decode_lock(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                 OTF2_RmaWinRef window, uint32_t target, bool is_exclusive)
{
    uint32_t index = window_index(decoder, window);
    if (index == UINT32_MAX) {
        drop(decoder);
        return;
    }
    struct event *event = append(decoder, ticks, kind);
    event->index = index;
    event->peer = target;
    event->tag = is_exclusive;
}

void decode_posted_collective(struct decoder *decoder, uint64_t ticks, uint64_t request,
                              const struct attributes *attributes)
{
    struct event *event = append(decoder, ticks, EVENT_COLLECTIVE_REQUEST);
    event->request = request;
    put_communicator(decoder, event, attributes);
}

// --- counters and parameters

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

static double value_as_double(OTF2_Type type, OTF2_MetricValue value)
{
    switch (type) {
    case OTF2_TYPE_DOUBLE:
        return value.floating_point;
    case OTF2_TYPE_INT64:
        return (double)value.signed_int;
    default:
        return (double)value.unsigned_int;
    }
}

void decode_counts_begin(struct decoder *decoder)
{
    struct counts *counts = &decoder->counts;
    counts->n_growths = 0;
    counts->is_on = counts->last != NULL;
    for (size_t i = 0; counts->last && i < decoder->resolved->definitions.n_counters; i++)
        counts->last[i] = NAN;
}

// Accesses have counters beside their events.
void decode_access(struct decoder *decoder, uint64_t ticks, enum access_counter counter,
                   OTF2_RmaWinRef window, uint32_t target, uint64_t size_bytes)
{
    uint32_t index = window_index(decoder, window);
    if (index == UINT32_MAX) {
        drop(decoder);
        return;
    }
    uint32_t place = decoder->resolved->definitions.access_counters + counter;
    if (decoder->counts.is_on) {
        add_growth(decoder, ticks, place, 1);
        add_growth(decoder, ticks, place + 1, (double)size_bytes);
    }
    struct event *event = append(decoder, ticks, EVENT_RMA_ACCESS);
    event->index = index;
    event->peer = target;
    event->size_bytes = size_bytes;
}

// VALUE of a counter. Sums that become smaller began anew.
static void count(struct decoder *decoder, uint64_t ticks, uint32_t place, double value)
{
    const struct counter *counter = &decoder->resolved->definitions.counters[place];
    double growth = counter->is_growth ? value : value - decoder->counts.last[place];
    decoder->counts.last[place] = value;
    if (growth >= 0)
        add_growth(decoder, ticks, place, growth * counter->scale);
}

struct metric_value {
    uint32_t metric, member; // places
    OTF2_MetricMemberRef ref;
};

// Counters of a rank's threads grow by call path; what else has values is a series.
static void put_metric_value(struct decoder *decoder, uint64_t ticks, struct metric_value at,
                             double value)
{
    uint32_t counter = id_table_get(&decoder->resolved->counters, at.ref);
    bool is_counter = counter != UINT32_MAX && decoder->counts.last;
    if (!isfinite(value))
        return;
    if (is_counter && decoder->counts.is_on)
        count(decoder, ticks, counter, value);
    else if (!is_counter && id_table_get(&decoder->resolved->sensors, at.ref) != UINT32_MAX)
        metric_series_add(&decoder->series, at.metric, at.member, in_time(decoder, ticks), value);
}

void decode_metric(struct decoder *decoder, uint64_t ticks, OTF2_MetricRef metric, uint8_t n_values,
                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
    uint32_t position = id_table_get(&decoder->resolved->cpu_time_position, metric);
    uint32_t place = id_table_get(&decoder->records->metrics.by_id, metric);
    if (decoder->n_unused && place != UINT32_MAX)
        decoder->n_unused[place]++;
    const struct metric_record *class_ =
        place == UINT32_MAX ? NULL : records_metric_class(decoder->records, place);
    for (uint32_t i = 0; class_ && i < class_->n_members && i < n_values; i++)
        put_metric_value(decoder, ticks, (struct metric_value){place, i, class_->members[i]},
                         value_as_double(types[i], values[i]));
    if (position >= n_values)
        return;
    struct event *event = append(decoder, ticks, EVENT_CPU_TIME);
    uint32_t wait = id_table_get(&decoder->resolved->core_wait_position, metric);
    event->size_bytes = value_as_ns(types[position], values[position]);
    event->received_bytes =
        wait < n_values ? value_as_ns(types[wait], values[wait]) : EVENT_NO_CORE_WAIT;
}

void decode_parameter(struct decoder *decoder, uint64_t ticks, OTF2_ParameterRef parameter,
                      double value)
{
    uint32_t place = id_table_get(&decoder->records->parameters.by_id, parameter);
    uint32_t counter = id_table_get(&decoder->resolved->parameters, parameter);
    if (decoder->n_unused && place != UINT32_MAX)
        decoder->n_unused[decoder->records->metrics.n + place]++;
    if (decoder->counts.is_on && counter != UINT32_MAX && value > 0)
        add_growth(decoder, ticks, counter, value);
}

// --- file I/O

/// The file of HANDLE; UINT32_MAX where operations are not looked at, or for an undefined handle.
static uint32_t file_of(struct decoder *decoder, OTF2_IoHandleRef handle)
{
    if (!decoder->files.is_on)
        return UINT32_MAX;
    uint32_t file = id_table_get(&decoder->resolved->files_of_handles, handle);
    if (file == UINT32_MAX)
        drop(decoder);
    return file;
}

/// All that have opened HANDLE together take part in OP; nothing if that is not known.
static void append_on_files(struct decoder *decoder, uint64_t ticks, OTF2_IoHandleRef handle,
                            uint8_t op)
{
    uint32_t index = id_table_get(&decoder->resolved->communicators_of_handles, handle);
    if (index == UINT32_MAX)
        return;
    struct event *event = append(decoder, ticks, EVENT_COLLECTIVE_END);
    event->op = op;
    event->class_ = COLLECTIVE_HANDLE;
    event->flags = EVENT_OF_FILE;
    event->index = index;
    event->peer = EVENT_ROOT_NONE;
}

void decode_file_open(struct decoder *decoder, uint64_t ticks, OTF2_IoHandleRef handle)
{
    uint32_t file = file_of(decoder, handle);
    if (file != UINT32_MAX)
        file_operation_open(&decoder->files, file, decoder->counts.base + decoder->n_output);
    append_on_files(decoder, ticks, handle, COLLECTIVE_OP_FILE_OPEN);
}

void decode_file_close(struct decoder *decoder, uint64_t ticks, OTF2_IoHandleRef handle)
{
    append_on_files(decoder, ticks, handle, COLLECTIVE_OP_FILE_CLOSE);
}

void decode_file_changed(struct decoder *decoder, uint64_t ticks, OTF2_IoHandleRef handle,
                         const struct attributes *attributes)
{
    const struct attribute *collective =
        find_attribute(attributes, ATTRIBUTE_COLLECTIVE, OTF2_TYPE_UINT8);
    if (collective && collective->value.uint8 != 0)
        append_on_files(decoder, ticks, handle, COLLECTIVE_OP_FILE_CHANGE);
}

void decode_file_begin(struct decoder *decoder, uint64_t ticks, OTF2_IoHandleRef handle,
                       OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags, uint64_t id)
{
    static const struct {
        uint8_t kind, op;
    } of_mode[] = {[OTF2_IO_OPERATION_MODE_READ] = {FILE_READ, COLLECTIVE_OP_FILE_READ},
                   [OTF2_IO_OPERATION_MODE_WRITE] = {FILE_WRITE, COLLECTIVE_OP_FILE_WRITE},
                   [OTF2_IO_OPERATION_MODE_FLUSH] = {FILE_SYNC, COLLECTIVE_OP_FILE_SYNC}};
    uint32_t file = file_of(decoder, handle);
    if (mode > OTF2_IO_OPERATION_MODE_FLUSH)
        return;
    struct open_operation begun = {.id = id, .handle = handle, .file = file, .begin_ticks = ticks};
    begun.kind = of_mode[mode].kind;
    begun.is_nonblocking = (flags & OTF2_IO_OPERATION_FLAG_NON_BLOCKING) != 0;
    if (file != UINT32_MAX)
        file_operation_begin(&decoder->files, begun);
    if ((flags & OTF2_IO_OPERATION_FLAG_COLLECTIVE) != 0 && !begun.is_nonblocking)
        append_on_files(decoder, ticks, handle, of_mode[mode].op);
}

void decode_file_end(struct decoder *decoder, uint64_t ticks, OTF2_IoHandleRef handle,
                     uint64_t size_bytes, uint64_t id)
{
    if (decoder->files.is_on)
        file_operation_end(&decoder->files, handle, id, size_bytes, ticks,
                           decoder->counts.base + decoder->n_output);
}

void decode_file_cancelled(struct decoder *decoder, OTF2_IoHandleRef handle, uint64_t id)
{
    if (decoder->files.is_on)
        file_operation_cancel(&decoder->files, handle, id);
}

// --- other kinds

void decode_plain(struct decoder *decoder, uint64_t ticks, enum event_kind kind, uint64_t number)
{
    append(decoder, ticks, kind)->size_bytes = number;
}

// Appends what happens to THREADS, a team or those that one has made; NULL: it is not known whose
// they are, as in EZTrace's archives, or they are not defined, which is counted.
static struct event *append_of_threads(struct decoder *decoder, uint64_t ticks,
                                       enum event_kind kind, OTF2_CommRef threads)
{
    if (threads == OTF2_UNDEFINED_COMM)
        return NULL;
    uint32_t index = comm_index(decoder, threads);
    if (index == UINT32_MAX) {
        drop(decoder);
        return NULL;
    }
    struct event *event = append(decoder, ticks, kind);
    event->index = index;
    return event;
}

void decode_team(struct decoder *decoder, uint64_t ticks, enum event_kind kind, OTF2_CommRef team)
{
    append_of_threads(decoder, ticks, kind, team);
}

void decode_created(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                    OTF2_CommRef threads, uint64_t number)
{
    struct event *event = append_of_threads(decoder, ticks, kind, threads);
    if (!event)
        return;
    event->flags = EVENT_OF_CREATED;
    event->size_bytes = number;
}

void decode_thread_lock(struct decoder *decoder, uint64_t ticks, enum event_kind kind,
                        OTF2_Paradigm paradigm, uint32_t lock)
{
    append(decoder, ticks, kind)->size_bytes = (uint64_t)paradigm << 32 | lock;
}

void decode_flush(struct decoder *decoder, uint64_t ticks, uint64_t stop_ticks)
{
    if ((int64_t)stop_ticks > decoder->end_ticks)
        stop_ticks = (uint64_t)decoder->end_ticks;
    uint64_t flush_ticks = (int64_t)stop_ticks > (int64_t)ticks ? stop_ticks - ticks : 0;
    append(decoder, ticks, EVENT_BUFFER_FLUSH)->size_bytes =
        clock_duration_ns(decoder->clock, flush_ticks);
}

void decode_measurement(struct decoder *decoder, uint64_t ticks, OTF2_MeasurementMode mode)
{
    append(decoder, ticks,
           mode == OTF2_MEASUREMENT_OFF ? EVENT_MEASUREMENT_OFF : EVENT_MEASUREMENT_ON);
}

void decode_unknown(struct decoder *decoder)
{
    decoder->report.n_unknown++;
}
