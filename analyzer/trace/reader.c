// SPDX-License-Identifier: BSD-3-Clause
// Opens an archive and fills the cursors of its locations (see reader.h). Each location has an OTF2
// reader of its own, which applies the clock offsets and mapping tables of the location's local
// definitions; the callbacks of decode.c write into the cursor's buffer. While the first batches
// are read the origin of time is not known yet: they hold raw ticks until rebase_times().
#include "analyzer/trace/reader.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <otf2/otf2.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/archive.h"
#include "analyzer/trace/clock.h"
#include "analyzer/trace/decode.h"
#include "analyzer/trace/decode_ahead.h"
#include "analyzer/trace/file_check.h"
#include "analyzer/trace/records.h"
#include "analyzer/trace/resolve.h"

enum {
    BATCH_EVENTS = 512,       // 24 KiB: stays in the first-level cache; a location with no more
                              // is read when it is opened
    MIN_BATCH_EVENTS = 64,    // of many locations, which share the second-level cache:
    MAX_CACHED_EVENTS = 8192, // decoded events of all of them, 384 KiB
    AHEAD_BATCHES = 4,        // so many at once in the second thread: fewer hand-overs
    SPARE_DESCRIPTORS = 64,   // beyond the event files that are open
};

// Chunk sizes of the archive's files; both 0 when its files are compressed and cannot be looked
// into.
struct chunk_bytes {
    uint64_t events, definitions;
};

struct trace {
    char *path;
    OTF2_Reader *reader;
    struct chunk_bytes chunk_bytes;
    struct chunk_memory chunk; // of the thread that decodes
    struct records records;
    struct resolved resolved;
    struct clock clock;
    struct decoder *decoders;   // by location index
    struct decode_ahead *ahead; // NULL: decoding happens in place
    size_t n_batch_events;      // decoded at once in place
    bool has_origin;            // times are final: decoding ahead may begin
    bool has_tried_ahead;
    size_t n_decoders;
    OTF2_EvtReaderCallbacks *callbacks;
    pthread_mutex_t lock; // of what is lent
    bool is_lent;
    struct trace *spares; // further openings, not in use
    struct trace *next_spare;
    char *creator;
    char *description;
};

// The library insists on collective operations and locks even for one process; reading local files
// from one thread per location needs no lock, since nothing is shared once all are open.
static int open_archive(struct trace *trace, struct error *err)
{
    otf2_error_begin();
    trace->reader = otf2_open(trace->path);
    if (!trace->reader)
        return error_set(err, "'%s' is no OTF2 archive: %s", trace->path,
                         otf2_error_cause(OTF2_ERROR_INVALID_ARGUMENT));
    OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(trace->reader);
    if (code != OTF2_SUCCESS)
        return error_set(err, "cannot use the archive '%s': %s", trace->path,
                         otf2_error_cause(code));
    return 0;
}

// Path of a file of the archive: "traces" and SUFFIX after the anchor's "traces.otf2". The caller
// frees.
__attribute__((format(printf, 2, 3))) static char *file_path(const struct trace *trace,
                                                             const char *suffix, ...)
{
    va_list args;
    va_start(args, suffix);
    char text[64];
    vsnprintf(text, sizeof text, suffix, args);
    va_end(args);
    size_t length = strlen(trace->path);
    if (length > 5 && strcmp(trace->path + length - 5, ".otf2") == 0)
        length -= 5;
    return memory_format("%.*s%s", (int)length, trace->path, text);
}

static void read_chunk_sizes(struct trace *trace)
{
    struct chunk_bytes chunks = {0};
    OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
    OTF2_Reader_GetChunkSize(trace->reader, &chunks.events, &chunks.definitions);
    OTF2_Reader_GetCompression(trace->reader, &compression);
    if (compression == OTF2_COMPRESSION_NONE)
        trace->chunk_bytes = chunks;
}

static bool definitions_are_sound(const struct trace *trace, const char *path)
{
    uint64_t chunk_bytes = trace->chunk_bytes.definitions;
    return chunk_bytes == 0 || file_check_definitions(path, chunk_bytes);
}

