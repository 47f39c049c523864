// SPDX-License-Identifier: BSD-3-Clause
// See packets.h. Each packet is packed by protobuf-c into one buffer and written at once. Interned
// data stand in the packet that refers to them first. Going back to a file begins a second sequence
// of packets there, whose names are its own.
#include "analyzer/perfetto/packets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/new_file.h"
#include "analyzer/base/text.h"
#include "perfetto.pb-c.h"

enum { MAX_FACTS = N_SLICE_FACTS };

/// Numbers whose names are in the file.
struct written_names {
    bool *is_written;
    size_t n;
};

struct packets {
    const char *path;
    uint64_t max_bytes, n_bytes; // of a new file
    struct new_file *files;
    size_t n_files, files_capacity;
    size_t file;       // that is written
    uint32_t sequence; // of packets in the file
    bool has_begun;
    struct written_names names, sources;
    int status; // -1 since something could not be written, as `err` says
    struct error err;
    uint8_t *buffer;
    size_t capacity;
};

// --- files

/// PATH, with NUMBER before its suffix, from the second file on. The caller frees.
static char *file_path(const char *path, size_t number)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    const char *suffix = strrchr(name, '.');
    if (number == 1)
        return memory_copy_text(path);
    if (!suffix || suffix == name)
        return memory_format("%s.%zu", path, number);
    return memory_format("%.*s.%zu%s", (int)(suffix - path), path, number, suffix);
}

static void forget(struct written_names *names)
{
    if (names->n > 0)
        memset(names->is_written, 0, names->n * sizeof(bool));
}

/// What follows is a SEQUENCE of packets of its own in FILE.
static void begin_file(struct packets *packets, size_t file, uint32_t sequence)
{
    packets->file = file;
    packets->sequence = sequence;
    packets->has_begun = false;
    forget(&packets->names);
    forget(&packets->sources);
}

static void open_next(struct packets *packets)
{
    struct new_file *file = ARRAY_NEXT(packets->files, packets->n_files, packets->files_capacity);
    struct error err = {{0}};
    SCOPED char *path = file_path(packets->path, packets->n_files);
    if (new_file_open(file, path, packets->status == 0 ? &packets->err : &err) != 0)
        packets->status = -1;
    packets->n_bytes = 0;
    begin_file(packets, packets->n_files - 1, 1);
}

static void close_file(struct packets *packets)
{
    packets->status =
        new_file_close(&packets->files[packets->file], packets->status, &packets->err);
}

/// Pipes, devices and what links lead to get everything.
static bool is_regular(const struct packets *packets)
{
    return packets->files[0].part != NULL;
}

struct packets *packets_new(const char *path, uint64_t max_bytes, struct error *err)
{
    struct packets *packets = memory_zeroed(1, sizeof *packets);
    packets->path = path;
    open_next(packets);
    packets->max_bytes = is_regular(packets) ? max_bytes : UINT64_MAX;
    if (packets->status == 0)
        return packets;
    *err = packets->err;
    packets_free(packets);
    return NULL;
}

void packets_free(struct packets *packets)
{
    if (!packets)
        return;
    for (size_t i = 0; i < packets->n_files; i++)
        new_file_finish(&packets->files[i], -1, &packets->err);
    FREE_ALL(packets->files, packets->names.is_written, packets->sources.is_written,
             packets->buffer, packets);
}

char *packets_folder(const struct packets *packets)
{
    return is_regular(packets) ? path_folder(packets->path)
                               : memory_copy_text(scratch_file_folder());
}

bool packets_is_full(const struct packets *packets)
{
    return packets->n_bytes >= packets->max_bytes;
}

void packets_next_file(struct packets *packets)
{
    close_file(packets);
    open_next(packets);
}

size_t packets_n_files(const struct packets *packets)
{
    return packets->n_files;
}

void packets_go_back(struct packets *packets, size_t file)
{
    if (is_regular(packets)) {
        close_file(packets);
        packets->status =
            new_file_reopen(&packets->files[file - 1], packets->status, &packets->err);
    }
    begin_file(packets, file - 1, 2);
}

int packets_finish(struct packets *packets, struct error *err)
{
    size_t n_named = 0;
    close_file(packets);
    while (packets->status == 0 && n_named < packets->n_files) {
        packets->status = new_file_finish(&packets->files[n_named], 0, &packets->err);
        n_named += packets->status == 0;
    }
    if (packets->status == 0)
        return 0;
    for (size_t i = 0; i < n_named; i++) {
        SCOPED char *path = file_path(packets->path, i + 1);
        remove(path);
    }
    *err = packets->err;
    return -1;
}

