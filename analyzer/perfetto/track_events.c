// SPDX-License-Identifier: BSD-3-Clause
// See track_events.h. The viewer sorts events by time and keeps the order of those of one time, and
// pairs the ends of a track with its begins. So the edges of a track are written in order. A wait
// state may be known only after a later one of its thread: it gets another track of the same name.
//
// A flow begins where its message is sent and ends with the slice that received it, for the viewer
// takes the earlier edge of the two as the sending one.
//
// At the end of a file all open slices are ended, and they begin again in the next one.
#include "analyzer/perfetto/track_events.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/perfetto/packets.h"

/// A track gets its number when it is first needed, and its description once in each file.
struct numbered_track {
    uint64_t uuid; // 0: none yet
    size_t file;   // that describes it; 0: none
};

struct open_slice {
    uint32_t region, context;
    uint64_t begin_ns;
};

/// Wait states of a location, one after the other or one within the other.
struct lane {
    struct numbered_track track;
    uint64_t begin_ns, end_ns; // of the outermost one
};

struct counter_track {
    struct numbered_track track;
    double value;
};

struct location_tracks {
    struct numbered_track track;
    struct open_slice *open;
    size_t n_open, open_capacity;
    uint64_t last_ns;
    // What the open call received:
    uint64_t *messages; // their numbers
    size_t n_messages, messages_capacity;
    uint64_t received_bytes;
    uint32_t sender;
    struct lane *lanes;
    size_t n_lanes, lanes_capacity;
    struct counter_track *counters; // by counter; NULL: none has grown
};

struct track_events {
    const struct definitions *definitions;
    const struct catalogue *catalogue;
    struct packets *packets;
    struct hand_overs *hand_overs;
    struct location_tracks *locations;
    struct numbered_track *ranks, *nodes, critical_path;
    uint64_t n_tracks;
    uint64_t *sent; // flows that begin with a call
    size_t sent_capacity;
    uint64_t *file_begins_ns; // by file
    size_t n_file_begins, file_begins_capacity;
};

struct track_events *track_events_new(const char *path, uint64_t max_bytes,
                                      const struct definitions *definitions,
                                      const struct catalogue *catalogue, struct error *err)
{
    struct packets *packets = packets_new(path, max_bytes, err);
    if (!packets)
        return NULL;
    SCOPED char *folder = packets_folder(packets);
    struct hand_overs *hand_overs = hand_overs_new(folder, definitions->n_locations, err);
    if (!hand_overs) {
        packets_free(packets);
        return NULL;
    }
    struct track_events *events = memory_zeroed(1, sizeof *events);
    events->definitions = definitions;
    events->catalogue = catalogue;
    events->packets = packets;
    events->hand_overs = hand_overs;
    events->locations = memory_zeroed(definitions->n_locations + 1, sizeof *events->locations);
    events->ranks = memory_zeroed(definitions->n_ranks + 1, sizeof *events->ranks);
    events->nodes = memory_zeroed(definitions->n_nodes + 1, sizeof *events->nodes);
    *ARRAY_NEXT(events->file_begins_ns, events->n_file_begins, events->file_begins_capacity) = 0;
    return events;
}

void track_events_free(struct track_events *events)
{
    if (!events)
        return;
    FREE_MEMBERS(events->locations, events->definitions->n_locations, open, messages, lanes,
                 counters);
    packets_free(events->packets);
    hand_overs_free(events->hand_overs);
    FREE_ALL(events->locations, events->ranks, events->nodes, events->sent, events->file_begins_ns,
             events);
}

// --- tracks: the node of a rank, the rank with its master's slices, below it other threads, wait
// --- states and counters

enum { ORDER_WAITS, ORDER_THREADS, ORDER_COUNTERS = 1 << 20 };

/// Whether TRACK has to be described in this file; it has a number then.
static bool is_unknown(struct track_events *events, struct numbered_track *track)
{
    size_t file = packets_n_files(events->packets);
    if (track->uuid == 0)
        track->uuid = ++events->n_tracks;
    if (track->file == file)
        return false;
    track->file = file;
    return true;
}

static uint64_t node_track(struct track_events *events, uint32_t node)
{
    struct numbered_track *track = &events->nodes[node];
    if (is_unknown(events, track))
        packets_track(events->packets,
                      &(struct track){.uuid = track->uuid,
                                      .name = events->definitions->nodes[node].name,
                                      .order = (int32_t)node});
    return track->uuid;
}