static int read_definitions(struct trace *trace, struct error *err)
{
    char *path = file_path(trace, ".def");
    bool is_sound = definitions_are_sound(trace, path);
    OTF2_ErrorCode code = OTF2_ERROR_INVALID_DATA;
    OTF2_GlobalDefReader *reader = NULL;
    uint64_t n_read = 0;
    otf2_error_begin();
    if (is_sound)
        reader = OTF2_Reader_GetGlobalDefReader(trace->reader);
    if (reader)
        code = records_register(&trace->records, trace->reader, reader);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllGlobalDefinitions(trace->reader, reader, &n_read);
    if (code != OTF2_SUCCESS)
        error_set(err, "cannot read the global definitions '%s' after the first %llu: %s", path,
                  (unsigned long long)n_read, otf2_error_cause(code));
    free(path);
    if (code != OTF2_SUCCESS)
        return -1;
    OTF2_Reader_CloseGlobalDefReader(trace->reader, reader);
    if (!trace->records.has_clock || trace->records.ticks_per_second == 0)
        return error_set(err, "the global definitions of '%s' do not say how fast its clock ticks",
                         trace->path);
    return 0;
}

static void read_properties(struct trace *trace)
{
    struct definitions *definitions = &trace->resolved.definitions;
    definitions->clock_ticks_per_second = trace->records.ticks_per_second;
    double length_ns =
        (double)trace->records.length_ticks / (double)trace->records.ticks_per_second * 1e9;
    definitions->length_ns = length_ns < 3e16 ? (uint64_t)length_ns : 0; // below a year
    OTF2_Reader_GetCreator(trace->reader, &trace->creator);
    OTF2_Reader_GetDescription(trace->reader, &trace->description);
    definitions->creator = trace->creator ? trace->creator : "";
    definitions->description = trace->description ? trace->description : "";
    uint32_t n_names = 0;
    char **names = NULL;
    if (OTF2_Reader_GetPropertyNames(trace->reader, &n_names, &names) != OTF2_SUCCESS)
        return;
    definitions->properties = memory_zeroed(n_names, sizeof *definitions->properties);
    for (uint32_t i = 0; i < n_names; i++) {
        char *value = NULL;
        if (OTF2_Reader_GetProperty(trace->reader, names[i], &value) != OTF2_SUCCESS)
            continue;
        struct property *property = &definitions->properties[definitions->n_properties++];
        *property = (struct property){.name = memory_copy_text(names[i]), .value = value};
        if (strcmp(property->name, "PAGODA::SPAWNED_RANKS") == 0) // what our tracer says
            definitions->n_spawned_ranks = strtoul(value, NULL, 10);
    }
    free(names);
}

static atomic_size_t n_event_files; // open ones, of all openings of this process

// Allows one more event file: a location with many events keeps its file open until its end.
static int allow_event_file(const struct trace *trace, struct error *err)
{
    size_t n_locations = trace->resolved.definitions.n_locations;
    rlim_t wanted = n_event_files + SPARE_DESCRIPTORS;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return 0;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < wanted)
        return error_set(err,
                         "'%s' has %zu locations, and those with more than %d events need an open "
                         "file each, but this system allows %llu: raise the limit (ulimit -Hn)",
                         trace->path, n_locations, BATCH_EVENTS,
                         (unsigned long long)limit.rlim_max);
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? wanted + n_locations : limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return error_set(err, "cannot raise the number of open files to %llu for '%s'",
                         (unsigned long long)limit.rlim_cur, trace->path);
    return 0;
}

__attribute__((format(printf, 2, 3))) static void set_reason(struct decoder *decoder,
                                                             const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    free(decoder->reason);
    decoder->reason = memory_copy_text(text);
    decoder->report.reason = decoder->reason;
}

