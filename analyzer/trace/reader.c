// SPDX-License-Identifier: BSD-3-Clause
// Opens an archive and fills the cursors of its locations (see reader.h). The OTF2 library reads
// the definitions; event_file.c reads the events, into the cursor's buffer. The library reads
// those, too, where event_file.c cannot. While the first batches are read the origin of time is not
// known yet: they hold raw ticks until rebase_times().
#include "analyzer/trace/reader.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/archive.h"
#include "analyzer/trace/chunk_file.h"
#include "analyzer/trace/clock.h"
#include "analyzer/trace/decode.h"
#include "analyzer/trace/decode_ahead.h"
#include "analyzer/trace/event_file.h"
#include "analyzer/trace/local_definitions.h"
#include "analyzer/trace/otf2_records.h"
#include "analyzer/trace/records.h"
#include "analyzer/trace/resolve.h"

enum {
    BATCH_EVENTS = 512,       // 24 KiB: stays in the first-level cache
    MIN_BATCH_EVENTS = 64,    // of many locations, which share the second-level cache:
    MAX_CACHED_EVENTS = 8192, // decoded events of all of them, 384 KiB
    AHEAD_BATCHES = 4,        // so many at once in the second thread: fewer hand-overs
    WINDOW_BYTES = 32 * 1024, // of an event file, in memory at once
    MIN_WINDOW_BYTES = 8 * 1024,
    MAX_CACHED_BYTES = 1024 * 1024, // of all locations
};

// Chunk sizes of the archive's files; both 0 when its files are compressed and cannot be looked
// into.
struct chunk_bytes {
    uint64_t events, definitions;
};

// Reads one location.
struct location_reader {
    struct decoder decoder;
    struct local_definitions local;
    struct event_file file;      // not open: the library reads
    OTF2_EvtReader *otf2_reader; // NULL: nothing (more) to read
    struct cursor cursor;        // what the engine reads
    size_t capacity;             // events the cursor's buffer can hold
    struct trace_place first;    // the begin of its events
    struct batch_begins begins;  // of a trace that keeps places
    uint64_t n_first_chunk;      // records that the first chunk holds, as it says
    char *reason;                // owned text of decoder.report.reason
};

struct trace {
    char *path;
    OTF2_Reader *otf2_reader;
    struct chunk_bytes chunk_bytes;
    struct records records;
    struct resolved resolved;
    struct clock clock;
    struct location_reader *readers; // by location index
    size_t n_readers;
    struct decode_ahead *ahead; // NULL: decoding happens in place
    size_t n_batch_events;      // decoded at once in place
    size_t window_bytes;
    bool has_origin; // times are final: decoding ahead may begin
    bool has_tried_ahead;
    bool keeps_places;
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
    trace->otf2_reader = otf2_open(trace->path);
    if (!trace->otf2_reader)
        return error_set(err, "'%s' is no OTF2 archive: %s", trace->path,
                         otf2_error_cause(OTF2_ERROR_INVALID_ARGUMENT));
    OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(trace->otf2_reader);
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
    OTF2_Reader_GetChunkSize(trace->otf2_reader, &chunks.events, &chunks.definitions);
    OTF2_Reader_GetCompression(trace->otf2_reader, &compression);
    if (compression == OTF2_COMPRESSION_NONE)
        trace->chunk_bytes = chunks;
}

static bool definitions_are_sound(const struct trace *trace, const char *path)
{
    uint64_t chunk_bytes = trace->chunk_bytes.definitions;
    return chunk_bytes == 0 || chunk_file_holds_definitions(path, chunk_bytes);
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
        reader = OTF2_Reader_GetGlobalDefReader(trace->otf2_reader);
    if (reader)
        code = records_register(&trace->records, trace->otf2_reader, reader);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllGlobalDefinitions(trace->otf2_reader, reader, &n_read);
    if (code != OTF2_SUCCESS)
        error_set(err, "cannot read the global definitions '%s' after the first %llu: %s", path,
                  (unsigned long long)n_read, otf2_error_cause(code));
    free(path);
    if (code != OTF2_SUCCESS)
        return -1;
    OTF2_Reader_CloseGlobalDefReader(trace->otf2_reader, reader);
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
    OTF2_Reader_GetCreator(trace->otf2_reader, &trace->creator);
    OTF2_Reader_GetDescription(trace->otf2_reader, &trace->description);
    definitions->creator = trace->creator ? trace->creator : "";
    definitions->description = trace->description ? trace->description : "";
    uint32_t n_names = 0;
    char **names = NULL;
    if (OTF2_Reader_GetPropertyNames(trace->otf2_reader, &n_names, &names) != OTF2_SUCCESS)
        return;
    definitions->properties = memory_zeroed(n_names, sizeof *definitions->properties);
    for (uint32_t i = 0; i < n_names; i++) {
        char *value = NULL;
        if (OTF2_Reader_GetProperty(trace->otf2_reader, names[i], &value) != OTF2_SUCCESS)
            continue;
        struct property *property = &definitions->properties[definitions->n_properties++];
        *property = (struct property){.name = memory_copy_text(names[i]), .value = value};
        if (strcmp(property->name, "PAGODA::SPAWNED_RANKS") == 0) // what our tracer says
            definitions->n_spawned_ranks = strtoul(value, NULL, 10);
    }
    free(names);
}

