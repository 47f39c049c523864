// SPDX-License-Identifier: BSD-3-Clause
// See event_file.h, and chunk_file.h and event_record.h for the structure of its files. The content
// of a record may go on after what is known of it: so newer versions add to it.
#include "analyzer/trace/event_file.h"

#include "analyzer/trace/event_record.h"
#include "analyzer/trace/otf2_records.h"

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

// Cases that read the fields of a record of otf2_records.h.
#define FIELD(type, name, value) __attribute__((unused)) type name = (type)(value);
#define BYTE(type, name)         FIELD(type, name, content_byte(content))
#define WORD(type, name)         FIELD(type, name, content_32(content))
#define LONG(type, name)         FIELD(type, name, content_64(content))
#define ID(mapping, type, name)                                                                    \
    FIELD(type, name, local_definitions_id(local, OTF2_MAPPING_##mapping, content_32(content)))
#define ATTRIBUTES attributes
#define READ_RECORD(name, number, decode, ...)                                                     \
    case number: {                                                                                 \
        __VA_ARGS__;                                                                               \
        if (content_is_whole(content))                                                             \
            decode;                                                                                \
        break;                                                                                     \
    }

// Reads the records that are not frequent.
static void read_other(struct event_file *file, int kind, struct content *content,
                       struct decoder *decoder, const struct local_definitions *local,
                       const struct attributes *attributes)
{
    uint64_t ticks = file->ticks;
    switch (kind) {
        OTHER_RECORDS(READ_RECORD)
        NOTED_RECORDS(READ_RECORD)
    case MPI_PROBE:
        read_probe(content, decoder, local);
        break;
    case MPI_MRECV:
    case MPI_IMRECV_REQUEST:
    case MPI_IMRECV:
        read_matched(content, decoder, ticks, kind);
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
    switch (kind) {
        FREQUENT_RECORDS(READ_RECORD)
    case METRIC:
        read_metric(content, decoder, local, ticks);
        break;
    default:
        read_other(file, kind, content, decoder, local, attributes);
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