// Reads the clock offsets and mapping tables of one location; the library applies them later.
static void read_local_definitions(struct trace *trace, size_t location)
{
    struct decoder *decoder = &trace->decoders[location];
    const struct location *definition = &trace->resolved.definitions.locations[location];
    if (!definition->is_defined)
        return;
    char *path = file_path(trace, "/%llu.def", (unsigned long long)definition->id);
    bool is_sound = definitions_are_sound(trace, path);
    free(path);
    if (!is_sound) {
        decoder->report.is_skipped = true;
        set_reason(decoder, "its definition file (%llu.def) is damaged, or it ends too early",
                   (unsigned long long)definition->id);
        return;
    }
    otf2_error_begin();
    OTF2_DefReader *reader = OTF2_Reader_GetDefReader(trace->reader, definition->id);
    if (!reader) {
        decoder->report.lacks_definitions = true;
        return;
    }
    uint64_t n_read = 0;
    OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(trace->reader, reader, &n_read);
    if (code != OTF2_SUCCESS) {
        decoder->report.is_skipped = true;
        set_reason(decoder, "cannot read its definition file (%llu.def): %s",
                   (unsigned long long)definition->id, otf2_error_cause(code));
    }
    OTF2_Reader_CloseDefReader(trace->reader, reader);
}

// Looks at a location's event file until OTF2 may be asked for N_WANTED more records of it; returns
// for how many it may.
static uint64_t look_ahead(struct trace *trace, size_t location, uint64_t n_wanted)
{
    struct decoder *decoder = &trace->decoders[location];
    struct event_walk *walk = &decoder->walk;
    unsigned long long id = trace->resolved.definitions.locations[location].id;
    if (trace->chunk_bytes.events == 0)
        *walk = (struct event_walk){.n_events = UINT64_MAX, .is_done = true, .is_sound = true};
    while (!walk->is_done && walk->n_events - decoder->report.n_read < n_wanted) {
        char *path = file_path(trace, "/%llu.evt", id);
        file_check_next_chunk(walk, path, trace->chunk_bytes.events, &trace->chunk);
        free(path);
    }
    uint64_t n_left = walk->n_events - decoder->report.n_read;
    return n_left < n_wanted ? n_left : n_wanted;
}

static void close_events(struct trace *trace, struct decoder *decoder)
{
    if (!decoder->reader)
        return;
    OTF2_Reader_CloseEvtReader(trace->reader, decoder->reader);
    decoder->reader = NULL;
    n_event_files--;
}

// Ends a location whose next event lies later than any run takes.
static void end_late(struct trace *trace, size_t location)
{
    struct decoder *decoder = &trace->decoders[location];
    unsigned long long id = trace->resolved.definitions.locations[location].id;
    decoder->report.is_cut = true;
    set_reason(decoder,
               "its event file (%llu.evt) has a time stamp further from the start of the run "
               "than any run lasts",
               id);
    close_events(trace, decoder);
}

// Notes why a location ends here, when it is not just the end of its file, and closes the file.
static void end_reading(struct trace *trace, size_t location, OTF2_ErrorCode code)
{
    struct decoder *decoder = &trace->decoders[location];
    if (code != OTF2_SUCCESS) {
        unsigned long long id = trace->resolved.definitions.locations[location].id;
        decoder->report.is_cut = true;
        set_reason(decoder, "cannot read its event file (%llu.evt) after event %llu: %s", id,
                   (unsigned long long)decoder->report.n_read, otf2_error_cause(code));
    }
    close_events(trace, decoder);
}

// Reads N_WANTED records. *IS_LAST: there are fewer, as its file holds no more, or OTF2 found less
// than we did.
static OTF2_ErrorCode read_records(struct trace *trace, size_t location, uint64_t n_wanted,
                                   bool *is_last)
{
    struct decoder *decoder = &trace->decoders[location];
    uint64_t n_read = 0, n_safe = look_ahead(trace, location, n_wanted);
    OTF2_ErrorCode code =
        OTF2_Reader_ReadLocalEvents(trace->reader, decoder->reader, n_safe, &n_read);
    decoder->report.n_read += n_read;
    *is_last = n_read < n_wanted;
    if (code == OTF2_SUCCESS && *is_last && !decoder->walk.is_sound)
        code = OTF2_ERROR_INVALID_DATA;
    return code;
}

