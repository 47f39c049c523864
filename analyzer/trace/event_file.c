// SPDX-License-Identifier: BSD-3-Clause
// See event_file.h, and chunk_file.h and event_record.h for the structure of its files. The content
// of a record may go on after what is known of it: so newer versions add to it.
#include "analyzer/trace/event_file.h"

#include "analyzer/trace/event_record.h"

// --- the content of a record

// What an attribute of TYPE may hold; of references those that an attribute of ours can be.
static OTF2_AttributeValue read_value(struct content *content, OTF2_Type type,
                                      const struct local_definitions *local)
{
    OTF2_AttributeValue value = {.uint64 = 0};
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        value.uint8 = content_byte(content);
        break;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        content->at += 2; // none of ours
        break;
    case OTF2_TYPE_FLOAT:
        value.uint32 = half_number(content->at, content->is_big_endian);
        content->at += sizeof value.uint32;
        break;
    case OTF2_TYPE_DOUBLE:
        value.uint64 = content_full(content);
        break;
    case OTF2_TYPE_COMM:
        value.commRef = local_definitions_id(local, OTF2_MAPPING_COMM, content_32(content));
        break;
    case OTF2_TYPE_SOURCE_CODE_LOCATION:
        value.sourceCodeLocationRef =
            local_definitions_id(local, OTF2_MAPPING_SOURCE_CODE_LOCATION, content_32(content));
        break;
    case OTF2_TYPE_CALLING_CONTEXT:
        value.callingContextRef =
            local_definitions_id(local, OTF2_MAPPING_CALLING_CONTEXT, content_32(content));
        break;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
        value.uint32 = content_32(content);
        break;
    default: // other references, and types to come, are numbers
        value.uint64 = content_64(content);
    }
    return value;
}

static bool read_attributes(struct content *content, const struct decoder *decoder,
                            const struct local_definitions *local, struct attributes *attributes)
{
    for (uint32_t n = content_32(content); n > 0; n--) {
        uint32_t id = local_definitions_id(local, OTF2_MAPPING_ATTRIBUTE, content_32(content));
        OTF2_Type type = content_byte(content);
        OTF2_AttributeValue value = read_value(content, type, local);
        if (!content_is_whole(content))
            return false;
        decode_attribute(decoder, attributes, id, type, value);
    }
    return content_is_whole(content) && content->at == content->end; // else their number is damaged
}

static void read_metric(struct content *content, struct decoder *decoder,
                        const struct local_definitions *local, uint64_t ticks)
{
    OTF2_Type types[UINT8_MAX];
    OTF2_MetricValue values[UINT8_MAX];
    uint32_t metric = local_definitions_id(local, OTF2_MAPPING_METRIC, content_32(content));
    uint8_t n = content_byte(content);
    for (uint8_t i = 0; i < n && content->at <= content->end; i++) {
        types[i] = content_byte(content);
        values[i].unsigned_int = content_64(content);
    }
    if (content_is_whole(content))
        decode_metric(decoder, ticks, metric, n, types, values);
}

// --- records

static inline void read_message(struct content *content, struct decoder *decoder,
                                const struct local_definitions *local, uint64_t ticks,
                                enum event_kind kind)
{
    uint32_t peer = content_32(content);
    uint32_t comm = local_definitions_id(local, OTF2_MAPPING_COMM, content_32(content));
    uint32_t tag = content_32(content);
    uint64_t size_bytes = content_64(content);
    uint64_t request = kind == EVENT_ISEND || kind == EVENT_IRECV ? content_64(content) : 0;
    if (content_is_whole(content))
        decode_message(decoder, ticks, kind, peer, comm, tag, size_bytes, request);
}

static void read_probe(struct content *content, struct decoder *decoder,
                       const struct local_definitions *local)
{
    struct probed_message message = {.is_posted = false};
    message.peer = content_32(content);
    message.comm = local_definitions_id(local, OTF2_MAPPING_COMM, content_32(content));
    message.tag = content_32(content);
    message.id = content_64(content);
    if (content_is_whole(content))
        decode_probed(decoder, message);
}

