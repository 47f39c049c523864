// SPDX-License-Identifier: BSD-3-Clause
// Reads the events of one location into its cursor: batch by batch, in place or by further threads
// (decode_ahead.h), as they are decoded or digested. event_file.c reads the event files; the OTF2
// library does where event_file.c cannot.
#include "analyzer/trace/cursor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/threads.h"
#include "analyzer/trace/ahead/decode_ahead.h"
#include "analyzer/trace/ahead/shared.h"
#include "analyzer/trace/archive.h"
#include "analyzer/trace/open_trace.h"

enum {
    BATCH_EVENTS = 512,       // 24 KiB: stays in the first-level cache
    MIN_BATCH_EVENTS = 64,    // of many locations, which share the second-level cache:
    MAX_CACHED_EVENTS = 8192, // decoded events of all of them, 384 KiB
    AHEAD_BATCHES = 4,        // decoded at once in a further thread: fewer hand-overs; but of very
                              // many locations one, for each may have its own
    DIGEST_EVENTS = 128,      // digested at once: stay in the first-level cache twice
    MAX_DIGESTED = 1024,      // at most, before the engine may go on
    WINDOW_BYTES = 32 * 1024, // of an event file, in memory at once
    MIN_WINDOW_BYTES = 8 * 1024,
    MAX_CACHED_BYTES = 1024 * 1024, // of all locations
};

// The library's readers of one archive share what a lock of the caller's would protect.
static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;

void location_set_reason(struct location_reader *reader, const char *format, ...)
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

static bool has_events_open(const struct location_reader *reader)
{
    return event_file_is_open(&reader->file) || reader->otf2_reader;
}

void location_close(struct trace *trace, struct location_reader *reader)
{
    event_file_close(&reader->file);
    if (!reader->otf2_reader)
        return;
    pthread_mutex_lock(&library_lock);
    OTF2_Reader_CloseEvtReader(trace->otf2_reader, reader->otf2_reader);
    pthread_mutex_unlock(&library_lock);
    reader->otf2_reader = NULL;
}

// Opens the event file of a location: OTF2_SUCCESS, or why it cannot be read.
static OTF2_ErrorCode open_events(struct trace *trace, size_t location)
{
    struct location_reader *reader = &trace->readers[location];
    unsigned long long id = trace->resolved.definitions.locations[location].id;
    bool is_open = false;
    if (trace->chunk_bytes.events > 0) {
        SCOPED char *path = archive_file_path(trace->path, "/%llu.evt", id);
        is_open =
            event_file_open(&reader->file, path, trace->chunk_bytes.events, trace->window_bytes);
    }
    reader->n_first_chunk = is_open ? reader->file.chunks.last_record : UINT64_MAX;
    if (is_open)
        return OTF2_SUCCESS;
    otf2_error_begin();
    if (trace->chunk_bytes.events > 0)
        OTF2_Reader_SelectLocation(trace->otf2_reader, id);
    reader->otf2_reader = OTF2_Reader_GetEvtReader(trace->otf2_reader, id);
    if (!reader->otf2_reader)
        return OTF2_ERROR_FILE_CAN_NOT_OPEN;
    return OTF2_Reader_RegisterEvtCallbacks(trace->otf2_reader, reader->otf2_reader,
                                            trace->callbacks, &reader->decoder);
}

void location_end_late(struct trace *trace, size_t location)
{
    struct location_reader *reader = &trace->readers[location];
    unsigned long long id = trace->resolved.definitions.locations[location].id;
    reader->decoder.report.is_cut = true;
    location_set_reason(
        reader,
        "its event file (%llu.evt) has a time stamp further from the start of the run "
        "than any run lasts",
        id);
    location_close(trace, reader);
}

// Why READER's event file cannot be read, or not on.
static const char *cause_of(const struct location_reader *reader, OTF2_ErrorCode code)
{
    return reader->read_error ? strerror(reader->read_error) : otf2_error_cause(code);
}

// Notes why a location ends here, when it is not just the end of its file, and closes the file.
static void end_reading(struct trace *trace, size_t location, OTF2_ErrorCode code)
{
    struct location_reader *reader = &trace->readers[location];
    if (code != OTF2_SUCCESS) {
        unsigned long long id = trace->resolved.definitions.locations[location].id;
        reader->decoder.report.is_cut = true;
        location_set_reason(reader, "cannot read its event file (%llu.evt) after event %llu: %s",
                            id, (unsigned long long)reader->decoder.report.n_read,
                            cause_of(reader, code));
    }
    location_close(trace, reader);
}

