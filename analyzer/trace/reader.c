// SPDX-License-Identifier: BSD-3-Clause
// Opens an archive (see reader.h). The OTF2 library reads the definitions, cursor.c the
// events. While the first batches are read the origin of time is not known yet: they hold raw ticks
// until rebase_times().
#include "analyzer/trace/reader.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/spread/spread.h"
#include "analyzer/trace/ahead/decode_ahead.h"
#include "analyzer/trace/ahead/shared.h"
#include "analyzer/trace/archive.h"
#include "analyzer/trace/chunk_file.h"
#include "analyzer/trace/definitions/clock_correction.h"
#include "analyzer/trace/open_trace.h"
#include "analyzer/trace/otf2_records.h"

// The library insists on collective operations and locks even for one process; reading local files
// from one thread per location needs no lock, since nothing is shared once all are open.
static int open_archive(struct trace *trace, struct error *err)
{
    otf2_error_begin();
    trace->otf2_reader = otf2_open(trace->path);
    if (!trace->otf2_reader)
        return error_set(err, "'%s' is not an OTF2 archive: %s", trace->path,
                         otf2_error_cause(OTF2_ERROR_INVALID_ARGUMENT));
    OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(trace->otf2_reader);
    if (code != OTF2_SUCCESS)
        return error_set(err, "cannot use the archive '%s': %s", trace->path,
                         otf2_error_cause(code));
    return 0;
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
    return chunk_bytes == 0 || chunk_file_holds_definitions(path, chunk_bytes, NULL, NULL, NULL);
}

static int read_definitions(struct trace *trace, struct error *err)
{
    char *path = archive_file_path(trace->path, ".def");
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
    if (code != OTF2_SUCCESS && n_read > 0)
        error_set(err, "cannot read more than %llu of the global definitions in '%s': %s",
                  (unsigned long long)n_read, path, otf2_error_cause(code));
    else if (code != OTF2_SUCCESS)
        error_set(err, "cannot read the global definitions '%s': %s", path, otf2_error_cause(code));
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
    double length_ns =
        (double)trace->records.length_ticks / (double)trace->records.ticks_per_second * 1e9;
    definitions->length_ns = length_ns < 3e16 ? (uint64_t)length_ns : 0; // below a year
    OTF2_Reader_GetCreator(trace->otf2_reader, &trace->creator);
    OTF2_Reader_GetDescription(trace->otf2_reader, &trace->description);
    definitions->creator = trace->creator ? trace->creator : "";
    definitions->renames_tasks = strncmp(definitions->creator, "APEX", 4) == 0;
    definitions->description = trace->description ? trace->description : "";
    uint32_t n_names = 0;
    SCOPED char **names = NULL;
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
        definitions->is_merged |= strcmp(property->name, "PAGODA::WORLDS") == 0;
    }
}

// Reads the clock offsets and mapping tables of one location where they are compressed.
static void read_compressed_definitions(struct trace *trace, size_t location)
{
    struct location_reader *reader = &trace->readers[location];
    OTF2_LocationRef id = trace->resolved.definitions.locations[location].id;
    otf2_error_begin();
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(trace->otf2_reader, id);
    if (!definitions) {
        reader->decoder.report.lacks_definitions = true;
        return;
    }
    OTF2_ErrorCode code =
        local_definitions_read_by_library(&reader->local, trace->otf2_reader, definitions);
    if (code != OTF2_SUCCESS) {
        reader->decoder.report.is_skipped = true;
        location_set_reason(reader, "cannot read its definition file (%llu.def): %s",
                            (unsigned long long)id, otf2_error_cause(code));
    }
    OTF2_Reader_CloseDefReader(trace->otf2_reader, definitions);
}