static void read_matched(struct content *content, struct decoder *decoder, uint64_t ticks, int kind)
{
    uint64_t id = content_64(content), number = content_64(content);
    if (!content_is_whole(content))
        return;
    if (kind == MPI_IMRECV_REQUEST)
        decode_posted_matched(decoder, ticks, id, number);
    else
        decode_matched_receive(decoder, ticks, kind == MPI_MRECV ? EVENT_RECV : EVENT_IRECV, id,
                               number);
}

static inline void read_collective(struct content *content, struct decoder *decoder,
                                   const struct local_definitions *local, uint64_t ticks,
                                   enum event_kind kind, const struct attributes *attributes)
{
    OTF2_CollectiveOp op = content_byte(content);
    uint32_t comm = local_definitions_id(local, OTF2_MAPPING_COMM, content_32(content));
    uint32_t root = content_32(content);
    uint64_t sent_bytes = content_64(content), received_bytes = content_64(content);
    uint64_t request = kind == EVENT_COLLECTIVE_COMPLETE ? content_64(content) : 0;
    if (content_is_whole(content))
        decode_collective(decoder, ticks, kind, op, comm, root, sent_bytes, received_bytes, request,
                          attributes);
}

static inline void read_request(struct content *content, struct decoder *decoder, uint64_t ticks,
                                enum event_kind kind)
{
    uint64_t request = content_64(content);
    if (content_is_whole(content))
        decode_request(decoder, ticks, kind, request);
}

static inline void read_context(struct content *content, struct decoder *decoder,
                                const struct local_definitions *local, uint64_t ticks,
                                enum event_kind kind)
{
    uint32_t context =
        local_definitions_id(local, OTF2_MAPPING_CALLING_CONTEXT, content_32(content));
    if (kind == EVENT_ENTER)
        content_32(content); // how much of the stack is new
    if (content_is_whole(content))
        decode_context(decoder, ticks, kind, context);
}

static inline void read_team(struct content *content, struct decoder *decoder,
                             const struct local_definitions *local, uint64_t ticks, int kind)
{
    uint32_t team = local_definitions_id(local, OTF2_MAPPING_COMM, content_32(content));
    enum event_kind event = kind == THREAD_CREATE ? EVENT_THREAD_FORK
                            : kind == THREAD_WAIT ? EVENT_THREAD_JOIN
                            : kind == THREAD_TEAM_BEGIN || kind == THREAD_BEGIN
                                ? EVENT_THREAD_TEAM_BEGIN
                                : EVENT_THREAD_TEAM_END;
    bool is_created = kind >= THREAD_CREATE;
    uint64_t number = is_created ? content_64(content) : 0;
    if (content_is_whole(content) && is_created)
        decode_created(decoder, ticks, event, team, number);
    else if (content_is_whole(content))
        decode_team(decoder, ticks, event, team);
}

static void read_thread_lock(struct content *content, struct decoder *decoder, uint64_t ticks,
                             enum event_kind kind)
{
    OTF2_Paradigm paradigm = content_byte(content);
    uint32_t lock = content_32(content);
    content_32(content); // which acquisition of it: the order of time tells
    if (content_is_whole(content))
        decode_thread_lock(decoder, ticks, kind, paradigm, lock);
}

static void read_window_collective(struct content *content, struct decoder *decoder,
                                   const struct local_definitions *local, uint64_t ticks)
{
    OTF2_CollectiveOp op = content_byte(content);
    content_32(content); // what it synchronises
    uint32_t window = local_definitions_id(local, OTF2_MAPPING_RMA_WIN, content_32(content));
    uint32_t root = content_32(content);
    uint64_t sent_bytes = content_64(content), received_bytes = content_64(content);
    if (content_is_whole(content))
        decode_window_collective(decoder, ticks, op, window, root, sent_bytes, received_bytes);
}

static void read_group_sync(struct content *content, struct decoder *decoder,
                            const struct local_definitions *local, uint64_t ticks)
{
    OTF2_RmaSyncLevel level = content_32(content);
    uint32_t window = local_definitions_id(local, OTF2_MAPPING_RMA_WIN, content_32(content));
    uint32_t group = local_definitions_id(local, OTF2_MAPPING_GROUP, content_32(content));
    if (content_is_whole(content))
        decode_group_sync(decoder, ticks, level, window, group);
}