// Decodes at most N_WANTED records of a location to OUTPUT, and one more after a CPU time, which
// may belong to it; a record makes one event at most. Returns the number of events; *AT_END: there
// are no more.
static uint32_t decode_to(struct trace *trace, size_t location, struct event *output,
                          size_t n_wanted, bool *at_end)
{
    struct decoder *decoder = &trace->decoders[location];
    *at_end = !decoder->reader;
    if (*at_end)
        return 0;
    otf2_error_begin();
    decoder->output = output;
    decoder->n_output = 0;
    bool is_last;
    OTF2_ErrorCode code = read_records(trace, location, n_wanted, &is_last);
    if (code == OTF2_SUCCESS && !is_last && decoder->n_output > 0 &&
        output[decoder->n_output - 1].kind == EVENT_CPU_TIME)
        code = read_records(trace, location, 1, &is_last);
    *at_end = code != OTF2_SUCCESS || is_last;
    if (*at_end)
        end_reading(trace, location, code);
    if (decoder->n_in_time != UINT32_MAX) {
        *at_end = true;
        end_late(trace, location);
        decoder->n_output = decoder->n_in_time;
    }
    return decoder->n_output;
}

// Moves the unread events to the front and makes room for N_MORE after them.
static void make_room(struct decoder *decoder, size_t n_more)
{
    struct cursor *cursor = &decoder->cursor;
    uint32_t n_unread = cursor->end - cursor->position;
    if (n_unread && cursor->position)
        memmove(cursor->events, cursor->events + cursor->position,
                n_unread * sizeof *cursor->events);
    cursor->position = 0;
    cursor->end = n_unread;
    cursor->events = array_reserve(cursor->events, &decoder->capacity, n_unread + n_more,
                                   sizeof *cursor->events);
}

// A location with few events is read at once, and its file closed: in memory they take less than
// the library holds for an open file, a chunk.
static void read_if_short(struct trace *trace, size_t location)
{
    struct decoder *decoder = &trace->decoders[location];
    struct cursor *cursor = &decoder->cursor;
    const struct event_walk *walk = &decoder->walk;
    if (!walk->is_done || walk->n_events > BATCH_EVENTS)
        return;
    make_room(decoder, walk->n_events + 2);
    cursor->end = decode_to(trace, location, cursor->events, walk->n_events + 1, &cursor->at_end);
}

static void open_location(struct trace *trace, size_t location)
{
    struct decoder *decoder = &trace->decoders[location];
    const struct location *definition = &trace->resolved.definitions.locations[location];
    if (!definition->is_defined) {
        decoder->report.is_skipped = true;
        set_reason(decoder, "the group of MPI locations names it, but it is not defined%s",
                   id_table_get(&trace->records.locations.by_id, definition->id) == UINT32_MAX
                       ? ""
                       : " as a location of its own");
    }
    if (decoder->report.is_skipped)
        return;
    otf2_error_begin();
    bool is_empty = look_ahead(trace, location, 1) == 0;
    bool is_damaged = is_empty && !decoder->walk.is_sound;
    OTF2_ErrorCode code = is_damaged ? OTF2_ERROR_INVALID_DATA : OTF2_ERROR_FILE_CAN_NOT_OPEN;
    if (!is_damaged)
        decoder->reader = OTF2_Reader_GetEvtReader(trace->reader, definition->id);
    if (decoder->reader) {
        n_event_files++;
        code = OTF2_Reader_RegisterEvtCallbacks(trace->reader, decoder->reader, trace->callbacks,
                                                decoder);
    }
    if (code == OTF2_SUCCESS) {
        read_if_short(trace, location);
        return;
    }
    close_events(trace, decoder);
    decoder->report.is_skipped = true;
    set_reason(decoder, "cannot read its event file (%llu.evt): %s",
               (unsigned long long)definition->id, otf2_error_cause(code));
}

