// SPDX-License-Identifier: BSD-3-Clause
// The archive as a whole, in a folder that takes its name when all is written. OTF2 must not be
// used any more after a failed write (its clean-up reads what it has freed), so a failure inside it
// leaves it by a long jump, and what it holds stays allocated.
#include "analyzer/rewrite/rewrite.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/archive.h"
#include "analyzer/trace/definitions/resolve.h"

enum { MOST_EVENT_CHUNKS = 2 };
static const char archive_name[] = "traces";

// --- OTF2

static jmp_buf escape; // out of a failing call of OTF2
static char cause[256];

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
give_up(void *user_data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
        const char *format, va_list args)
{
    (void)user_data, (void)file, (void)line, (void)function, (void)format, (void)args;
    snprintf(cause, sizeof cause, "%s", OTF2_Error_GetDescription(code));
    longjmp(escape, 1);
}

/// The memory that OTF2 holds for a file until it is flushed.
struct chunks {
    void **items;
    size_t n, capacity;
};

/// Of events a few chunks only: where none is left OTF2 writes those there are. Without a limit of
/// ours it does so at 128 MiB.
static void *allocate_chunk(void *user_data, OTF2_FileType type, OTF2_LocationRef location,
                            void **buffer, uint64_t chunk_bytes)
{
    (void)user_data, (void)location;
    struct chunks *chunks = *buffer;
    if (!chunks)
        *buffer = chunks = memory_zeroed(1, sizeof *chunks);
    if (type == OTF2_FILETYPE_EVENTS && chunks->n == MOST_EVENT_CHUNKS)
        return NULL;
    return *ARRAY_NEXT(chunks->items, chunks->n, chunks->capacity) = memory_zeroed(chunk_bytes, 1);
}

static void free_chunks(void *user_data, OTF2_FileType type, OTF2_LocationRef location,
                        void **buffer, bool is_final)
{
    (void)user_data, (void)type, (void)location;
    struct chunks *chunks = *buffer;
    if (!chunks)
        return;
    for (size_t i = 0; i < chunks->n; i++)
        free(chunks->items[i]);
    chunks->n = 0;
    if (is_final) {
        FREE_ALL(chunks->items, chunks);
        *buffer = NULL;
    }
}

static const OTF2_MemoryCallbacks memory_callbacks = {allocate_chunk, free_chunks};

/// All of one rewriting; in memory that a long jump leaves alone.
struct rewriting {
    const struct trace *trace;
    struct trace_source source;
    struct time_map *times;
    struct time_map_reader *location_times; // of the location being copied, else NULL
    const struct rewrite_run *run;
    const char *folder;
    OTF2_Reader *reader;
    OTF2_Archive *archive;
    struct copy_events copy;
    struct copy_location *locations;
    struct late_definitions late;
    struct progress progress;
};

/// 0, or -1 and ERR; CODE is that of a call that FAILED says what of.
static int check(OTF2_ErrorCode code, const char *failed, struct error *err)
{
    return code == OTF2_SUCCESS ? 0 : error_set(err, "%s: %s", failed, otf2_error_cause(code));
}

/// Properties of the archive: the recording's, and what was predicted.
static int describe(struct rewriting *all, struct error *err)
{
    const struct definitions *definitions = &all->source.resolved->definitions;
    OTF2_Archive *archive = all->archive;
    OTF2_ErrorCode code = OTF2_Archive_SetCreator(archive, "pagoda replay");
    SCOPED char *description =
        memory_format("predicted by pagoda replay %s%s%s", all->run->change,
                      definitions->description[0] ? ": " : "", definitions->description);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_SetDescription(archive, description);
    for (size_t i = 0; i < definitions->n_properties && code == OTF2_SUCCESS; i++)
        code = OTF2_Archive_SetProperty(archive, definitions->properties[i].name,
                                        definitions->properties[i].value, true);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_SetProperty(archive, "PAGODA::PREDICTED", all->run->change, true);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_SetProperty(archive, "PAGODA::PREDICTED_FROM", trace_path(all->trace),
                                        true);
    return check(code, "cannot write", err);
}