// --- packets

static void write_packet(struct packets *packets, Perfetto__TracePacket *packet)
{
    Perfetto__TracePacket *list[] = {packet};
    Perfetto__Trace trace = PERFETTO__TRACE__INIT;
    trace.n_packet = 1;
    trace.packet = list;
    packet->has_trusted_packet_sequence_id = true;
    packet->trusted_packet_sequence_id = packets->sequence;
    size_t n_bytes = perfetto__trace__get_packed_size(&trace);
    packets->buffer = array_reserve(packets->buffer, &packets->capacity, n_bytes, 1);
    perfetto__trace__pack(&trace, packets->buffer);
    packets->n_bytes += n_bytes;
    struct new_file *file = &packets->files[packets->file];
    if (packets->status == 0 && fwrite(packets->buffer, 1, n_bytes, file->stream) != n_bytes)
        packets->status = new_file_failed(file, &packets->err);
}

static Perfetto__InternedName interned(uint64_t number, char *name)
{
    Perfetto__InternedName entry = PERFETTO__INTERNED_NAME__INIT;
    entry.has_iid = true;
    entry.iid = number + 1;
    entry.name = name;
    return entry;
}

/// The packet that a sequence begins with: names of categories and facts.
static void begin_sequence(struct packets *packets)
{
#define SLICE_TEXT(name, text) text,
    static const char *const categories[] = {SLICE_CATEGORIES(SLICE_TEXT)};
    static const char *const facts[] = {SLICE_FACTS(SLICE_TEXT)};
#undef SLICE_TEXT
    Perfetto__InternedName entries[N_SLICE_CATEGORIES + N_SLICE_FACTS];
    Perfetto__InternedName *list[N_SLICE_CATEGORIES + N_SLICE_FACTS];
    for (size_t i = 0; i < N_SLICE_CATEGORIES + N_SLICE_FACTS; i++) {
        bool is_fact = i >= N_SLICE_CATEGORIES;
        size_t number = is_fact ? i - N_SLICE_CATEGORIES : i;
        entries[i] = interned(number, (char *)(is_fact ? facts : categories)[number]);
        list[i] = &entries[i];
    }
    Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
    data.n_event_categories = N_SLICE_CATEGORIES;
    data.event_categories = list;
    data.n_debug_annotation_names = N_SLICE_FACTS;
    data.debug_annotation_names = list + N_SLICE_CATEGORIES;
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    packet.interned_data = &data;
    packet.has_sequence_flags = true;
    packet.sequence_flags = PERFETTO__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED |
                            PERFETTO__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE;
    write_packet(packets, &packet);
    packets->has_begun = true;
}

/// Whether NUMBER is new in the file; from now on it is not.
static bool is_new(struct written_names *names, uint32_t number)
{
    if (number >= names->n) {
        size_t n = names->n;
        names->is_written =
            array_reserve(names->is_written, &names->n, (size_t)number + 1, sizeof(bool));
        memset(names->is_written + n, 0, (names->n - n) * sizeof(bool));
    }
    bool was_written = names->is_written[number];
    names->is_written[number] = true;
    return !was_written;
}

void packets_track(struct packets *packets, const struct track *track)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__TrackDescriptor descriptor = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
    char *name = utf8_clean(track->name);
    SCOPED char *unit = track->is_counter ? utf8_clean(track->unit) : NULL;
    SCOPED char *description = track->is_counter ? utf8_clean(track->description) : NULL;
    descriptor.has_uuid = true;
    descriptor.uuid = track->uuid;
    descriptor.has_parent_uuid = track->parent_uuid != 0;
    descriptor.parent_uuid = track->parent_uuid;
    descriptor.name = name;
    descriptor.has_child_ordering = true;
    descriptor.child_ordering = PERFETTO__TRACK_DESCRIPTOR__CHILD_TRACKS_ORDERING__EXPLICIT;
    descriptor.has_sibling_order_rank = true;
    descriptor.sibling_order_rank = track->order;
    descriptor.has_sibling_merge_behavior = true;
    descriptor.sibling_merge_behavior =
        track->joins_others
            ? PERFETTO__TRACK_DESCRIPTOR__SIBLING_MERGE_BEHAVIOR__SIBLING_MERGE_BEHAVIOR_BY_TRACK_NAME
            : PERFETTO__TRACK_DESCRIPTOR__SIBLING_MERGE_BEHAVIOR__SIBLING_MERGE_BEHAVIOR_NONE;
    if (track->is_counter) {
        counter.unit_name = *unit ? unit : NULL;
        descriptor.description = *description ? description : NULL;
        descriptor.counter = &counter;
    }
    packet.track_descriptor = &descriptor;
    write_packet(packets, &packet);
    free(name);
}