// The same, compressed or not.
static void read_local_definitions(struct trace *trace, size_t location)
{
    struct location_reader *reader = &trace->readers[location];
    const struct location *definition = &trace->resolved.definitions.locations[location];
    unsigned long long id = definition->id;
    if (!definition->is_defined)
        return;
    if (trace->chunk_bytes.definitions == 0) {
        read_compressed_definitions(trace, location);
        return;
    }
    SCOPED char *path = archive_file_path(trace->path, "/%llu.def", id);
    if (access(path, R_OK) != 0) {
        reader->decoder.report.lacks_definitions = true;
    } else if (!local_definitions_read(&reader->local, path, trace->chunk_bytes.definitions,
                                       NULL)) {
        reader->decoder.report.is_skipped = true;
        location_set_reason(reader,
                            "its definition file (%llu.def) is damaged, or it ends too early", id);
    }
}

// Whether LOCATION has more events than promised for it. Some writers promise what they like: then
// no promise of that archive is believed.
static bool exceeds_promise(const struct trace *trace, size_t location)
{
    const struct location_reader *reader = &trace->readers[location];
    return !reader->decoder.report.is_skipped && !reader->decoder.report.is_cut &&
           reader->n_first_chunk > trace->resolved.definitions.locations[location].n_events;
}

// Skips locations without any of the events promised for them.
static void skip_broken_promises(struct trace *trace)
{
    const struct location *locations = trace->resolved.definitions.locations;
    for (size_t i = 0; i < trace->n_readers; i++) {
        struct location_reader *reader = &trace->readers[i];
        struct location_report *report = &reader->decoder.report;
        if (reader->is_remote || report->is_skipped || report->n_read > 0 ||
            locations[i].n_events == 0)
            continue;
        report->is_skipped = true;
        location_set_reason(
            reader, "its event file (%llu.evt) holds none of the %llu events promised",
            (unsigned long long)locations[i].id, (unsigned long long)locations[i].n_events);
    }
}

// Whether what the counters of a location grow by, and its file operations, belong to what a
// process does there.
static bool is_counted(const struct location *location)
{
    return location->is_cpu_thread && location->rank != EVENT_NO_INDEX;
}

static void read_all_local_definitions(struct trace *trace)
{
    bool is_compressed = trace->chunk_bytes.definitions == 0;
    if (is_compressed && OTF2_Reader_OpenDefFiles(trace->otf2_reader) != OTF2_SUCCESS)
        return;
    for (size_t i = 0; i < trace->n_readers; i++)
        if (!trace->readers[i].is_remote)
            read_local_definitions(trace, i);
    if (is_compressed)
        OTF2_Reader_CloseDefFiles(trace->otf2_reader);
}

// Makes ready what opens locations. IS_SHARED: some of them only, if spread.h has further
// processes. LIKE, an opening of the same archive, has the clock offsets; NULL: as recorded.
static int prepare_locations(struct trace *trace, bool is_shared, const struct trace *like,
                             struct error *err)
{
    const struct definitions *definitions = &trace->resolved.definitions;
    trace->n_readers = definitions->n_locations;
    location_share_memory(trace, trace->n_readers);
    trace->readers = memory_zeroed(trace->n_readers, sizeof *trace->readers);
    for (size_t i = 0; i < trace->n_readers; i++) {
        struct decoder *decoder = &trace->readers[i].decoder;
        decoder->clock = &trace->clock;
        decoder->end_ticks = INT64_MAX;
        decoder->records = &trace->records;
        decoder->resolved = &trace->resolved;
        if (definitions->n_counters > 0 && is_counted(&definitions->locations[i]))
            decoder->counts.last =
                memory_zeroed(definitions->n_counters, sizeof *decoder->counts.last);
        decoder->files.is_wanted =
            definitions->n_files > 0 && is_counted(&definitions->locations[i]);
        decoder_begin(decoder);
        decoder->n_unused =
            memory_zeroed(location_n_unused_kinds(trace), sizeof *decoder->n_unused);
        decoder->report.n_unused = decoder->n_unused;
        // The library looks through all that were selected before.
        if (definitions->locations[i].is_defined && trace->chunk_bytes.events == 0)
            OTF2_Reader_SelectLocation(trace->otf2_reader, definitions->locations[i].id);
    }
    if (is_shared && spread_size() > 1 && trace->chunk_bytes.definitions > 0)
        shared_begin(trace);
    read_all_local_definitions(trace);
    for (size_t i = 0; i < trace->n_readers && like; i++)
        local_definitions_copy_offsets(&trace->readers[i].local, &like->readers[i].local);
    otf2_error_begin();
    OTF2_ErrorCode code = OTF2_Reader_OpenEvtFiles(trace->otf2_reader);
    if (code != OTF2_SUCCESS)
        return error_set(err, "cannot open the event files of '%s': %s", trace->path,
                         otf2_error_cause(code));
    trace->callbacks = otf2_records_callbacks();
    if (!trace->callbacks)
        return error_set(err, "out of memory for the event callbacks of '%s'", trace->path);
    return 0;
}