static uint64_t rank_track(struct track_events *events, uint32_t rank)
{
    struct numbered_track *track = &events->ranks[rank];
    if (!is_unknown(events, track))
        return track->uuid;
    SCOPED char *name = memory_format("rank %u", rank);
    uint64_t node = node_track(events, events->definitions->ranks[rank].node);
    packets_track(events->packets, &(struct track){.uuid = track->uuid,
                                                   .parent_uuid = node,
                                                   .name = name,
                                                   .order = (int32_t)rank});
    return track->uuid;
}

static uint64_t location_track(struct track_events *events, uint32_t index)
{
    const struct location *location = &events->definitions->locations[index];
    struct numbered_track *track = &events->locations[index].track;
    bool has_rank = location->rank != EVENT_NO_INDEX;
    if (has_rank && location->is_master)
        return rank_track(events, location->rank);
    if (!is_unknown(events, track))
        return track->uuid;
    uint64_t parent = has_rank ? rank_track(events, location->rank) : 0;
    packets_track(events->packets, &(struct track){.uuid = track->uuid,
                                                   .parent_uuid = parent,
                                                   .name = location->name,
                                                   .order = ORDER_THREADS + (int32_t)index});
    return track->uuid;
}

static uint64_t lane_track(struct track_events *events, uint32_t location, struct lane *lane)
{
    uint64_t parent = location_track(events, location);
    if (is_unknown(events, &lane->track))
        packets_track(events->packets, &(struct track){.uuid = lane->track.uuid,
                                                       .parent_uuid = parent,
                                                       .name = "wait states",
                                                       .order = ORDER_WAITS,
                                                       .joins_others = true});
    return lane->track.uuid;
}

static uint64_t counter_track(struct track_events *events, uint32_t location, uint32_t index)
{
    const struct counter *counter = &events->definitions->counters[index];
    struct numbered_track *track = &events->locations[location].counters[index].track;
    uint64_t parent = location_track(events, location);
    if (is_unknown(events, track))
        packets_track(events->packets, &(struct track){.uuid = track->uuid,
                                                       .parent_uuid = parent,
                                                       .name = counter->name,
                                                       .order = ORDER_COUNTERS + (int32_t)index,
                                                       .is_counter = true,
                                                       .unit = counter->unit,
                                                       .description = counter->description});
    return track->uuid;
}

// --- slices

/// Numbers of names: regions, then the name of records without a call, then patterns, then
/// locations on the critical path, then phases.
static uint32_t bare_name_number(const struct track_events *events)
{
    return (uint32_t)events->definitions->n_regions;
}

static uint32_t pattern_name_number(const struct track_events *events,
                                    const struct pattern *pattern)
{
    return bare_name_number(events) + 1 + (uint32_t)(pattern - events->catalogue->patterns);
}

static uint32_t location_name_number(const struct track_events *events, uint32_t location)
{
    return bare_name_number(events) + 1 + (uint32_t)events->catalogue->n_patterns + location;
}

/// The begin of SLICE at TIME_NS, without facts.
static struct slice_edge begin_of(struct track_events *events, uint32_t location,
                                  const struct open_slice *slice, uint64_t time_ns)
{
    const struct definitions *definitions = events->definitions;
    struct slice_edge begin = {.time_ns = time_ns,
                               .track_uuid = location_track(events, location),
                               .category = SLICE_MPI,
                               .name_number = bare_name_number(events),
                               .name = "message record",
                               .source_number = EVENT_NO_INDEX};
    if (slice->region != EVENT_NO_INDEX) {
        const struct region *region = &definitions->regions[slice->region];
        begin.category = region->mpi == MPI_FUNCTION_NONE ? SLICE_FUNCTION : SLICE_MPI;
        begin.name_number = slice->region;
        begin.name = region->name;
    }
    const struct calling_context *context =
        slice->context == EVENT_NO_INDEX ? NULL : &definitions->contexts[slice->context];
    if (context && context->line > 0) {
        bool has_function = context->region != EVENT_NO_INDEX;
        begin.source_number = slice->context;
        begin.file = context->file;
        begin.line = context->line;
        begin.function = has_function ? definitions->regions[context->region].name : "";
    }
    return begin;
}