__attribute__((format(printf, 2, 3))) static void set_reason(struct location_reader *reader,
                                                             const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    free(reader->reason);
    reader->reason = memory_copy_text(text);
    reader->decoder.report.reason = reader->reason;
}

// Reads the clock offsets and mapping tables of one location.
static void read_local_definitions(struct trace *trace, size_t location)
{
    struct location_reader *reader = &trace->readers[location];
    const struct location *definition = &trace->resolved.definitions.locations[location];
    unsigned long long id = definition->id;
    if (!definition->is_defined)
        return;
    char *path = file_path(trace, "/%llu.def", id);
    bool is_sound = definitions_are_sound(trace, path);
    free(path);
    if (!is_sound) {
        reader->decoder.report.is_skipped = true;
        set_reason(reader, "its definition file (%llu.def) is damaged, or it ends too early", id);
        return;
    }
    otf2_error_begin();
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(trace->otf2_reader, definition->id);
    if (!definitions) {
        reader->decoder.report.lacks_definitions = true;
        return;
    }
    OTF2_ErrorCode code = local_definitions_read(&reader->local, trace->otf2_reader, definitions);
    if (code != OTF2_SUCCESS) {
        reader->decoder.report.is_skipped = true;
        set_reason(reader, "cannot read its definition file (%llu.def): %s", id,
                   otf2_error_cause(code));
    }
    OTF2_Reader_CloseDefReader(trace->otf2_reader, definitions);
}

static bool has_events_open(const struct location_reader *reader)
{
    return event_file_is_open(&reader->file) || reader->otf2_reader;
}

static void close_events(struct trace *trace, struct location_reader *reader)
{
    event_file_close(&reader->file);
    if (reader->otf2_reader)
        OTF2_Reader_CloseEvtReader(trace->otf2_reader, reader->otf2_reader);
    reader->otf2_reader = NULL;
}

// Opens the event file of a location: OTF2_SUCCESS, or why it cannot be read.
static OTF2_ErrorCode open_events(struct trace *trace, size_t location)
{
    struct location_reader *reader = &trace->readers[location];
    unsigned long long id = trace->resolved.definitions.locations[location].id;
    bool is_open = false;
    if (trace->chunk_bytes.events > 0) {
        char *path = file_path(trace, "/%llu.evt", id);
        is_open =
            event_file_open(&reader->file, path, trace->chunk_bytes.events, trace->window_bytes);
        free(path);
    }
    reader->n_first_chunk = is_open ? reader->file.chunks.last_record : UINT64_MAX;
    if (is_open)
        return OTF2_SUCCESS;
    otf2_error_begin();
    reader->otf2_reader = OTF2_Reader_GetEvtReader(trace->otf2_reader, id);
    if (!reader->otf2_reader)
        return OTF2_ERROR_FILE_CAN_NOT_OPEN;
    return OTF2_Reader_RegisterEvtCallbacks(trace->otf2_reader, reader->otf2_reader,
                                            trace->callbacks, &reader->decoder);
}

// Ends a location whose next event lies later than any run takes.
static void end_late(struct trace *trace, size_t location)
{
    struct location_reader *reader = &trace->readers[location];
    unsigned long long id = trace->resolved.definitions.locations[location].id;
    reader->decoder.report.is_cut = true;
    set_reason(reader,
               "its event file (%llu.evt) has a time stamp further from the start of the run "
               "than any run lasts",
               id);
    close_events(trace, reader);
}