// Up to rebase_times() times are raw ticks.
static void begin_raw_times(struct trace *trace)
{
    trace->clock = clock_of(UINT64_C(1000000000), 0);
    trace->has_origin = false;
}

// The first event of all that this process reads, of open locations; INT64_MAX: none.
static int64_t find_first_ticks(struct trace *trace)
{
    int64_t first_ticks = INT64_MAX;
    for (size_t i = 0; i < trace->n_readers; i++) {
        const struct cursor *cursor = &trace->readers[i].cursor;
        if (trace->readers[i].is_remote)
            continue;
        trace_fill(trace, i, 1);
        if (cursor->end && (int64_t)cursor->events[0].time_ns < first_ticks)
            first_ticks = (int64_t)cursor->events[0].time_ns;
    }
    return first_ticks;
}

// Opens the locations that this process reads, up to the first event of each.
static struct opening open_locations(struct trace *trace)
{
    struct opening opening = {0};
    for (size_t i = 0; i < trace->n_readers; i++) {
        if (trace->readers[i].is_remote)
            continue;
        location_open(trace, i);
        opening.exceeds_a_promise |= exceeds_promise(trace, i);
    }
    opening.first_ticks = find_first_ticks(trace);
    return opening;
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
        int64_t ticks = (int64_t)(location->recorded_until_ticks - clock->origin_ticks);
        if (location->is_cut_short)
            location->recorded_until_ns =
                ticks > 0 ? clock_duration_ns(clock, (uint64_t)ticks < max_ticks ? (uint64_t)ticks
                                                                                 : max_ticks)
                          : 0;
    }
}

static void rebase_growths(const struct decoder *decoder, const struct clock *clock)
{
    const struct counts *counts = &decoder->counts;
    for (size_t i = 0; i < counts->n_growths; i++) {
        uint64_t ticks = counts->growths[i].time_ns, end_ticks = (uint64_t)decoder->end_ticks;
        ticks = ticks < clock->origin_ticks ? clock->origin_ticks
                : ticks > end_ticks         ? end_ticks
                                            : ticks;
        counts->growths[i].time_ns = clock_time_ns(clock, ticks);
    }
}

// Turns the ticks of the first batches into times since FIRST_TICKS, the first event of all.
static void rebase_times(struct trace *trace, int64_t first_ticks)
{
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
                location_end_late(trace, i);
                cursor->end = e;
                cursor->at_end = true;
            } else {
                rebase_event(&trace->clock, max_ticks, &cursor->events[e]);
            }
        struct decoder *decoder = &trace->readers[i].decoder;
        rebase_growths(decoder, &trace->clock);
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

// APEX defines a thread without events as the one of MPI: then the first thread of the process that
// has some represents it.
static void choose_busy_masters(struct trace *trace)
{
    struct definitions *definitions = &trace->resolved.definitions;
    if (trace->shared || !definitions->renames_tasks)
        return;
    for (uint32_t i = 0; i < definitions->n_locations; i++) {
        struct location *location = &definitions->locations[i];
        if (!location->is_cpu_thread || location->rank == EVENT_NO_INDEX || location->is_master ||
            trace->readers[i].cursor.end == 0)
            continue;
        uint32_t *master = &definitions->ranks[location->rank].master;
        const struct cursor *cursor = &trace->readers[*master].cursor;
        if (cursor->end > 0 || !cursor->at_end || trace->readers[*master].decoder.report.is_skipped)
            continue;
        definitions->locations[*master].is_master = false;
        location->is_master = true;
        *master = i;
    }
}