/// The chunks are as large as the recording's, so its records fit into them. OTF2 clears each chunk
/// that it writes, however little it holds.
static int open_both(struct rewriting *all, struct error *err)
{
    uint64_t event_bytes = 0, definition_bytes = 0;
    all->reader = otf2_open(trace_path(all->trace));
    if (!all->reader ||
        OTF2_Reader_GetChunkSize(all->reader, &event_bytes, &definition_bytes) != OTF2_SUCCESS)
        return check(OTF2_ERROR_FILE_CAN_NOT_OPEN, "cannot read the trace again", err);
    OTF2_Error_RegisterCallback(give_up, NULL);
    OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(all->reader);
    all->archive = rewrite_open(all->folder, archive_name, event_bytes, definition_bytes);
    if (!all->archive)
        return check(OTF2_ERROR_FILE_INTERACTION, "cannot write", err);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_SetMemoryCallbacks(all->archive, &memory_callbacks, NULL);
    return check(code, "cannot write", err) == 0 ? describe(all, err) : -1;
}

/// Whether a location has a file of its own definitions.
static bool has_definitions(const struct rewriting *all, uint64_t id)
{
    SCOPED char *path = archive_file_path(trace_path(all->trace), "/%" PRIu64 ".def", id);
    return access(path, R_OK) == 0;
}

/// Clock offsets and mapping tables, which the library applies to the events it reads.
static int read_local_definitions(struct rewriting *all, struct error *err)
{
    const struct definitions *definitions = &all->source.resolved->definitions;
    for (size_t i = 0; i < definitions->n_locations; i++)
        OTF2_Reader_SelectLocation(all->reader, definitions->locations[i].id);
    bool has_any = false;
    for (size_t i = 0; i < definitions->n_locations; i++)
        has_any = has_any || has_definitions(all, definitions->locations[i].id);
    if (!has_any)
        return 0;
    OTF2_ErrorCode code = OTF2_Reader_OpenDefFiles(all->reader);
    for (size_t i = 0; i < definitions->n_locations && code == OTF2_SUCCESS; i++) {
        uint64_t id = definitions->locations[i].id, n_read;
        if (!has_definitions(all, id))
            continue;
        OTF2_DefReader *reader = OTF2_Reader_GetDefReader(all->reader, id);
        code = reader ? OTF2_Reader_ReadAllLocalDefinitions(all->reader, reader, &n_read)
                      : OTF2_ERROR_FILE_CAN_NOT_OPEN;
        if (code == OTF2_SUCCESS)
            code = OTF2_Reader_CloseDefReader(all->reader, reader);
    }
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_CloseDefFiles(all->reader);
    return check(code, "cannot read the trace again", err);
}

static int copy_location(struct rewriting *all, uint32_t index, struct error *err)
{
    const struct location *location = &all->source.resolved->definitions.locations[index];
    uint64_t speed = location->rank == EVENT_NO_INDEX
                         ? PAG_WORK_PER_NS
                         : all->run->ranks[location->rank].processor_speed;
    struct copy_location *copied = &all->locations[index];
    copied->end_ns = time_map_end_ns(all->times, index);
    all->location_times = time_map_read(all->times, index, speed, err);
    if (!all->location_times)
        return -1;
    int status = copy_events(&all->copy, location->id, trace_local_definitions(all->trace, index),
                             trace_location_report(all->trace, index)->n_read, all->location_times,
                             &copied->n_records, err);
    time_map_reader_free(all->location_times);
    all->location_times = NULL;
    return status;
}

/// Definitions of calls that are waited for later; NULL: there are none.
static const struct late_definitions *late_of(const struct rewriting *all)
{
    return time_map_has_late_calls(all->times) ? &all->late : NULL;
}

static int copy_all_events(struct rewriting *all, struct error *err)
{
    const struct definitions *definitions = &all->source.resolved->definitions;
    uint64_t n_records = 0;
    for (size_t i = 0; i < definitions->n_locations; i++)
        n_records += trace_location_report(all->trace, i)->n_read;
    OTF2_ErrorCode code = OTF2_Reader_OpenEvtFiles(all->reader);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_OpenEvtFiles(all->archive);
    all->copy = (struct copy_events){.source = all->source,
                                     .reader = all->reader,
                                     .archive = all->archive,
                                     .callbacks = copy_events_callbacks(),
                                     .late = late_of(all),
                                     .progress = &all->progress};
    if (!all->copy.callbacks)
        code = OTF2_ERROR_MEM_FAULT;
    progress_begin(&all->progress, "writing", n_records);
    int status = check(code, "cannot open the event files", err);
    for (uint32_t i = 0; i < definitions->n_locations && status == 0; i++)
        status = copy_location(all, i, err);
    if (status == 0)
        status = check(OTF2_Archive_CloseEvtFiles(all->archive), "cannot write", err);
    return status;
}

