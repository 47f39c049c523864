// SPDX-License-Identifier: BSD-3-Clause
// See repair.h, and chunk_file.h and event_record.h for the structure of the files. What is
// kept stays byte by byte; after it come leaves and the mark that ends a file, and the header of a
// chunk says how many records it has now.
#include "analyzer/rewrite/repair/repair.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/trace/chunk_file.h"
#include "analyzer/trace/definitions/local_definitions.h"
#include "analyzer/trace/event_record.h"

enum { WINDOW_BYTES = 256 * 1024, HEADER_BYTES = 18 };

// ---- following records ----

static bool is_enter(int kind)
{
    return kind == ENTER || kind == CALLING_CONTEXT_ENTER;
}

static bool is_leave(int kind)
{
    return kind == LEAVE || kind == CALLING_CONTEXT_LEAVE;
}

/// The innermost open region that a leave can mean; interleaved tasks leave others first.
static void close_region(struct sound_part *part, struct open_region region)
{
    size_t i = part->n_open;
    while (i > 0 &&
           (part->open[i - 1].id != region.id || part->open[i - 1].is_context != region.is_context))
        i--;
    if (i == 0)
        return;
    memmove(&part->open[i - 1], &part->open[i], (part->n_open - i) * sizeof *part->open);
    part->n_open--;
}

static void take_record(struct sound_part *part, const struct sound_record *record,
                        sound_record_teller *tell, void *context)
{
    int kind = record->kind;
    const struct open_region region = {kind == CALLING_CONTEXT_ENTER ||
                                           kind == CALLING_CONTEXT_LEAVE,
                                       (uint32_t)record->fields.values[0]};
    if (is_leave(kind))
        close_region(part, region);
    if (tell)
        tell(context, record, part);
    if (is_enter(kind))
        *ARRAY_NEXT(part->open, part->n_open, part->open_capacity) = region;
    if (part->n_records++ == 0)
        part->first_ticks = record->ticks;
    part->last_ticks = record->ticks;
}

/// The kind of the next record, or a mark, after the time stamp that may be before it; END_OF_FILE
/// and no window when there is none.
static int next_kind(struct chunk_file *file, struct window *window, uint64_t *ticks)
{
    if (window_have(file, window, 0)) {
        int kind = *window->at++;
        if (kind != TIME_STAMP)
            return kind;
        if (window_have(file, window, FULL_NUMBER_BYTES)) {
            *ticks = full_number(window->at, file->is_big_endian);
            window->at += FULL_NUMBER_BYTES;
            return *window->at++;
        }
    }
    window->at = NULL;
    return END_OF_FILE;
}

/// Keeps a list of attributes, which may go with the window.
static void keep_attributes(struct sound_part *part, const struct content *content)
{
    size_t n_bytes = (size_t)(content->end - content->at);
    part->attributes = array_reserve(part->attributes, &part->attribute_capacity, n_bytes, 1);
    memcpy(part->attributes, content->at, n_bytes);
    part->n_attribute_bytes = n_bytes;
}

/// Follows FILE to its end mark; false without one.
static bool follow_events(struct chunk_file *file, struct sound_part *part,
                          sound_record_teller *tell, void *context)
{
    struct window window = chunk_file_begin(file);
    struct sound_record record = {0};
    bool is_in_record = false; // after a list of attributes
    while (window.at) {
        if (!is_in_record)
            part->end_at = chunk_file_at(file, window);
        int kind = record.kind = next_kind(file, &window, &record.ticks);
        if (kind == END_OF_FILE)
            return window.at && !is_in_record && part->n_records >= file->last_record;
        if (kind == END_OF_CHUNK) {
            window = chunk_file_begin(file);
            is_in_record = false;
        } else if (!event_record_find_content(file, &window, kind, &record.content)) {
            return false;
        } else if (kind == ATTRIBUTE_LIST) {
            const struct content attributes = record.content;
            if (!record_attributes_are_sound(&record.content))
                return false;
            keep_attributes(part, &attributes);
            is_in_record = true;
        } else {
            struct content fields = record.content;
            if (!record_fields_read(&record.fields, kind, &fields))
                return false;
            part->n_attribute_bytes = is_in_record ? part->n_attribute_bytes : 0;
            take_record(part, &record, tell, context);
            is_in_record = false;
        }
    }
    return false;
}

void sound_part_of_events(struct sound_part *part, const char *path, uint64_t chunk_bytes,
                          sound_record_teller *tell, void *context)
{
    struct chunk_file file = {0};
    *part = (struct sound_part){0};
    if (!chunk_file_open(&file, path, chunk_bytes, WINDOW_BYTES))
        return;
    part->is_whole = follow_events(&file, part, tell, context);
    part->last_promised = file.last_record;
    chunk_file_close(&file);
}

void sound_part_release(struct sound_part *part)
{
    FREE_ALL(part->open, part->attributes);
    *part = (struct sound_part){0};
}

static void take_definitions(struct sound_part *part, bool is_whole,
                             const struct sound_definitions *sound)
{
    *part = (struct sound_part){.is_whole = is_whole && sound->end_at > 0, // else not to be opened
                                .n_records = sound->n_records,
                                .end_at = sound->end_at};
}