// Notes why a location ends here, when it is not just the end of its file, and closes the file.
static void end_reading(struct trace *trace, size_t location, OTF2_ErrorCode code)
{
    struct location_reader *reader = &trace->readers[location];
    if (code != OTF2_SUCCESS) {
        unsigned long long id = trace->resolved.definitions.locations[location].id;
        reader->decoder.report.is_cut = true;
        set_reason(reader, "cannot read its event file (%llu.evt) after event %llu: %s", id,
                   (unsigned long long)reader->decoder.report.n_read, otf2_error_cause(code));
    }
    close_events(trace, reader);
}

// Reads N_WANTED records. *IS_LAST: there are fewer.
static OTF2_ErrorCode read_records(struct trace *trace, size_t location, uint64_t n_wanted,
                                   bool *is_last)
{
    struct location_reader *reader = &trace->readers[location];
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint64_t n_read = 0;
    if (reader->otf2_reader) {
        code =
            OTF2_Reader_ReadLocalEvents(trace->otf2_reader, reader->otf2_reader, n_wanted, &n_read);
    } else {
        n_read = event_file_read(&reader->file, &reader->decoder, &reader->local, n_wanted);
        if (reader->file.state == EVENT_FILE_DAMAGED)
            code = OTF2_ERROR_INVALID_DATA;
    }
    reader->decoder.report.n_read += n_read;
    *is_last = n_read < n_wanted;
    return code;
}