static void read_access(struct content *content, struct decoder *decoder,
                        const struct local_definitions *local, uint64_t ticks, int kind)
{
    uint32_t window = local_definitions_id(local, OTF2_MAPPING_RMA_WIN, content_32(content));
    uint32_t target = content_32(content);
    if (kind == RMA_ATOMIC)
        content_byte(content); // what is done
    uint64_t size_bytes = content_64(content);
    if (kind == RMA_ATOMIC)
        size_bytes += content_64(content);
    content_64(content); // the number of its completion
    enum access_counter counter = kind == RMA_PUT   ? COUNTER_PUTS
                                  : kind == RMA_GET ? COUNTER_GETS
                                                    : COUNTER_ATOMICS;
    if (content_is_whole(content))
        decode_access(decoder, ticks, counter, window, target, size_bytes);
}

static void read_lock(struct content *content, struct decoder *decoder,
                      const struct local_definitions *local, uint64_t ticks, int kind)
{
    uint32_t window = local_definitions_id(local, OTF2_MAPPING_RMA_WIN, content_32(content));
    uint32_t target = content_32(content);
    content_64(content); // the number of the lock: MPI has one for each target
    bool is_request = kind == RMA_REQUEST_LOCK;
    OTF2_LockType type = is_request ? content_byte(content) : OTF2_LOCK_SHARED;
    if (content_is_whole(content))
        decode_lock(decoder, ticks, is_request ? EVENT_RMA_LOCK : EVENT_RMA_UNLOCK, window, target,
                    type == OTF2_LOCK_EXCLUSIVE);
}

static void read_flush(struct event_file *file, struct content *content, struct decoder *decoder,
                       const struct local_definitions *local)
{
    uint64_t raw_ticks = content_full(content);
    if (!content_is_whole(content))
        return;
    uint64_t stop_ticks = local_definitions_ticks(local, &file->clock_interval, raw_ticks);
    decode_flush(decoder, file->ticks, stop_ticks);
    file->ticks = local_definitions_ticks(local, &file->clock_interval, file->raw_ticks);
}

static void read_file_operation(struct content *content, struct decoder *decoder,
                                const struct local_definitions *local, uint64_t ticks, int kind)
{
    uint32_t handle = local_definitions_id(local, OTF2_MAPPING_IO_HANDLE, content_32(content));
    OTF2_IoOperationMode mode = kind == IO_OPERATION_BEGIN ? content_byte(content) : 0;
    OTF2_IoOperationFlag flags = kind == IO_OPERATION_BEGIN ? content_32(content) : 0;
    uint64_t size_bytes = kind != IO_OPERATION_CANCELLED ? content_64(content) : 0;
    uint64_t id = content_64(content);
    if (!content_is_whole(content))
        return;
    if (kind == IO_OPERATION_BEGIN)
        decode_file_begin(decoder, ticks, handle, mode, flags, id);
    else if (kind == IO_OPERATION_COMPLETE)
        decode_file_end(decoder, ticks, handle, size_bytes, id);
    else
        decode_file_cancelled(decoder, handle, id);
}