void sound_part_of_definitions(struct sound_part *part, const char *path, uint64_t chunk_bytes)
{
    struct sound_definitions sound;
    bool is_whole = chunk_file_holds_definitions(path, chunk_bytes, NULL, NULL, &sound);
    take_definitions(part, is_whole, &sound);
}

void sound_part_of_local_definitions(struct sound_part *part, const char *path,
                                     uint64_t chunk_bytes)
{
    SCOPED_BY(local_definitions_release) struct local_definitions local = {0};
    struct sound_definitions sound;
    bool is_whole = local_definitions_read(&local, path, chunk_bytes, &sound);
    take_definitions(part, is_whole, &sound);
}

// ---- writing ----

/// Copies the first N bytes.
static bool copy_begin(FILE *from, FILE *to, uint64_t n)
{
    char bytes[1 << 14];
    size_t n_read = 0;
    for (; n > 0; n -= n_read) {
        n_read = fread(bytes, 1, n < sizeof bytes ? n : sizeof bytes, from);
        if (n_read == 0 || fwrite(bytes, 1, n_read, to) != n_read)
            return false;
    }
    return true;
}

/// The byte order of the chunk AT in FILE.
static bool is_big_endian_at(FILE *file, uint64_t at)
{
    return fseeko(file, (off_t)at + 1, SEEK_SET) == 0 && getc(file) == BIG_ENDIAN_CHUNK;
}

static void put_rest(struct tail *tail, const struct sound_part *part, FILE *from, bool is_events)
{
    tail->at = part->end_at;
    tail->n_records = part->n_records;
    tail->ticks = part->last_ticks;
    if (part->end_at == 0) {
        tail_begin_chunk(tail);
    } else {
        tail->chunk_at = part->end_at - part->end_at % tail->chunk_bytes;
        tail->is_big_endian = is_big_endian_at(from, tail->chunk_at);
    }
    for (size_t i = part->n_open; i > 0; i--)
        tail_put_leave(tail, &part->open[i - 1]);
    tail_put_end_mark(tail);
    if (is_events)
        tail_end_chunk(tail);
}

static int write_part(const struct sound_part *part, const char *from_path, const char *to_path,
                      uint64_t chunk_bytes, bool is_events, struct error *err)
{
    if (part->is_whole)
        return rewrite_copy_file(from_path, to_path, err);
    SCOPED_FILE FILE *from = part->end_at > 0 ? fopen(from_path, "rb") : NULL;
    FILE *to = fopen(to_path, "wb");
    struct tail tail = {.file = to, .chunk_bytes = chunk_bytes};
    bool is_good =
        to && (from || part->end_at == 0) && (!from || copy_begin(from, to, part->end_at));
    if (is_good)
        put_rest(&tail, part, from, is_events);
    int cause = errno;
    is_good = is_good && !ferror(to);
    if (to && fclose(to) != 0 && is_good) {
        cause = errno;
        is_good = false;
    }
    return is_good ? 0 : error_set(err, "cannot write '%s': %s", to_path, strerror(cause));
}

int sound_part_write_events(const struct sound_part *part, const char *from, const char *to,
                            uint64_t chunk_bytes, struct error *err)
{
    return write_part(part, from, to, chunk_bytes, true, err);
}

int sound_part_write_definitions(const struct sound_part *part, const char *from, const char *to,
                                 struct error *err)
{
    return write_part(part, from, to, UINT64_MAX, false, err);
}

// ---- the size of chunks ----

/// Where in FILE, from FROM on, a chunk with this header begins; 0: nowhere a chunk can.
static uint64_t find_header(FILE *file, uint64_t from, const unsigned char *header, size_t n_header)
{
    if (from < OTF2_CHUNK_SIZE_MIN)
        from = OTF2_CHUNK_SIZE_MIN;
    size_t n = OTF2_CHUNK_SIZE_MAX + n_header - from;
    if (from > OTF2_CHUNK_SIZE_MAX || fseeko(file, (off_t)from, SEEK_SET) != 0)
        return 0;
    SCOPED unsigned char *bytes = memory_new(n);
    n = fread(bytes, 1, n, file);
    const unsigned char *found = memmem(bytes, n, header, n_header);
    return found ? from + (uint64_t)(found - bytes) : 0;
}

uint64_t sound_chunk_bytes(const char *path, bool is_events)
{
    struct sound_part part; // the first chunk, for it is followed to its end mark
    if (is_events)
        sound_part_of_events(&part, path, UINT64_MAX, NULL, NULL);
    else
        sound_part_of_definitions(&part, path, UINT64_MAX);
    uint64_t chunk_bytes = 0;
    SCOPED_FILE FILE *file = part.end_at > 0 && !part.is_whole ? fopen(path, "rb") : NULL;
    unsigned char header[HEADER_BYTES] = {0};
    if (file && fread(header, 2, 1, file) == 1) {
        uint64_t first = is_events ? part.n_records + 1 : 1;
        first = header[1] == BIG_ENDIAN_CHUNK ? htobe64(first) : htole64(first);
        memcpy(header + 2, &first, sizeof first);
        // Of definitions the last record is not known there.
        chunk_bytes =
            find_header(file, part.end_at, header, is_events ? TAIL_LAST_RECORD_AT : HEADER_BYTES);
    }
    sound_part_release(&part);
    return chunk_bytes;
}