/// Ends all open slices at TIME_NS, or at the last event of those that were read ahead, and begins
/// them anew in a further file.
static void split(struct track_events *events, uint64_t time_ns)
{
    size_t n_locations = events->definitions->n_locations;
    for (uint32_t i = 0; i < n_locations; i++) {
        struct location_tracks *tracks = &events->locations[i];
        for (size_t n = tracks->n_open; n > 0; n--)
            packets_end(events->packets,
                        &(struct slice_edge){.time_ns = larger(time_ns, tracks->last_ns),
                                             .track_uuid = location_track(events, i)});
    }
    packets_next_file(events->packets);
    *ARRAY_NEXT(events->file_begins_ns, events->n_file_begins, events->file_begins_capacity) =
        time_ns;
    for (uint32_t i = 0; i < n_locations; i++) {
        struct location_tracks *tracks = &events->locations[i];
        for (size_t n = 0; n < tracks->n_open; n++) {
            const struct open_slice *slice = &tracks->open[n];
            const struct slice_fact began = {SLICE_FACT_BEGAN, slice->begin_ns};
            struct slice_edge begin = begin_of(events, i, slice, larger(time_ns, tracks->last_ns));
            begin.facts = &began;
            begin.n_facts = 1;
            packets_begin(events->packets, &begin);
        }
    }
}

static void split_if_full(struct track_events *events, uint64_t time_ns)
{
    if (packets_is_full(events->packets))
        split(events, time_ns);
}

// --- what a call sends and receives

/// Sums of the records of a call.
struct volume {
    uint64_t n_messages, sent_bytes;
    uint32_t receiver; // of its only message
    bool has_collective;
    uint64_t collective_sent_bytes, collective_received_bytes;
};

static uint32_t world_rank_of(const struct track_events *events, const struct event *event)
{
    const struct communicator *communicator = &events->definitions->communicators[event->index];
    bool is_inter = communicator->is_intercommunicator;
    const uint32_t *members = is_inter ? communicator->remote_members : communicator->members;
    uint32_t n = is_inter ? communicator->n_remote_members : communicator->n_members;
    return event->peer < n ? members[event->peer] : EVENT_NO_INDEX;
}

static struct volume volume_of(const struct track_events *events, const struct pag_entered *entered)
{
    struct volume volume = {.receiver = EVENT_NO_INDEX};
    for (size_t i = 0; i < entered->n_records; i++) {
        const struct event *event = &entered->records[i];
        if (event->kind == EVENT_SEND || event->kind == EVENT_ISEND) {
            volume.n_messages++;
            volume.sent_bytes += event->size_bytes;
            volume.receiver =
                volume.n_messages == 1 ? world_rank_of(events, event) : EVENT_NO_INDEX;
        } else if (event->kind == EVENT_COLLECTIVE_END ||
                   event->kind == EVENT_COLLECTIVE_COMPLETE) {
            volume.has_collective = true;
            volume.collective_sent_bytes += event->size_bytes;
            volume.collective_received_bytes += event->received_bytes;
        }
    }
    return volume;
}

static size_t facts_of_volume(const struct volume *volume, struct slice_fact *facts)
{
    size_t n = 0;
    if (volume->n_messages > 1)
        facts[n++] = (struct slice_fact){SLICE_FACT_SENT_MESSAGES, volume->n_messages};
    if (volume->n_messages > 0)
        facts[n++] = (struct slice_fact){SLICE_FACT_SENT_BYTES, volume->sent_bytes};
    if (volume->has_collective) {
        facts[n++] =
            (struct slice_fact){SLICE_FACT_COLLECTIVE_SENT_BYTES, volume->collective_sent_bytes};
        facts[n++] = (struct slice_fact){SLICE_FACT_COLLECTIVE_RECEIVED_BYTES,
                                         volume->collective_received_bytes};
    }
    if (volume->receiver != EVENT_NO_INDEX)
        facts[n++] = (struct slice_fact){SLICE_FACT_RECEIVER, volume->receiver};
    return n;
}

// --- the listener