// Skips locations without any of the events promised for them. Some writers promise what they like:
// where a location has more, no promise of that archive is believed.
static void check_promises(struct trace *trace)
{
    const struct location *locations = trace->resolved.definitions.locations;
    for (size_t i = 0; i < trace->n_decoders; i++)
        if (!trace->decoders[i].report.is_skipped &&
            trace->decoders[i].walk.n_events > locations[i].n_events)
            return;
    for (size_t i = 0; i < trace->n_decoders; i++) {
        struct decoder *decoder = &trace->decoders[i];
        if (decoder->report.is_skipped || decoder->walk.n_events > 0 || locations[i].n_events == 0)
            continue;
        close_events(trace, decoder);
        decoder->report.is_skipped = true;
        set_reason(decoder, "its event file (%llu.evt) holds none of the %llu events promised",
                   (unsigned long long)locations[i].id, (unsigned long long)locations[i].n_events);
    }
}

static size_t n_unused_kinds(const struct trace *trace)
{
    return trace->records.metrics.n + trace->records.parameters.n;
}

static int open_locations(struct trace *trace, struct error *err)
{
    const struct definitions *definitions = &trace->resolved.definitions;
    trace->n_decoders = definitions->n_locations;
    trace->n_batch_events = MAX_CACHED_EVENTS / (trace->n_decoders + 1);
    if (trace->n_batch_events > BATCH_EVENTS)
        trace->n_batch_events = BATCH_EVENTS;
    if (trace->n_batch_events < MIN_BATCH_EVENTS)
        trace->n_batch_events = MIN_BATCH_EVENTS;
    trace->decoders = memory_zeroed(trace->n_decoders, sizeof *trace->decoders);
    for (size_t i = 0; i < trace->n_decoders; i++) {
        trace->decoders[i].clock = &trace->clock;
        trace->decoders[i].end_ticks = INT64_MAX;
        decoder_begin(&trace->decoders[i]);
        trace->decoders[i].records = &trace->records;
        trace->decoders[i].resolved = &trace->resolved;
        trace->decoders[i].n_unused =
            memory_zeroed(n_unused_kinds(trace), sizeof *trace->decoders[i].n_unused);
        trace->decoders[i].report.n_unused = trace->decoders[i].n_unused;
        if (definitions->locations[i].is_defined)
            OTF2_Reader_SelectLocation(trace->reader, definitions->locations[i].id);
    }
    if (OTF2_Reader_OpenDefFiles(trace->reader) == OTF2_SUCCESS) {
        for (size_t i = 0; i < trace->n_decoders; i++)
            read_local_definitions(trace, i);
        OTF2_Reader_CloseDefFiles(trace->reader);
    }
    otf2_error_begin();
    OTF2_ErrorCode code = OTF2_Reader_OpenEvtFiles(trace->reader);
    if (code != OTF2_SUCCESS)
        return error_set(err, "cannot open the event files of '%s': %s", trace->path,
                         otf2_error_cause(code));
    trace->callbacks = decode_callbacks(&trace->resolved);
    if (!trace->callbacks)
        return error_set(err, "out of memory for the event callbacks of '%s'", trace->path);
    for (size_t i = 0; i < trace->n_decoders; i++) {
        if (allow_event_file(trace, err) != 0)
            return -1;
        open_location(trace, i);
    }
    check_promises(trace);
    return 0;
}

static void rebase_event(const struct clock *clock, uint64_t max_ticks, struct event *event)
{
    event->time_ns = clock_time_ns(clock, event->time_ns);
    if (event->kind == EVENT_BUFFER_FLUSH)
        event->size_bytes =
            clock_duration_ns(clock, event->size_bytes < max_ticks ? event->size_bytes : max_ticks);
}

static uint64_t max_run_ticks(const struct trace *trace)
{
    unsigned __int128 ticks = (unsigned __int128)clock_max_run_ns(trace->n_decoders) *
                              trace->records.ticks_per_second / UINT64_C(1000000000);
    return ticks < INT64_MAX ? (uint64_t)ticks : INT64_MAX;
}