// Reads the records that are not frequent.
static void read_other(struct event_file *file, int kind, struct content *content,
                       struct decoder *decoder, const struct local_definitions *local)
{
    uint64_t ticks = file->ticks, value;
    uint32_t number;
    switch (kind) {
    case MPI_PROBE:
        read_probe(content, decoder, local);
        break;
    case MPI_MRECV:
    case MPI_IMRECV_REQUEST:
    case MPI_IMRECV:
        read_matched(content, decoder, ticks, kind);
        break;
    case MPI_REQUEST_TEST:
        read_request(content, decoder, ticks, EVENT_REQUEST_TEST);
        break;
    case MPI_REQUEST_CANCELLED:
        read_request(content, decoder, ticks, EVENT_REQUEST_CANCELLED);
        break;
    case PARAMETER_STRING:
    case PARAMETER_INT:
    case PARAMETER_UNSIGNED_INT:
        number = local_definitions_id(local, OTF2_MAPPING_PARAMETER, content_32(content));
        value = content_64(content);
        if (content_is_whole(content))
            decode_parameter(decoder, ticks, number,
                             kind == PARAMETER_STRING ? 0
                             : kind == PARAMETER_INT  ? (double)(int64_t)value
                                                      : (double)value);
        break;
    case RMA_COLLECTIVE_BEGIN:
        decode_plain(decoder, ticks, EVENT_COLLECTIVE_BEGIN, 0);
        break;
    case RMA_COLLECTIVE_END:
        read_window_collective(content, decoder, local, ticks);
        break;
    case RMA_GROUP_SYNC:
        read_group_sync(content, decoder, local, ticks);
        break;
    case RMA_PUT:
    case RMA_GET:
    case RMA_ATOMIC:
        read_access(content, decoder, local, ticks, kind);
        break;
    case RMA_REQUEST_LOCK:
    case RMA_RELEASE_LOCK:
        read_lock(content, decoder, local, ticks, kind);
        break;
    case THREAD_FORK:
        content_byte(content); // the paradigm
        number = content_32(content);
        if (content_is_whole(content))
            decode_plain(decoder, ticks, EVENT_THREAD_FORK, number);
        break;
    case THREAD_JOIN:
        content_byte(content);
        if (content_is_whole(content))
            decode_plain(decoder, ticks, EVENT_THREAD_JOIN, 0);
        break;
    case THREAD_TEAM_BEGIN:
    case THREAD_TEAM_END:
    case THREAD_CREATE:
    case THREAD_BEGIN:
    case THREAD_WAIT:
    case THREAD_END:
        read_team(content, decoder, local, ticks, kind);
        break;
    case THREAD_ACQUIRE_LOCK:
        read_thread_lock(content, decoder, ticks, EVENT_LOCK_ACQUIRED);
        break;
    case THREAD_RELEASE_LOCK:
        read_thread_lock(content, decoder, ticks, EVENT_LOCK_RELEASED);
        break;
    case IO_CREATE_HANDLE: // and its mode and flags
        number = local_definitions_id(local, OTF2_MAPPING_IO_HANDLE, content_32(content));
        if (content_is_whole(content))
            decode_file_open(decoder, number);
        break;
    case IO_OPERATION_BEGIN:
    case IO_OPERATION_COMPLETE:
    case IO_OPERATION_CANCELLED:
        read_file_operation(content, decoder, local, ticks, kind);
        break;
    case MEASUREMENT_ON_OFF:
        number = content_byte(content);
        if (content_is_whole(content))
            decode_measurement(decoder, ticks, (OTF2_MeasurementMode)number);
        break;
    case BUFFER_FLUSH:
        read_flush(file, content, decoder, local);
        break;
    default:
        if (kind < BUFFER_FLUSH || kind > LAST_KNOWN)
            decode_unknown(decoder);
    }
}

// Reads one record; false when it is damaged.
static inline bool read_record(struct event_file *file, int kind, struct content *content,
                               struct decoder *decoder, const struct local_definitions *local,
                               const struct attributes *attributes)
{
    uint64_t ticks = file->ticks;
    uint64_t number;
    switch (kind) {
    case ENTER:
        number = local_definitions_id(local, OTF2_MAPPING_REGION, content_32(content));
        if (content_is_whole(content))
            decode_enter(decoder, ticks, (OTF2_RegionRef)number, attributes);
        break;
    case LEAVE:
        number = local_definitions_id(local, OTF2_MAPPING_REGION, content_32(content));
        if (content_is_whole(content))
            decode_leave(decoder, ticks, (OTF2_RegionRef)number);
        break;
    case MPI_SEND:
        read_message(content, decoder, local, ticks, EVENT_SEND);
        break;
    case MPI_ISEND:
        read_message(content, decoder, local, ticks, EVENT_ISEND);
        break;
    case MPI_RECV:
        read_message(content, decoder, local, ticks, EVENT_RECV);
        break;
    case MPI_IRECV:
        read_message(content, decoder, local, ticks, EVENT_IRECV);
        break;
    case MPI_ISEND_COMPLETE:
        read_request(content, decoder, ticks, EVENT_ISEND_COMPLETE);
        break;
    case MPI_IRECV_REQUEST:
        number = content_64(content);
        if (content_is_whole(content))
            decode_posted_receive(decoder, ticks, number, attributes);
        break;
    case MPI_COLLECTIVE_BEGIN:
        decode_plain(decoder, ticks, EVENT_COLLECTIVE_BEGIN, 0);
        break;
    case MPI_COLLECTIVE_END:
        read_collective(content, decoder, local, ticks, EVENT_COLLECTIVE_END, attributes);
        break;
    case NON_BLOCKING_COLLECTIVE_REQUEST:
        number = content_64(content);
        if (content_is_whole(content))
            decode_posted_collective(decoder, ticks, number, attributes);
        break;
    case NON_BLOCKING_COLLECTIVE_COMPLETE:
        read_collective(content, decoder, local, ticks, EVENT_COLLECTIVE_COMPLETE, attributes);
        break;
    case CALLING_CONTEXT_ENTER:
        read_context(content, decoder, local, ticks, EVENT_ENTER);
        break;
    case CALLING_CONTEXT_LEAVE:
        read_context(content, decoder, local, ticks, EVENT_LEAVE);
        break;
    case METRIC:
        read_metric(content, decoder, local, ticks);
        break;
    default:
        read_other(file, kind, content, decoder, local);
    }
    return content_is_whole(content);
}