static void on_entered(void *context, const struct pag_entered *entered)
{
    struct track_events *events = context;
    struct location_tracks *tracks = &events->locations[entered->location];
    struct slice_fact facts[N_SLICE_FACTS];
    const struct volume volume = volume_of(events, entered);
    const struct open_slice slice = {entered->region, entered->context, entered->time_ns};
    split_if_full(events, entered->time_ns);
    struct slice_edge begin = begin_of(events, entered->location, &slice, entered->time_ns);
    events->sent = array_reserve(events->sent, &events->sent_capacity, entered->n_messages + 1,
                                 sizeof *events->sent);
    for (size_t i = 0; i < entered->n_messages; i++)
        events->sent[i] = entered->first_message + i;
    begin.flows = events->sent;
    begin.n_flows = entered->n_messages;
    begin.facts = facts;
    begin.n_facts = facts_of_volume(&volume, facts);
    packets_begin(events->packets, &begin);
    *ARRAY_NEXT(tracks->open, tracks->n_open, tracks->open_capacity) = slice;
    tracks->last_ns = entered->time_ns;
}

static size_t facts_of_received(const struct location_tracks *tracks, struct slice_fact *facts)
{
    size_t n = 0;
    if (tracks->n_messages == 0)
        return 0;
    facts[n++] = (struct slice_fact){SLICE_FACT_RECEIVED_BYTES, tracks->received_bytes};
    if (tracks->n_messages > 1)
        facts[n++] = (struct slice_fact){SLICE_FACT_RECEIVED_MESSAGES, tracks->n_messages};
    else
        facts[n++] = (struct slice_fact){SLICE_FACT_SENDER, tracks->sender};
    return n;
}

static void on_left(void *context, uint32_t location, uint64_t time_ns)
{
    struct track_events *events = context;
    struct location_tracks *tracks = &events->locations[location];
    struct slice_fact facts[N_SLICE_FACTS];
    split_if_full(events, time_ns);
    packets_end(events->packets, &(struct slice_edge){
                                     .time_ns = time_ns,
                                     .track_uuid = location_track(events, location),
                                     .facts = facts,
                                     .n_facts = facts_of_received(tracks, facts),
                                     .flows = tracks->messages,
                                     .n_flows = tracks->n_messages,
                                 });
    tracks->n_open--;
    tracks->n_messages = tracks->received_bytes = 0;
    tracks->last_ns = time_ns;
}

static void on_message(void *context, const struct pag_message *message)
{
    struct track_events *events = context;
    struct location_tracks *tracks = &events->locations[message->location];
    *ARRAY_NEXT(tracks->messages, tracks->n_messages, tracks->messages_capacity) = message->number;
    tracks->received_bytes += message->size_bytes;
    tracks->sender = message->sender;
}

static void on_counted(void *context, uint32_t location, uint64_t time_ns, uint32_t counter,
                       double growth)
{
    struct track_events *events = context;
    struct location_tracks *tracks = &events->locations[location];
    if (!tracks->counters)
        tracks->counters = memory_zeroed(events->definitions->n_counters, sizeof *tracks->counters);
    tracks->counters[counter].value += growth;
    packets_count(events->packets, counter_track(events, location, counter), time_ns,
                  tracks->counters[counter].value);
}

static uint64_t on_handed_over(void *context, const struct pag_hand_over *hand_over)
{
    struct track_events *events = context;
    return hand_overs_add(events->hand_overs, hand_over);
}

struct pag_listener track_events_listener(struct track_events *events)
{
    return (struct pag_listener){.entered = {on_entered, events},
                                 .left = {on_left, events},
                                 .counted = {on_counted, events},
                                 .message = {on_message, events},
                                 .handed_over = {on_handed_over, events}};
}

/// The first lane of LOCATION where a wait from BEGIN_NS to END_NS comes after all others or lies
/// in the last one.
static struct lane *lane_for(struct location_tracks *tracks, uint64_t begin_ns, uint64_t end_ns)
{
    for (size_t i = 0; i < tracks->n_lanes; i++) {
        struct lane *lane = &tracks->lanes[i];
        if (begin_ns >= lane->end_ns) {
            lane->begin_ns = begin_ns;
            lane->end_ns = end_ns;
            return lane;
        }
        if (begin_ns >= lane->begin_ns && end_ns <= lane->end_ns)
            return lane;
    }
    struct lane *lane = ARRAY_NEXT(tracks->lanes, tracks->n_lanes, tracks->lanes_capacity);
    *lane = (struct lane){.begin_ns = begin_ns, .end_ns = end_ns};
    return lane;
}