// Reads N_WANTED records. *IS_LAST: there are fewer.
static OTF2_ErrorCode read_records(struct trace *trace, size_t location, uint64_t n_wanted,
                                   bool *is_last)
{
    struct location_reader *reader = &trace->readers[location];
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint64_t n_read = 0;
    if (reader->otf2_reader) {
        pthread_mutex_lock(&library_lock);
        code =
            OTF2_Reader_ReadLocalEvents(trace->otf2_reader, reader->otf2_reader, n_wanted, &n_read);
        pthread_mutex_unlock(&library_lock);
    } else {
        n_read = event_file_read(&reader->file, &reader->decoder, &reader->local, n_wanted);
        reader->read_error = reader->file.chunks.error;
        if (reader->file.state == EVENT_FILE_DAMAGED)
            code = OTF2_ERROR_INVALID_DATA;
    }
    reader->decoder.report.n_read += n_read;
    *is_last = n_read < n_wanted;
    return code;
}

// Decodes at most N_WANTED records of a location to OUTPUT, and after a CPU time up to the next
// event, to which it may belong; a record makes one event at most. Returns the number of events;
// *AT_END: there are no more.
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
    uint32_t n = decoder->n_output;
    bool ends_with_cpu_time = n > 0 && output[n - 1].kind == EVENT_CPU_TIME;
    while (ends_with_cpu_time && decoder->n_output == n && code == OTF2_SUCCESS && !is_last)
        code = read_records(trace, location, 1, &is_last);
    *at_end = code != OTF2_SUCCESS || is_last;
    if (*at_end)
        end_reading(trace, location, code);
    if (decoder->n_in_time != UINT32_MAX) {
        *at_end = true;
        location_end_late(trace, location);
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

static void stop_counting(struct decoder *decoder)
{
    decoder->counts.is_on = false;
    decoder->counts.n_growths = 0;
    decoder->files.is_on = false;
    decoder->files.n_done = 0;
}

// Decodes the next batch after the unread events.
static void read_batch(struct trace *trace, size_t location)
{
    struct location_reader *reader = &trace->readers[location];
    struct cursor *cursor = &reader->cursor;
    if (cursor->position > 0) // the events are not digested
        stop_counting(&reader->decoder);
    make_room(reader, trace->n_batch_events + 1);
    reader->decoder.counts.base = cursor->end;
    struct trace_place begin = next_begin(reader);
    uint32_t n_unread = cursor->end;
    cursor->end += decode_to(trace, location, cursor->events + cursor->end,
                             reader->capacity - cursor->end - 1, &cursor->at_end);
    if (trace->keeps_places)
        batch_begins_add(&reader->begins, &begin, n_unread, cursor->end - n_unread);
}

void location_open(struct trace *trace, size_t location)
{
    struct location_reader *reader = &trace->readers[location];
    struct location_report *report = &reader->decoder.report;
    const struct location *definition = &trace->resolved.definitions.locations[location];
    if (!definition->is_defined) {
        report->is_skipped = true;
        location_set_reason(reader, "the group of MPI locations names it, but it is not defined%s",
                            id_table_get(&trace->records.locations.by_id, definition->id) ==
                                    UINT32_MAX
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
    location_close(trace, reader);
    report->is_cut = false;
    report->is_skipped = true;
    location_set_reason(reader, "cannot read its event file (%llu.evt): %s",
                        (unsigned long long)definition->id, cause_of(reader, code));
}

// The share of each of N_LOCATIONS of AMOUNT, not below LEAST nor above MOST.
static size_t shared_out(size_t amount, size_t n_locations, size_t least, size_t most)
{
    size_t share = amount / n_locations;
    return share < least ? least : share > most ? most : share;
}

void location_share_memory(struct trace *trace, size_t n_locations)
{
    trace->n_batch_events =
        shared_out(MAX_CACHED_EVENTS, n_locations, MIN_BATCH_EVENTS, BATCH_EVENTS);
    trace->n_ahead_events = shared_out(AHEAD_BATCHES * MAX_CACHED_EVENTS, n_locations,
                                       MIN_BATCH_EVENTS, AHEAD_BATCHES * BATCH_EVENTS);
    trace->window_bytes = shared_out(MAX_CACHED_BYTES, n_locations, MIN_WINDOW_BYTES, WINDOW_BYTES);
}

// Lets the digest have N EVENTS of a location, what its counters grew by and its file operations.
static void give_to_digest(struct trace *trace, size_t location, const struct event *events,
                           uint32_t n, bool is_last, struct batch *out)
{
    struct counts *counts = &trace->readers[location].decoder.counts;
    struct file_operations *files = &trace->readers[location].decoder.files;
    for (size_t i = 0; i < files->n_done; i++) {
        struct file_operation *done = &files->done[i];
        done->duration = clock_duration_ns(&trace->clock, done->duration);
        done->own_duration = clock_duration_ns(&trace->clock, done->own_duration);
    }
    struct decoded decoded = {
        events, n, counts->growths, counts->n_growths, files->done, files->n_done, is_last};
    trace->digest.events(trace->digest.context, location, &decoded, out);
    counts->n_growths = files->n_done = 0;
    counts->base = 0;
}

// Decodes and digests until N_WANTED events are left, or MAX_DIGESTED batches brought fewer.
static void digest_batch(struct trace *trace, size_t location, size_t n_wanted, struct batch *batch)
{
    struct event events[DIGEST_EVENTS + 1];
    batch_reserve(batch, 1); // nothing may be left
    batch->n = 0;
    batch->at_end = false;
    for (int n_read = 0; n_read < MAX_DIGESTED && batch->n < n_wanted && !batch->at_end; n_read++) {
        uint32_t n = decode_to(trace, location, events, DIGEST_EVENTS, &batch->at_end);
        give_to_digest(trace, location, events, n, batch->at_end, batch);
    }
}

static void decode_batch_of(void *context, size_t location, struct batch *batch)
{
    struct trace *trace = context;
    size_t n_wanted = trace->n_ahead_events;
    if (trace->shared && trace->readers[location].is_remote) {
        shared_unpack(trace, location, batch);
        return;
    }
    if (trace->digest.events) {
        digest_batch(trace, location, n_wanted, batch);
        return;
    }
    stop_counting(&trace->readers[location].decoder);
    batch->begin = next_begin(&trace->readers[location]);
    batch_reserve(batch, n_wanted + 1);
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
    if (n_unread)
        memcpy(batch->events + BATCH_HEADROOM - n_unread, cursor->events + cursor->position,
               n_unread * sizeof *cursor->events);
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

void location_decode_ahead(struct trace *trace)
{
    trace->has_tried_ahead = true;
    if (threads_count() > 1 || trace->shared)
        trace->ahead = decode_ahead_start(trace->n_readers, decode_batch_of, trace);
}

void trace_fill(struct trace *trace, size_t location, uint32_t min_ahead)
{
    struct location_reader *reader = &trace->readers[location];
    struct cursor *cursor = &reader->cursor;
    if (trace->has_origin && !trace->has_tried_ahead)
        location_decode_ahead(trace);
    while (cursor->end - cursor->position < min_ahead && !cursor->at_end) {
        if (trace->shared && reader->is_remote)
            shared_await(trace, location);
        if (trace->ahead) {
            struct batch *batch = decode_ahead_wait(trace->ahead, location);
            if (trace->keeps_places)
                note_begin(reader, batch);
            take_batch(reader, batch);
            if (!cursor->at_end && trace->shared && reader->is_remote)
                shared_request(trace, location);
            else if (!cursor->at_end)
                decode_ahead_request(trace->ahead, location);
        } else if (trace->digest.events) {
            digest_batch(trace, location, trace->n_batch_events, &trace->digested);
            take_batch(reader, &trace->digested);
        } else {
            read_batch(trace, location);
        }
    }
}

void trace_set_digest(struct trace *trace, const struct trace_digest *digest)
{
    if (!digest) {
        shared_end(trace);
        trace->digest = (struct trace_digest){0};
        return;
    }
    trace->digest = *digest;
    trace->is_counted = true;
    for (size_t i = 0; i < trace->n_readers; i++) {
        struct location_reader *reader = &trace->readers[i];
        struct cursor *cursor = &reader->cursor;
        if (reader->is_remote)
            continue;
        trace->digested.n = 0;
        trace->digested.at_end = cursor->at_end;
        give_to_digest(trace, i, cursor->events, cursor->end, cursor->at_end, &trace->digested);
        cursor->position = cursor->end;
        take_batch(reader, &trace->digested);
    }
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

void location_pass_counts(struct trace *trace, size_t location, struct numbers *numbers)
{
    struct decoder *decoder = &trace->readers[location].decoder;
    struct location_report *report = &decoder->report;
    NUMBERS_PASS(numbers, report->n_read, report->n_unknown, report->n_matched,
                 report->n_bad_references, report->n_backward);
    for (size_t i = 0; i < location_n_unused_kinds(trace); i++)
        decoder->n_unused[i] = numbers_pass(numbers, decoder->n_unused[i]);
    metric_series_pass(&decoder->series, trace->records.metrics.n, numbers);
}

void trace_report_pass(struct trace *trace, size_t location, struct numbers *numbers)
{
    if (numbers->is_reading) { // the thread counts, too
        decode_ahead_stop(trace->ahead);
        trace->ahead = NULL;
    }
    location_pass_counts(trace, location, numbers);
}