static void rebase_ends(struct definitions *definitions, const struct clock *clock,
                        uint64_t max_ticks)
{
    for (size_t i = 0; i < definitions->n_locations; i++) {
        struct location *location = &definitions->locations[i];
        int64_t ticks = (int64_t)(location->recorded_until_ns - clock->origin_ticks);
        if (location->is_cut_short)
            location->recorded_until_ns =
                ticks > 0 ? clock_duration_ns(clock, (uint64_t)ticks < max_ticks ? (uint64_t)ticks
                                                                                 : max_ticks)
                          : 0;
    }
}

// Turns the ticks of the first batches into times since the first event of all.
static void rebase_times(struct trace *trace)
{
    int64_t first_ticks = INT64_MAX;
    for (size_t i = 0; i < trace->n_decoders; i++) {
        trace_fill(trace, i, 1);
        const struct cursor *cursor = &trace->decoders[i].cursor;
        if (cursor->end && (int64_t)cursor->events[0].time_ns < first_ticks)
            first_ticks = (int64_t)cursor->events[0].time_ns;
    }
    uint64_t origin_ticks = (uint64_t)first_ticks;
    trace->clock = clock_of(trace->records.ticks_per_second, origin_ticks);
    uint64_t max_ticks = max_run_ticks(trace);
    for (size_t i = 0; i < trace->n_decoders; i++) {
        struct cursor *cursor = &trace->decoders[i].cursor;
        trace->decoders[i].end_ticks = max_ticks < (uint64_t)INT64_MAX - origin_ticks
                                           ? (int64_t)(origin_ticks + max_ticks)
                                           : INT64_MAX;
        for (uint32_t e = 0; e < cursor->end; e++)
            if (cursor->events[e].time_ns - origin_ticks > max_ticks) {
                end_late(trace, i);
                cursor->end = e;
                cursor->at_end = true;
            } else {
                rebase_event(&trace->clock, max_ticks, &cursor->events[e]);
            }
        if (trace->decoders[i].in_polls) // which continue in the second batch
            trace->decoders[i].polls_end_ns =
                clock_time_ns(&trace->clock, trace->decoders[i].polls_end_ns);
    }
    rebase_ends(&trace->resolved.definitions, &trace->clock, max_ticks);
    uint64_t start_ns = trace->records.realtime_ns;
    if (start_ns && first_ticks != INT64_MAX && origin_ticks > trace->records.global_offset)
        start_ns += clock_duration_ns(&trace->clock, origin_ticks - trace->records.global_offset);
    trace->resolved.definitions.realtime_ns = start_ns;
    trace->has_origin = true;
}

struct trace *trace_open(const char *path, struct error *err)
{
    struct trace *trace = memory_zeroed(1, sizeof *trace);
    pthread_mutex_init(&trace->lock, NULL);
    records_init(&trace->records);
    trace->clock = clock_of(UINT64_C(1000000000), 0); // raw ticks for rebase_times()
    trace->path = anchor_find(path, err);
    if (!trace->path || open_archive(trace, err) != 0)
        goto failed;
    read_chunk_sizes(trace);
    if (read_definitions(trace, err) != 0)
        goto failed;
    resolve_records(&trace->resolved, &trace->records);
    read_properties(trace);
    if (trace->resolved.definitions.n_locations == 0) {
        error_set(err, "'%s' defines no location, so there are no events in it", trace->path);
        goto failed;
    }
    if (open_locations(trace, err) != 0)
        goto failed;
    rebase_times(trace);
    return trace;
failed:
    trace_close(trace);
    return NULL;
}

// Ends the reading, wherever it is.
static void stop_reading(struct trace *trace)
{
    decode_ahead_stop(trace->ahead);
    trace->ahead = NULL;
    trace->has_tried_ahead = false;
    otf2_error_begin();
    for (size_t i = 0; i < trace->n_decoders; i++)
        close_events(trace, &trace->decoders[i]);
}