static struct trace *open_trace(const char *path, bool is_shared, const struct trace *like,
                                struct error *err)
{
    struct trace *trace = memory_zeroed(1, sizeof *trace);
    pthread_mutex_init(&trace->lock, NULL);
    records_init(&trace->records);
    begin_raw_times(trace);
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
    if (prepare_locations(trace, is_shared, like, err) != 0)
        goto failed;
    struct opening opening = open_locations(trace);
    if (trace->shared)
        opening = shared_agree(trace, opening);
    if (!opening.exceeds_a_promise)
        skip_broken_promises(trace);
    rebase_times(trace, opening.first_ticks);
    choose_busy_masters(trace);
    return trace;
failed:
    trace_close(trace);
    return NULL;
}

struct trace *trace_open(const char *path, struct error *err)
{
    return open_trace(path, false, NULL, err);
}

struct trace *trace_open_shared(const char *path, struct error *err)
{
    return open_trace(path, true, NULL, err);
}

void trace_stop_reading(struct trace *trace)
{
    decode_ahead_stop(trace->ahead);
    trace->ahead = NULL;
    trace->has_tried_ahead = false;
    shared_end(trace);
    otf2_error_begin();
    for (size_t i = 0; i < trace->n_readers; i++) {
        struct location_reader *reader = &trace->readers[i];
        location_close(trace, reader);
        free(reader->cursor.events);
        reader->cursor = (struct cursor){.at_end = true};
        reader->capacity = 0;
    }
    free(trace->digested.events);
    trace->digested = (struct batch){0};
}

void trace_serve(struct trace *trace, const struct trace_digest *digest)
{
    if (!trace->shared)
        return;
    trace_set_digest(trace, digest);
    shared_serve(trace);
    trace_stop_reading(trace);
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
    trace_stop_reading(trace);
    if (trace->otf2_reader)
        OTF2_Reader_Close(trace->otf2_reader);
    OTF2_EvtReaderCallbacks_Delete(trace->callbacks);
    for (size_t i = 0; i < trace->n_readers; i++) {
        FREE_ALL(trace->readers[i].begins.items, trace->readers[i].reason,
                 trace->readers[i].decoder.n_unused, trace->readers[i].decoder.counts.growths,
                 trace->readers[i].decoder.counts.last, trace->readers[i].decoder.probed);
        file_operations_release(&trace->readers[i].decoder.files);
        metric_series_release(&trace->readers[i].decoder.series);
        local_definitions_release(&trace->readers[i].local);
    }
    free(trace->readers);
    struct definitions *definitions = &trace->resolved.definitions;
    FREE_MEMBERS(definitions->properties, definitions->n_properties, name, value);
    free(definitions->properties);
    resolved_release(&trace->resolved);
    records_release(&trace->records);
    FREE_ALL(trace->creator, trace->description, trace->path);
    pthread_mutex_destroy(&trace->lock);
    free(trace);
}

// Puts all locations to their begin. 0, or -1 and ERR if a location cannot be read that could be
// before. The library makes its event readers anew, since seeking in files of several chunks is not
// safe in all its versions.
static int rewind_trace(struct trace *trace, struct error *err)
{
    trace->keeps_places = trace->is_counted = false;
    for (size_t i = 0; i < trace->n_readers; i++) {
        struct location_reader *reader = &trace->readers[i];
        struct decoder *decoder = &reader->decoder;
        reader->cursor.position = reader->cursor.end = 0;
        reader->cursor.at_end = false;
        if (decoder->report.is_skipped)
            continue;
        if (reader->is_remote)
            read_local_definitions(trace, i);
        reader->is_remote = false;
        decoder->report = (struct location_report){
            .lacks_definitions = decoder->report.lacks_definitions,
            .n_unused = decoder->n_unused,
        };
        memset(decoder->n_unused, 0, location_n_unused_kinds(trace) * sizeof *decoder->n_unused);
        metric_series_release(&decoder->series);
        free(reader->reason);
        reader->reason = NULL;
        decoder_begin(decoder);
        location_open(trace, i);
        if (decoder->report.is_skipped) {
            decoder->report.is_skipped = false; // perhaps not for long
            return error_set(err, "'%s': %s", trace->path, reader->reason);
        }
    }
    return 0;
}