// Decodes at most N_WANTED records of a location to OUTPUT, and one more after a CPU time, which
// may belong to it; a record makes one event at most. Returns the number of events; *AT_END: there
// are no more.
static uint32_t decode_to(struct trace *trace, size_t location, struct event *output,
                          size_t n_wanted, bool *at_end)
{
    struct location_reader *reader = &trace->readers[location];
    struct decoder *decoder = &reader->decoder;
    *at_end = !has_events_open(reader);
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
static void make_room(struct location_reader *reader, size_t n_more)
{
    struct cursor *cursor = &reader->cursor;
    uint32_t n_unread = cursor->end - cursor->position;
    if (n_unread && cursor->position)
        memmove(cursor->events, cursor->events + cursor->position,
                n_unread * sizeof *cursor->events);
    cursor->position = 0;
    cursor->end = n_unread;
    cursor->events =
        array_reserve(cursor->events, &reader->capacity, n_unread + n_more, sizeof *cursor->events);
}

// Where the next batch of READER begins.
static struct trace_place next_begin(const struct location_reader *reader)
{
    const struct decoder *decoder = &reader->decoder;
    struct trace_place place = {0};
    if (event_file_is_open(&reader->file))
        place = event_file_place(&reader->file);
    place.last_ticks = decoder->last_ticks;
    place.in_polls = decoder->in_polls;
    place.polls_end_ns = decoder->polls_end_ns;
    return place;
}

// Decodes the next batch after the unread events.
static void read_batch(struct trace *trace, size_t location)
{
    struct location_reader *reader = &trace->readers[location];
    struct cursor *cursor = &reader->cursor;
    make_room(reader, trace->n_batch_events + 1);
    struct trace_place begin = next_begin(reader);
    uint32_t n_unread = cursor->end;
    cursor->end += decode_to(trace, location, cursor->events + cursor->end,
                             reader->capacity - cursor->end - 1, &cursor->at_end);
    if (trace->keeps_places)
        batch_begins_add(&reader->begins, &begin, n_unread, cursor->end - n_unread);
}

// Opens a location's events and reads the first batch.
static void open_location(struct trace *trace, size_t location)
{
    struct location_reader *reader = &trace->readers[location];
    struct location_report *report = &reader->decoder.report;
    const struct location *definition = &trace->resolved.definitions.locations[location];
    if (!definition->is_defined) {
        report->is_skipped = true;
        set_reason(reader, "the group of MPI locations names it, but it is not defined%s",
                   id_table_get(&trace->records.locations.by_id, definition->id) == UINT32_MAX
                       ? ""
                       : " as a location of its own");
    }
    if (report->is_skipped)
        return;
    OTF2_ErrorCode code = open_events(trace, location);
    reader->first = next_begin(reader);
    if (code == OTF2_SUCCESS)
        read_batch(trace, location);
    if (code == OTF2_SUCCESS && report->is_cut && report->n_read == 0)
        code = OTF2_ERROR_INVALID_DATA;
    if (code == OTF2_SUCCESS)
        return;
    close_events(trace, reader);
    report->is_cut = false;
    report->is_skipped = true;
    set_reason(reader, "cannot read its event file (%llu.evt): %s",
               (unsigned long long)definition->id, otf2_error_cause(code));
}

// Skips locations without any of the events promised for them. Some writers promise what they like:
// where a location has more, no promise of that archive is believed.
static void check_promises(struct trace *trace)
{
    const struct location *locations = trace->resolved.definitions.locations;
    for (size_t i = 0; i < trace->n_readers; i++)
        if (!trace->readers[i].decoder.report.is_skipped &&
            !trace->readers[i].decoder.report.is_cut &&
            trace->readers[i].n_first_chunk > locations[i].n_events)
            return;
    for (size_t i = 0; i < trace->n_readers; i++) {
        struct location_reader *reader = &trace->readers[i];
        struct location_report *report = &reader->decoder.report;
        if (report->is_skipped || report->n_read > 0 || locations[i].n_events == 0)
            continue;
        report->is_skipped = true;
        set_reason(reader, "its event file (%llu.evt) holds none of the %llu events promised",
                   (unsigned long long)locations[i].id, (unsigned long long)locations[i].n_events);
    }
}

static size_t n_unused_kinds(const struct trace *trace)
{
    return trace->records.metrics.n + trace->records.parameters.n;
}

// The share of each of N_LOCATIONS of AMOUNT, not below LEAST nor above MOST.
static size_t shared_out(size_t amount, size_t n_locations, size_t least, size_t most)
{
    size_t share = amount / n_locations;
    return share < least ? least : share > most ? most : share;
}

static int open_locations(struct trace *trace, struct error *err)
{
    const struct definitions *definitions = &trace->resolved.definitions;
    trace->n_readers = definitions->n_locations;
    trace->n_batch_events =
        shared_out(MAX_CACHED_EVENTS, trace->n_readers, MIN_BATCH_EVENTS, BATCH_EVENTS);
    trace->window_bytes =
        shared_out(MAX_CACHED_BYTES, trace->n_readers, MIN_WINDOW_BYTES, WINDOW_BYTES);
    trace->readers = memory_zeroed(trace->n_readers, sizeof *trace->readers);
    for (size_t i = 0; i < trace->n_readers; i++) {
        struct decoder *decoder = &trace->readers[i].decoder;
        decoder->clock = &trace->clock;
        decoder->end_ticks = INT64_MAX;
        decoder_begin(decoder);
        decoder->records = &trace->records;
        decoder->resolved = &trace->resolved;
        decoder->n_unused = memory_zeroed(n_unused_kinds(trace), sizeof *decoder->n_unused);
        decoder->report.n_unused = decoder->n_unused;
        if (definitions->locations[i].is_defined)
            OTF2_Reader_SelectLocation(trace->otf2_reader, definitions->locations[i].id);
    }
    if (OTF2_Reader_OpenDefFiles(trace->otf2_reader) == OTF2_SUCCESS) {
        for (size_t i = 0; i < trace->n_readers; i++)
            read_local_definitions(trace, i);
        OTF2_Reader_CloseDefFiles(trace->otf2_reader);
    }
    otf2_error_begin();
    OTF2_ErrorCode code = OTF2_Reader_OpenEvtFiles(trace->otf2_reader);
    if (code != OTF2_SUCCESS)
        return error_set(err, "cannot open the event files of '%s': %s", trace->path,
                         otf2_error_cause(code));
    trace->callbacks = otf2_records_callbacks();
    if (!trace->callbacks)
        return error_set(err, "out of memory for the event callbacks of '%s'", trace->path);
    for (size_t i = 0; i < trace->n_readers; i++)
        open_location(trace, i);
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
    unsigned __int128 ticks = (unsigned __int128)clock_max_run_ns(trace->n_readers) *
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
    for (size_t i = 0; i < trace->n_readers; i++) {
        trace_fill(trace, i, 1);
        const struct cursor *cursor = &trace->readers[i].cursor;
        if (cursor->end && (int64_t)cursor->events[0].time_ns < first_ticks)
            first_ticks = (int64_t)cursor->events[0].time_ns;
    }
    uint64_t origin_ticks = (uint64_t)first_ticks;
    trace->clock = clock_of(trace->records.ticks_per_second, origin_ticks);
    uint64_t max_ticks = max_run_ticks(trace);
    for (size_t i = 0; i < trace->n_readers; i++) {
        struct cursor *cursor = &trace->readers[i].cursor;
        trace->readers[i].decoder.end_ticks = max_ticks < (uint64_t)INT64_MAX - origin_ticks
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
        struct decoder *decoder = &trace->readers[i].decoder;
        if (decoder->in_polls) // which continue in the second batch
            decoder->polls_end_ns = clock_time_ns(&trace->clock, decoder->polls_end_ns);
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
    for (size_t i = 0; i < trace->n_readers; i++)
        close_events(trace, &trace->readers[i]);
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
    if (trace->otf2_reader)
        OTF2_Reader_Close(trace->otf2_reader);
    OTF2_EvtReaderCallbacks_Delete(trace->callbacks);
    for (size_t i = 0; i < trace->n_readers; i++) {
        free(trace->readers[i].cursor.events);
        free(trace->readers[i].begins.items);
        free(trace->readers[i].reason);
        free(trace->readers[i].decoder.n_unused);
        local_definitions_release(&trace->readers[i].local);
    }
    free(trace->readers);
    struct definitions *definitions = &trace->resolved.definitions;
    for (size_t i = 0; i < definitions->n_properties; i++) {
        free((char *)definitions->properties[i].name);
        free((char *)definitions->properties[i].value);
    }
    free(definitions->properties);
    resolved_release(&trace->resolved);
    records_release(&trace->records);
    free(trace->creator);
    free(trace->description);
    free(trace->path);
    pthread_mutex_destroy(&trace->lock);
    free(trace);
}

// Puts all locations to their begin. 0, or -1 and ERR if a location cannot be read that could be
// before. The library makes its event readers anew, since seeking in files of several chunks is not
// safe in all its versions.
static int rewind_trace(struct trace *trace, struct error *err)
{
    trace->keeps_places = false;
    for (size_t i = 0; i < trace->n_readers; i++) {
        struct location_reader *reader = &trace->readers[i];
        struct decoder *decoder = &reader->decoder;
        reader->cursor.position = reader->cursor.end = 0;
        reader->cursor.at_end = false;
        if (decoder->report.is_skipped)
            continue;
        decoder->report = (struct location_report){
            .lacks_definitions = decoder->report.lacks_definitions,
            .n_unused = decoder->n_unused,
        };
        memset(decoder->n_unused, 0, n_unused_kinds(trace) * sizeof *decoder->n_unused);
        free(reader->reason);
        reader->reason = NULL;
        decoder_begin(decoder);
        open_location(trace, i);
        if (decoder->report.is_skipped) {
            decoder->report.is_skipped = false; // perhaps not for long
            return error_set(err, "'%s': %s", trace->path, reader->reason);
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
    return &trace->readers[location].cursor;
}

const struct location_report *trace_location_report(const struct trace *trace, size_t location)
{
    return &trace->readers[location].decoder.report;
}

// --- places

bool trace_keep_places(struct trace *trace)
{
    for (size_t i = 0; i < trace->n_readers; i++) {
        struct location_reader *reader = &trace->readers[i];
        const struct cursor *cursor = &reader->cursor;
        if (reader->decoder.report.reason ||
            (!cursor->at_end && !event_file_is_open(&reader->file)))
            return false;
        reader->begins.n = 0;
        reader->begins.n_events = 0;
        batch_begins_add(&reader->begins, &reader->first, 0, cursor->end);
    }
    trace->keeps_places = true;
    return true;
}

struct trace_place trace_place(const struct trace *trace, size_t location)
{
    const struct location_reader *reader = &trace->readers[location];
    return batch_begins_find(&reader->begins, reader->cursor.end - reader->cursor.position);
}

void trace_go_to(struct trace *trace, size_t location, const struct trace_place *place)
{
    struct location_reader *reader = &trace->readers[location];
    struct decoder *decoder = &reader->decoder;
    struct cursor *cursor = &reader->cursor;
    cursor->position = cursor->end = 0;
    cursor->at_end = true;
    if (!event_file_is_open(&reader->file) && place->file_at > 0)
        open_events(trace, location);
    if (!event_file_is_open(&reader->file) || place->file_at == 0) { // nothing follows
        end_reading(trace, location, place->file_at ? OTF2_ERROR_FILE_CAN_NOT_OPEN : OTF2_SUCCESS);
        return;
    }
    cursor->at_end = false;
    event_file_go_to(&reader->file, place);
    decoder_begin(decoder);
    decoder->last_ticks = place->last_ticks;
    decoder->in_polls = place->in_polls;
    decoder->polls_end_ns = place->polls_end_ns;
    for (uint64_t n_left = place->n_skipped; n_left > 0 && !cursor->at_end;) {
        read_batch(trace, location);
        uint32_t n_unread = cursor->end - cursor->position;
        uint32_t n = n_left < n_unread ? (uint32_t)n_left : n_unread;
        cursor->position += n;
        n_left -= n;
    }
}

void trace_report_pass(struct trace *trace, size_t location, struct numbers *numbers)
{
    struct decoder *decoder = &trace->readers[location].decoder;
    struct location_report *report = &decoder->report;
    if (numbers->is_reading) { // the thread counts, too
        decode_ahead_stop(trace->ahead);
        trace->ahead = NULL;
    }
    report->n_read = numbers_pass(numbers, report->n_read);
    report->n_unknown = numbers_pass(numbers, report->n_unknown);
    report->n_bad_references = numbers_pass(numbers, report->n_bad_references);
    report->n_backward = numbers_pass(numbers, report->n_backward);
    for (size_t i = 0; i < n_unused_kinds(trace); i++)
        decoder->n_unused[i] = numbers_pass(numbers, decoder->n_unused[i]);
}

// --- decoding in a second thread

static void decode_batch_of(void *context, size_t location, struct batch *batch)
{
    struct trace *trace = context;
    size_t n_wanted = AHEAD_BATCHES * trace->n_batch_events;
    batch->begin = next_begin(&trace->readers[location]);
    batch->events = array_reserve(batch->events, &batch->capacity, BATCH_HEADROOM + n_wanted + 1,
                                  sizeof *batch->events);
    batch->n = decode_to(trace, location, batch->events + BATCH_HEADROOM, n_wanted, &batch->at_end);
}

// Notes where BATCH begins, which is about to be taken.
static void note_begin(struct location_reader *reader, const struct batch *batch)
{
    batch_begins_add(&reader->begins, &batch->begin, reader->cursor.end - reader->cursor.position,
                     batch->n);
}

// Puts a batch after the unread events: the buffers change places when these fit before it.
static void take_batch(struct location_reader *reader, struct batch *batch)
{
    struct cursor *cursor = &reader->cursor;
    uint32_t n_unread = cursor->end - cursor->position;
    cursor->at_end = batch->at_end;
    if (n_unread > BATCH_HEADROOM) {
        make_room(reader, batch->n);
        memcpy(cursor->events + cursor->end, batch->events + BATCH_HEADROOM,
               batch->n * sizeof *cursor->events);
        cursor->end += batch->n;
        return;
    }
    struct event *front = batch->events + BATCH_HEADROOM - n_unread;
    if (n_unread)
        memcpy(front, cursor->events + cursor->position, n_unread * sizeof *front);
    struct event *old_events = cursor->events;
    size_t old_capacity = reader->capacity;
    *cursor = (struct cursor){.events = batch->events,
                              .position = BATCH_HEADROOM - n_unread,
                              .end = BATCH_HEADROOM + batch->n,
                              .at_end = batch->at_end};
    reader->capacity = batch->capacity;
    batch->events = old_events;
    batch->capacity = old_capacity;
}

void trace_fill(struct trace *trace, size_t location, uint32_t min_ahead)
{
    struct location_reader *reader = &trace->readers[location];
    struct cursor *cursor = &reader->cursor;
    if (trace->has_origin && !trace->has_tried_ahead) {
        trace->has_tried_ahead = true;
        trace->ahead = decode_ahead_start(trace->n_readers, decode_batch_of, trace);
    }
    while (cursor->end - cursor->position < min_ahead && !cursor->at_end) {
        if (trace->ahead) {
            struct batch *batch = decode_ahead_wait(trace->ahead, location);
            if (trace->keeps_places)
                note_begin(reader, batch);
            take_batch(reader, batch);
            if (!cursor->at_end)
                decode_ahead_request(trace->ahead, location);
        } else {
            read_batch(trace, location);
        }
    }
}