void trace_close(struct trace *trace)
{
    if (!trace)
        return;
    while (trace->spares) {
        struct trace *spare = trace->spares;
        trace->spares = spare->next_spare;
        trace_close(spare);
    }
    stop_reading(trace);
    if (trace->reader)
        OTF2_Reader_Close(trace->reader);
    OTF2_EvtReaderCallbacks_Delete(trace->callbacks);
    for (size_t i = 0; i < trace->n_decoders; i++) {
        free(trace->decoders[i].cursor.events);
        free(trace->decoders[i].reason);
        free(trace->decoders[i].n_unused);
    }
    free(trace->decoders);
    struct definitions *definitions = &trace->resolved.definitions;
    for (size_t i = 0; i < definitions->n_properties; i++) {
        free((char *)definitions->properties[i].name);
        free((char *)definitions->properties[i].value);
    }
    free(definitions->properties);
    resolved_release(&trace->resolved);
    records_release(&trace->records);
    free(trace->chunk.bytes);
    free(trace->creator);
    free(trace->description);
    free(trace->path);
    pthread_mutex_destroy(&trace->lock);
    free(trace);
}

// Puts all locations to their begin. The library keeps the clock and the mapping tables of each
// location; event readers are made anew, since seeking in files of several chunks is
// not safe in all its versions. 0, or -1 and ERR if a location cannot be read that could be before.
static int rewind_trace(struct trace *trace, struct error *err)
{
    for (size_t i = 0; i < trace->n_decoders; i++) {
        struct decoder *decoder = &trace->decoders[i];
        decoder->cursor.position = decoder->cursor.end = 0;
        decoder->cursor.at_end = false;
        if (decoder->report.is_skipped)
            continue;
        decoder->report = (struct location_report){
            .lacks_definitions = decoder->report.lacks_definitions,
            .n_unused = decoder->n_unused,
        };
        memset(decoder->n_unused, 0, n_unused_kinds(trace) * sizeof *decoder->n_unused);
        free(decoder->reason);
        decoder->reason = NULL;
        decoder_begin(decoder);
        if (allow_event_file(trace, err) != 0)
            return -1;
        open_location(trace, i);
        if (decoder->report.is_skipped) {
            decoder->report.is_skipped = false; // perhaps not for long
            return error_set(err, "'%s': %s", trace->path, decoder->reason);
        }
    }
    return 0;
}

struct trace *trace_again(struct trace *first, struct error *err)
{
    pthread_mutex_lock(&first->lock);
    struct trace *again = first->is_lent ? first->spares : first;
    if (again == first)
        first->is_lent = true;
    else if (again)
        first->spares = again->next_spare;
    pthread_mutex_unlock(&first->lock);
    if (!again)
        return trace_open(first->path, err);
    stop_reading(again);
    if (rewind_trace(again, err) == 0)
        return again;
    trace_give_back(first, again);
    return NULL;
}

void trace_give_back(struct trace *first, struct trace *again)
{
    if (!again)
        return;
    stop_reading(again);
    pthread_mutex_lock(&first->lock);
    if (again == first) {
        first->is_lent = false;
    } else {
        again->next_spare = first->spares;
        first->spares = again;
    }
    pthread_mutex_unlock(&first->lock);
}

const struct definitions *trace_definitions(const struct trace *trace)
{
    return &trace->resolved.definitions;
}

struct trace_source trace_source(const struct trace *trace)
{
    return (struct trace_source){&trace->records, &trace->resolved, &trace->clock};
}

const char *trace_path(const struct trace *trace)
{
    return trace->path;
}

struct cursor *trace_cursor(struct trace *trace, size_t location)
{
    return &trace->decoders[location].cursor;
}

const struct location_report *trace_location_report(const struct trace *trace, size_t location)
{
    return &trace->decoders[location].report;
}

static void decode_batch_of(void *context, size_t location, struct batch *batch)
{
    struct trace *trace = context;
    size_t n_wanted = AHEAD_BATCHES * trace->n_batch_events;
    batch->events = array_reserve(batch->events, &batch->capacity, BATCH_HEADROOM + n_wanted + 1,
                                  sizeof *batch->events);
    batch->n = decode_to(trace, location, batch->events + BATCH_HEADROOM, n_wanted, &batch->at_end);
}