void track_events_waited(void *context, const struct matcher_instance *instance)
{
    struct track_events *events = context;
    uint32_t location = instance->trigger->location;
    uint64_t end_ns = instance->begin_ns + instance->wait_ns;
    struct lane *lane = lane_for(&events->locations[location], instance->begin_ns, end_ns);
    const struct slice_fact awaited = {SLICE_FACT_AWAITED_RANK, instance->cause_rank};
    struct slice_edge edge = {
        .time_ns = instance->begin_ns,
        .track_uuid = lane_track(events, location, lane),
        .category = SLICE_WAIT_STATE,
        .name_number = pattern_name_number(events, instance->pattern),
        .name = instance->pattern->name,
        .source_number = EVENT_NO_INDEX,
        .facts = &awaited,
        .n_facts = instance->cause_rank != MATCHER_NO_RANK,
    };
    packets_begin(events->packets, &edge);
    packets_end(events->packets,
                &(struct slice_edge){.time_ns = end_ns, .track_uuid = edge.track_uuid});
}

// --- the critical path

/// What is written of it.
struct path_writer {
    struct track_events *events;
    size_t file; // that was gone back to; 0: none
};

static void go_back(struct path_writer *writer, size_t file)
{
    struct track_events *events = writer->events;
    packets_go_back(events->packets, file);
    writer->file = file;
    packets_track(
        events->packets,
        &(struct track){.uuid = events->critical_path.uuid, .name = "critical path", .order = -2});
}

/// What a part of the path is called. The caller frees.
static char *path_name(const struct location *location)
{
    if (location->rank == EVENT_NO_INDEX)
        return memory_copy_text(location->name);
    return location->is_master ? memory_format("rank %u", location->rank)
                               : memory_format("rank %u, %s", location->rank, location->name);
}

/// The part of a path that lasts from BEGIN_NS on, as far as it is in the file.
static void write_part(struct path_writer *writer, uint32_t location, uint64_t begin_ns,
                       uint64_t from_ns, uint64_t until_ns)
{
    struct track_events *events = writer->events;
    SCOPED char *name = path_name(&events->definitions->locations[location]);
    const struct slice_fact began = {SLICE_FACT_BEGAN, begin_ns};
    const struct slice_edge begin = {
        .time_ns = from_ns,
        .track_uuid = events->critical_path.uuid,
        .category = SLICE_CRITICAL_PATH,
        .name_number = location_name_number(events, location),
        .name = name,
        .source_number = EVENT_NO_INDEX,
        .facts = &began,
        .n_facts = from_ns > begin_ns,
    };
    packets_begin(events->packets, &begin);
    packets_end(events->packets,
                &(struct slice_edge){.time_ns = until_ns, .track_uuid = begin.track_uuid});
}

/// As path_part: a part goes to the files whose time it is in.
static void put_part(void *context, uint32_t location, uint64_t begin_ns, uint64_t end_ns)
{
    struct path_writer *writer = context;
    const struct track_events *events = writer->events;
    uint64_t from_ns = begin_ns;
    for (size_t file = writer->file ? writer->file : 1; from_ns < end_ns; file++) {
        bool is_last = file == events->n_file_begins;
        uint64_t file_end_ns = is_last ? UINT64_MAX : events->file_begins_ns[file];
        uint64_t until_ns = end_ns < file_end_ns ? end_ns : file_end_ns;
        if (from_ns >= file_end_ns)
            continue;
        if (file != writer->file)
            go_back(writer, file);
        write_part(writer, location, begin_ns, from_ns, until_ns);
        from_ns = until_ns;
    }
}

// --- what all ranks do

struct strip_writer {
    struct track_events *events;
    const struct track_strips *strips;
    uint64_t all_uuid, phases_uuid, first_uuid; // of all of it, of phases, of the first counter
    uint64_t begin_ns, end_ns;                  // of the file
};