/// Local definition files, which stay empty: identifiers are global ones, clocks agree.
static int write_local_definitions(struct rewriting *all, struct error *err)
{
    const struct definitions *definitions = &all->source.resolved->definitions;
    OTF2_ErrorCode code = OTF2_Archive_OpenDefFiles(all->archive);
    for (size_t i = 0; i < definitions->n_locations && code == OTF2_SUCCESS; i++) {
        OTF2_DefWriter *writer =
            OTF2_Archive_GetDefWriter(all->archive, definitions->locations[i].id);
        code = writer ? OTF2_Archive_CloseDefWriter(all->archive, writer)
                      : OTF2_ERROR_FILE_CAN_NOT_OPEN;
    }
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_CloseDefFiles(all->archive);
    return check(code, "cannot write", err);
}

static int write_all(struct rewriting *all, struct error *err)
{
    if (open_both(all, err) != 0 || read_local_definitions(all, err) != 0 ||
        copy_all_events(all, err) != 0 || write_local_definitions(all, err) != 0 ||
        copy_definitions(&all->source, all->reader, all->archive, all->run, all->locations,
                         late_of(all), err) != 0)
        return -1;
    OTF2_ErrorCode code = OTF2_Archive_Close(all->archive);
    all->archive = NULL;
    return check(code, "cannot write", err);
}

/// An ID that depends only on what the archive holds.
static int set_id(const struct rewriting *all, struct error *err)
{
    uint64_t id = 0;
    if (OTF2_Reader_GetTraceId(all->reader, &id) != OTF2_SUCCESS)
        return error_set(err, "cannot read the trace again");
    return rewrite_set_id(all->folder, archive_name, rewrite_hash(id, all->run->change), err);
}

static int write_or_escape(void *context, const char *folder, struct error *err)
{
    struct rewriting *all = context;
    int status;
    all->folder = folder;
    otf2_error_begin();
    if (setjmp(escape) == 0)
        status = write_all(all, err);
    else
        status = error_set(err, "%s", cause);
    otf2_error_begin();
    progress_end(&all->progress);
    if (all->location_times)
        time_map_reader_free(all->location_times);
    if (all->copy.callbacks)
        OTF2_EvtReaderCallbacks_Delete(all->copy.callbacks);
    if (status == 0)
        status = set_id(all, err);
    if (status == 0)
        OTF2_Reader_Close(all->reader);
    return status;
}

int rewrite_check_source(const struct trace *trace, struct error *err)
{
    const struct definitions *definitions = trace_definitions(trace);
    for (size_t i = 0; i < definitions->n_locations; i++) {
        const struct location_report *report = trace_location_report(trace, i);
        if (report->is_cut || report->is_skipped)
            return error_set(err, "of '%s' a location (%s) cannot be read to its end: %s",
                             trace_path(trace), definitions->locations[i].name, report->reason);
        if (report->n_matched > 0)
            return error_set(err,
                             "of '%s' a location (%s) has matched probes as OTF2 3.2 records them, "
                             "which cannot be copied",
                             trace_path(trace), definitions->locations[i].name);
    }
    return 0;
}

int rewrite_archive(const char *directory, const struct trace *trace, struct time_map *times,
                    const struct rewrite_run *run, struct error *err)
{
    SCOPED struct rewriting *all = memory_zeroed(1, sizeof *all);
    *all = (struct rewriting){
        .trace = trace,
        .source = trace_source(trace),
        .times = times,
        .run = run,
        .locations = memory_zeroed(trace_definitions(trace)->n_locations, sizeof *all->locations)};
    late_definitions_find(&all->late, &all->source);
    int status = rewrite_check_source(trace, err);
    if (status == 0)
        status = rewrite_wholly(directory, write_or_escape, all, err);
    free(all->locations);
    return status == 0 ? 0 : error_wrap(err, "nothing was written to '%s'", directory);
}