// Puts a batch after the unread events: the buffers change places when these fit before it.
static void take_batch(struct decoder *decoder, struct batch *batch)
{
    struct cursor *cursor = &decoder->cursor;
    uint32_t n_unread = cursor->end - cursor->position;
    cursor->at_end = batch->at_end;
    if (n_unread > BATCH_HEADROOM) {
        make_room(decoder, batch->n);
        memcpy(cursor->events + cursor->end, batch->events + BATCH_HEADROOM,
               batch->n * sizeof *cursor->events);
        cursor->end += batch->n;
        return;
    }
    struct event *front = batch->events + BATCH_HEADROOM - n_unread;
    if (n_unread)
        memcpy(front, cursor->events + cursor->position, n_unread * sizeof *front);
    struct event *old_events = cursor->events;
    size_t old_capacity = decoder->capacity;
    *cursor = (struct cursor){.events = batch->events,
                              .position = BATCH_HEADROOM - n_unread,
                              .end = BATCH_HEADROOM + batch->n,
                              .at_end = batch->at_end};
    decoder->capacity = batch->capacity;
    batch->events = old_events;
    batch->capacity = old_capacity;
}

void trace_fill(struct trace *trace, size_t location, uint32_t min_ahead)
{
    struct decoder *decoder = &trace->decoders[location];
    struct cursor *cursor = &decoder->cursor;
    if (trace->has_origin && !trace->has_tried_ahead) {
        trace->has_tried_ahead = true;
        trace->ahead = decode_ahead_start(trace->n_decoders, decode_batch_of, trace);
    }
    while (cursor->end - cursor->position < min_ahead && !cursor->at_end) {
        if (trace->ahead) {
            take_batch(decoder, decode_ahead_wait(trace->ahead, location));
            if (!cursor->at_end)
                decode_ahead_request(trace->ahead, location);
        } else {
            make_room(decoder, trace->n_batch_events + 1);
            cursor->end += decode_to(trace, location, cursor->events + cursor->end,
                                     decoder->capacity - cursor->end - 1, &cursor->at_end);
        }
    }
}

// --- what no replay uses: a record of a metric has a value for each member of its class

// Records of the kind PLACE of location_report.n_unused.
static uint64_t n_records_of(const struct trace *trace, size_t place)
{
    uint64_t n = 0;
    for (size_t i = 0; i < trace->n_decoders; i++)
        n += trace->decoders[i].n_unused[place];
    return n;
}

// Adds the values of one metric to those of its counters; COUNTERS are by metric member.
static void add_metric(const struct trace *trace, const struct records *records, size_t metric,
                       struct unused *counters)
{
    const struct metric_record *class_ = records_metric_class(records, metric);
    uint64_t n_records = class_ ? n_records_of(trace, metric) : 0;
    for (uint32_t i = 0; n_records > 0 && i < class_->n_members; i++) {
        uint32_t member = id_table_get(&records->metric_members.by_id, class_->members[i]);
        if (member != UINT32_MAX)
            counters[member].n_values += n_records;
    }
}

size_t trace_unused(const struct trace *trace, struct unused **list)
{
    const struct records *records = &trace->records;
    size_t n_counters = records->metric_members.n, n_all = n_counters + records->parameters.n;
    struct unused *all = memory_zeroed(n_all, sizeof *all);
    for (size_t i = 0; i < records->metrics.n; i++)
        add_metric(trace, records, i, all);
    for (size_t i = 0; i < n_counters; i++)
        all[i].name = records_text(records, records->metric_members.items[i].name);
    for (size_t i = 0; i < records->parameters.n; i++)
        all[n_counters + i] =
            (struct unused){.name = records_text(records, records->parameters.items[i].name),
                            .is_parameter = true,
                            .n_values = n_records_of(trace, records->metrics.n + i)};
    size_t n = 0;
    for (size_t i = 0; i < n_all; i++)
        if (all[i].n_values > 0 && (all[i].is_parameter || strcmp(all[i].name, METRIC_CPU_TIME)))
            all[n++] = all[i];
    *list = all;
    return n;
}