static void describe_strips(const struct strip_writer *writer)
{
    const struct track_strips *strips = writer->strips;
    struct packets *packets = writer->events->packets;
    packets_track(packets,
                  &(struct track){.uuid = writer->all_uuid, .name = "all ranks", .order = -1});
    if (strips->n_phases > 0)
        packets_track(packets, &(struct track){.uuid = writer->phases_uuid,
                                               .parent_uuid = writer->all_uuid,
                                               .name = "phases"});
    for (size_t i = 0; i < strips->n_counters; i++)
        packets_track(packets, &(struct track){.uuid = writer->first_uuid + i,
                                               .parent_uuid = writer->all_uuid,
                                               .name = strips->counters[i].name,
                                               .order = (int32_t)i + 1,
                                               .is_counter = true,
                                               .unit = strips->counters[i].unit,
                                               .description = ""});
}

/// Where COLUMN begins, as far as it is in the file; the end of the run after the last one.
static uint64_t column_ns(const struct strip_writer *writer, size_t column)
{
    const struct track_strips *strips = writer->strips;
    uint64_t ns = column < strips->n_columns ? column * strips->column_ns : strips->end_ns;
    ns = ns < strips->end_ns ? ns : strips->end_ns;
    return larger(ns < writer->end_ns ? ns : writer->end_ns, writer->begin_ns);
}

/// One slice for columns of the same phase.
static void write_phases(const struct strip_writer *writer)
{
    const struct track_strips *strips = writer->strips;
    for (size_t first = 0, next; first < strips->n_columns; first = next) {
        int phase = strips->phase_of[first];
        for (next = first + 1; next < strips->n_columns && strips->phase_of[next] == phase;)
            next++;
        uint64_t begin_ns = column_ns(writer, first), end_ns = column_ns(writer, next);
        if (phase < 0 || begin_ns >= end_ns)
            continue;
        uint32_t n_locations = (uint32_t)writer->events->definitions->n_locations;
        packets_begin(writer->events->packets,
                      &(struct slice_edge){.time_ns = begin_ns,
                                           .track_uuid = writer->phases_uuid,
                                           .category = SLICE_PHASE,
                                           .name_number = location_name_number(
                                               writer->events, n_locations + (uint32_t)phase),
                                           .name = strips->phases[phase],
                                           .source_number = EVENT_NO_INDEX});
        packets_end(writer->events->packets,
                    &(struct slice_edge){.time_ns = end_ns, .track_uuid = writer->phases_uuid});
    }
}

/// A value where it is another one than before, and 0 at the end.
static void write_counter(const struct strip_writer *writer, size_t index)
{
    const struct track_strips *strips = writer->strips;
    const double *values = strips->counters[index].values;
    double before = 0;
    for (size_t i = 0; i <= strips->n_columns; i++) {
        double value =
            i < strips->n_columns && i * strips->column_ns < strips->end_ns ? values[i] : 0;
        uint64_t ns = column_ns(writer, i);
        bool is_in_file =
            i == 0 ? writer->begin_ns == 0 : ns > writer->begin_ns && ns < writer->end_ns;
        if (value != before && is_in_file)
            packets_count(writer->events->packets, writer->first_uuid + index, ns, value);
        before = value;
    }
}

void track_events_put_strips(struct track_events *events, const struct track_strips *strips)
{
    struct strip_writer writer = {.events = events,
                                  .strips = strips,
                                  .all_uuid = events->n_tracks + 1,
                                  .phases_uuid = events->n_tracks + 2,
                                  .first_uuid = events->n_tracks + 3};
    events->n_tracks += 2 + strips->n_counters;
    for (size_t file = 1; file <= events->n_file_begins; file++) {
        writer.begin_ns = events->file_begins_ns[file - 1];
        writer.end_ns = file < events->n_file_begins ? events->file_begins_ns[file] : UINT64_MAX;
        packets_go_back(events->packets, file);
        describe_strips(&writer);
        write_phases(&writer);
        for (size_t i = 0; i < strips->n_counters; i++)
            write_counter(&writer, i);
    }
}

int track_events_finish(struct track_events *events, const struct pag_result *replay,
                        struct error *err)
{
    struct path_writer writer = {.events = events};
    events->critical_path.uuid = ++events->n_tracks;
    if (hand_overs_walk(events->hand_overs, replay->last_hand_over, replay->time_ns, put_part,
                        &writer, err) != 0)
        return -1;
    return packets_finish(events->packets, err);
}