// The kind of the next record, or a mark, after the time stamp that may be before it; END_OF_FILE
// and a damaged file when there is none.
static inline int next_kind(struct event_file *file, struct window *window,
                            const struct local_definitions *local)
{
    if (window_have(&file->chunks, window, 0)) {
        int kind = *window->at++;
        if (kind != TIME_STAMP)
            return kind;
        if (window_have(&file->chunks, window, FULL_NUMBER_BYTES)) {
            file->raw_ticks = full_number(window->at, file->chunks.is_big_endian);
            file->ticks = local_definitions_ticks(local, &file->clock_interval, file->raw_ticks);
            window->at += FULL_NUMBER_BYTES;
            return *window->at++;
        }
    }
    file->state = EVENT_FILE_DAMAGED;
    return END_OF_FILE;
}

bool event_file_open(struct event_file *file, const char *path, uint64_t chunk_bytes,
                     size_t window_bytes)
{
    struct chunk_file chunks = {0};
    if (!chunk_file_open(&chunks, path, chunk_bytes, window_bytes))
        return false;
    *file = (struct event_file){.chunks = chunks};
    file->window = chunk_file_begin(&file->chunks);
    file->state = file->window.at ? EVENT_FILE_READING : EVENT_FILE_DAMAGED;
    return true;
}

struct trace_place event_file_place(const struct event_file *file)
{
    return (struct trace_place){
        .file_at = chunk_file_at(&file->chunks, file->window),
        .n_read = file->n_read,
        .raw_ticks = file->raw_ticks,
        .clock_interval = file->clock_interval,
    };
}

void event_file_go_to(struct event_file *file, const struct trace_place *place)
{
    file->window = chunk_file_go_to(&file->chunks, place->file_at);
    file->state = file->window.at ? EVENT_FILE_READING : EVENT_FILE_DAMAGED;
    file->n_read = place->n_read;
    file->raw_ticks = place->raw_ticks;
    file->clock_interval = place->clock_interval;
}

void event_file_close(struct event_file *file)
{
    chunk_file_close(&file->chunks);
    *file = (struct event_file){0};
}

uint64_t event_file_read(struct event_file *file, struct decoder *decoder,
                         const struct local_definitions *local, uint64_t n_wanted)
{
    struct chunk_file *chunks = &file->chunks;
    struct window window = file->window;
    struct attributes attributes;
    struct content content;
    uint64_t n = 0;
    attributes.n = 0;
    file->ticks = local_definitions_ticks(local, &file->clock_interval, file->raw_ticks);
    while (n < n_wanted && file->state == EVENT_FILE_READING) {
        bool is_sound = true;
        int kind = next_kind(file, &window, local);
        if (kind == END_OF_CHUNK) {
            window = chunk_file_begin(chunks);
            is_sound = window.at != NULL;
        } else if (kind == END_OF_FILE) {
            is_sound = file->state == EVENT_FILE_READING && file->n_read + n >= chunks->last_record;
            file->state = EVENT_FILE_AT_END;
        } else if (!event_record_find_content(chunks, &window, kind, &content)) {
            is_sound = false;
        } else if (kind == ATTRIBUTE_LIST) {
            is_sound = read_attributes(&content, decoder, local, &attributes);
        } else {
            is_sound = read_record(file, kind, &content, decoder, local, &attributes);
            attributes.n = 0;
            n += is_sound;
        }
        if (!is_sound)
            file->state = EVENT_FILE_DAMAGED;
    }
    file->window = window;
    file->n_read += n;
    return n;
}