static void write_event(struct packets *packets, Perfetto__TrackEvent *event, uint64_t time_ns,
                        Perfetto__InternedData *data)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    packet.has_timestamp = true;
    packet.timestamp = time_ns;
    packet.track_event = event;
    packet.interned_data = data;
    packet.has_sequence_flags = true;
    packet.sequence_flags = PERFETTO__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE;
    event->has_track_uuid = true;
    write_packet(packets, &packet);
}

/// Writes EVENT with the facts of EDGE.
static void write_edge(struct packets *packets, Perfetto__TrackEvent *event,
                       const struct slice_edge *edge, Perfetto__InternedData *data)
{
    Perfetto__DebugAnnotation annotations[MAX_FACTS];
    Perfetto__DebugAnnotation *list[MAX_FACTS];
    for (size_t i = 0; i < edge->n_facts; i++) {
        annotations[i] = (Perfetto__DebugAnnotation)PERFETTO__DEBUG_ANNOTATION__INIT;
        annotations[i].has_name_iid = annotations[i].has_uint_value = true;
        annotations[i].name_iid = (uint64_t)edge->facts[i].name + 1;
        annotations[i].uint_value = edge->facts[i].value;
        list[i] = &annotations[i];
    }
    event->n_debug_annotations = edge->n_facts;
    event->debug_annotations = list;
    event->track_uuid = edge->track_uuid;
    write_event(packets, event, edge->time_ns, data);
}

void packets_begin(struct packets *packets, const struct slice_edge *begin)
{
    if (!packets->has_begun)
        begin_sequence(packets);
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
    Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
    Perfetto__InternedName name, *names[] = {&name};
    Perfetto__SourceLocation source = PERFETTO__SOURCE_LOCATION__INIT, *sources[] = {&source};
    uint64_t categories[] = {(uint64_t)begin->category + 1};
    event.has_type = event.has_name_iid = true;
    event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN;
    event.n_category_iids = 1;
    event.category_iids = categories;
    event.name_iid = (uint64_t)begin->name_number + 1;
    event.n_flow_ids = begin->n_flows;
    event.flow_ids = (uint64_t *)begin->flows;
    if (is_new(&packets->names, begin->name_number)) {
        name = interned(begin->name_number, utf8_clean(begin->name));
        data.n_event_names = 1;
        data.event_names = names;
    }
    if (begin->source_number != UINT32_MAX) {
        event.has_source_location_iid = true;
        event.source_location_iid = (uint64_t)begin->source_number + 1;
        if (is_new(&packets->sources, begin->source_number)) {
            source.has_iid = source.has_line_number = true;
            source.iid = event.source_location_iid;
            source.file_name = utf8_clean(begin->file);
            source.function_name = utf8_clean(begin->function);
            source.line_number = begin->line;
            data.n_source_locations = 1;
            data.source_locations = sources;
        }
    }
    bool has_data = data.n_event_names + data.n_source_locations > 0;
    write_edge(packets, &event, begin, has_data ? &data : NULL);
    if (data.n_event_names > 0)
        free(name.name);
    if (data.n_source_locations > 0) {
        FREE_ALL(source.file_name, source.function_name);
    }
}

void packets_end(struct packets *packets, const struct slice_edge *end)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
    event.has_type = true;
    event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END;
    event.n_terminating_flow_ids = end->n_flows;
    event.terminating_flow_ids = (uint64_t *)end->flows;
    write_edge(packets, &event, end, NULL);
}

void packets_count(struct packets *packets, uint64_t track_uuid, uint64_t time_ns, double value)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
    if (!packets->has_begun)
        begin_sequence(packets);
    event.has_type = event.has_double_counter_value = true;
    event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER;
    event.track_uuid = track_uuid;
    event.double_counter_value = value;
    write_event(packets, &event, time_ns, NULL);
}