int trace_correct_clocks(struct trace *trace, const struct clock_correction *correction,
                         struct error *err)
{
    struct clock counted_by = trace->clock;
    if (trace->chunk_bytes.events == 0) // the library says when events are
        return error_set(err, "the trace is compressed, so its clocks cannot be corrected"), 1;
    trace_stop_reading(trace);
    for (size_t i = 0; i < trace->n_readers; i++) {
        struct location_reader *reader = &trace->readers[i];
        uint32_t rank = trace->resolved.definitions.locations[i].rank;
        if (reader->is_remote)
            read_local_definitions(trace, i);
        reader->is_remote = false;
        if (rank != EVENT_NO_INDEX)
            clock_correction_add(correction, rank, &counted_by, trace->records.ticks_per_second,
                                 &reader->local);
        reader->decoder.end_ticks = INT64_MAX;
    }
    begin_raw_times(trace);
    if (rewind_trace(trace, err) != 0)
        return -1;
    rebase_times(trace, find_first_ticks(trace));
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
        return open_trace(first->path, false, first, err);
    trace_stop_reading(again);
    if (rewind_trace(again, err) == 0)
        return again;
    trace_give_back(first, again);
    return NULL;
}

void trace_give_back(struct trace *first, struct trace *again)
{
    if (!again)
        return;
    trace_stop_reading(again);
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

const struct local_definitions *trace_local_definitions(const struct trace *trace, size_t location)
{
    return &trace->readers[location].local;
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

// --- what no replay uses: a record of a metric has a value for each member of its class

// Records of the kind PLACE of location_report.n_unused; IS_COUNTER: but those whose values went
// to a digest.
static uint64_t n_records_of(const struct trace *trace, size_t place, bool is_counter)
{
    const struct definitions *definitions = trace_definitions(trace);
    uint64_t n = 0;
    for (size_t i = 0; i < definitions->n_locations; i++)
        if (!is_counter || !trace->is_counted || !is_counted(&definitions->locations[i]))
            n += trace_location_report(trace, i)->n_unused[place];
    return n;
}

// Adds the values of one metric to those of its counters; COUNTERS are by metric member.
static void add_metric(const struct trace *trace, const struct records *records, size_t metric,
                       struct unused *counters)
{
    const struct metric_record *class_ = records_metric_class(records, metric);
    uint64_t n_records = class_ ? n_records_of(trace, metric, false) : 0;
    for (uint32_t i = 0; class_ && i < class_->n_members; i++) {
        uint32_t member = id_table_get(&records->metric_members.by_id, class_->members[i]);
        bool is_used = trace->is_counted &&
                       id_table_get(&trace->resolved.sensors, class_->members[i]) != UINT32_MAX;
        if (member != UINT32_MAX && !is_used)
            counters[member].n_values += n_records;
    }
}

size_t trace_unused(const struct trace *trace, struct unused **list)
{
    const struct records *records = trace_source(trace).records;
    size_t n_counters = records->metric_members.n, n_all = n_counters + records->parameters.n;
    struct unused *all = memory_zeroed(n_all, sizeof *all);
    for (size_t i = 0; i < records->metrics.n; i++)
        add_metric(trace, records, i, all);
    for (size_t i = 0; i < n_counters; i++)
        all[i].name = records_text(records, records->metric_members.items[i].name);
    for (size_t i = 0; i < records->parameters.n; i++)
        all[n_counters + i] = (struct unused){
            .name = records_text(records, records->parameters.items[i].name),
            .is_parameter = true,
            .n_values = n_records_of(trace, records->metrics.n + i,
                                     id_table_get(&trace->resolved.parameters,
                                                  records->parameters.items[i].id) != UINT32_MAX)};
    size_t n = 0;
    for (size_t i = 0; i < n_all; i++)
        if (all[i].n_values > 0 && (all[i].is_parameter || (strcmp(all[i].name, METRIC_CPU_TIME) &&
                                                            strcmp(all[i].name, METRIC_CORE_WAIT))))
            all[n++] = all[i];
    *list = all;
    return n;
}
