// SPDX-License-Identifier: BSD-3-Clause
// Structure of OTF2 files (see file_check.h). A file is a row of chunks of equal size, the last one
// shorter. A chunk begins with the byte 3, its byte order, and the numbers of its first and last
// event, 8 bytes each. Records follow, up to the byte 0, after which the next chunk begins, or 2
// at the end of the file. A record is a byte for its kind, the length of its content in one byte,
// or in 8 bytes after the byte 255, and the content. Some old kinds of events have no length, but
// a single number: the byte for its length, 0 and 255 for none, and as many bytes. In front of an
// event may be the byte 5 and a time stamp of 8 bytes.
#include "analyzer/trace/file_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { END_OF_CHUNK = 0, END_OF_FILE = 2, CHUNK_HEADER = 3, TIME_STAMP = 5, ATTRIBUTE_LIST = 6 };
enum { DAMAGED = -1 };
enum { LITTLE_ENDIAN_CHUNK = 0x42, BIG_ENDIAN_CHUNK = 0x23 };
enum { HEADER_BYTES = 18, LAST_EVENT_AT = 10, NUMBER_BYTES = 8, LONG_LENGTH = 255 };

struct chunk {
    const unsigned char *bytes;
    uint64_t n; // of them, the header included
    uint64_t at;
    bool is_big_endian;
};

static uint64_t number_at(const struct chunk *chunk, uint64_t at)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < NUMBER_BYTES; i++)
        number = number << 8 | chunk->bytes[at + (chunk->is_big_endian ? i : NUMBER_BYTES - 1 - i)];
    return number;
}

// Reads the chunk of at most CHUNK_BYTES that begins AT; false without one. Its `bytes` are those
// of MEMORY.
static bool load_chunk(FILE *file, uint64_t at, uint64_t chunk_bytes, struct chunk_memory *memory,
                       struct chunk *chunk)
{
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    if (end < 0 || (uint64_t)end < at + HEADER_BYTES || chunk_bytes <= HEADER_BYTES)
        return false;
    uint64_t n_bytes = (uint64_t)end - at < chunk_bytes ? (uint64_t)end - at : chunk_bytes;
    memory->bytes = array_reserve(memory->bytes, &memory->capacity, n_bytes, 1);
    if (fseek(file, (long)at, SEEK_SET) != 0 || fread(memory->bytes, 1, n_bytes, file) != n_bytes)
        return false;
    *chunk = (struct chunk){.bytes = memory->bytes,
                            .n = n_bytes,
                            .at = HEADER_BYTES,
                            .is_big_endian = memory->bytes[1] == BIG_ENDIAN_CHUNK};
    return chunk->bytes[0] == CHUNK_HEADER &&
           (chunk->is_big_endian || chunk->bytes[1] == LITTLE_ENDIAN_CHUNK);
}

// The next N_BYTES; false unless something follows them, as OTF2 wants it.
static inline bool skip(struct chunk *chunk, uint64_t n_bytes)
{
    if (n_bytes >= chunk->n - chunk->at)
        return false;
    chunk->at += n_bytes;
    return true;
}

static inline int next_byte(struct chunk *chunk)
{
    return chunk->at < chunk->n ? chunk->bytes[chunk->at++] : DAMAGED;
}

static inline bool skip_content(struct chunk *chunk)
{
    int length = next_byte(chunk);
    if (length != LONG_LENGTH)
        return length >= 0 && skip(chunk, (uint64_t)length);
    uint64_t length_at = chunk->at;
    return skip(chunk, NUMBER_BYTES) && skip(chunk, number_at(chunk, length_at));
}

static inline bool skip_number(struct chunk *chunk)
{
    int length = next_byte(chunk);
    if (length == LONG_LENGTH)
        length = 0;
    return length >= 0 && length <= NUMBER_BYTES && skip(chunk, (uint64_t)length);
}

// The mark that ends the definitions of a chunk.
static int walk_definitions(struct chunk *chunk)
{
    for (;;) {
        int kind = next_byte(chunk);
        if (kind == END_OF_CHUNK || kind == END_OF_FILE)
            return kind;
        if (kind <= CHUNK_HEADER || !skip_content(chunk))
            return DAMAGED;
    }
}

// Kinds of OTF2 1.0; later ones all have a length.
static inline bool is_number_event(int kind)
{
    enum {
        ENTER = 12,
        LEAVE = 13,
        ISEND_COMPLETE = 16,
        IRECV_REQUEST = 17,
        REQUEST_TEST = 20,
        REQUEST_CANCELLED = 21,
        OMP_FORK = 24,
        OMP_TASK_CREATE = 28,
        OMP_TASK_SWITCH = 29,
        OMP_TASK_COMPLETE = 30
    };
    const uint64_t kinds = UINT64_C(1) << ENTER | UINT64_C(1) << LEAVE |
                           UINT64_C(1) << ISEND_COMPLETE | UINT64_C(1) << IRECV_REQUEST |
                           UINT64_C(1) << REQUEST_TEST | UINT64_C(1) << REQUEST_CANCELLED |
                           UINT64_C(1) << OMP_FORK | UINT64_C(1) << OMP_TASK_CREATE |
                           UINT64_C(1) << OMP_TASK_SWITCH | UINT64_C(1) << OMP_TASK_COMPLETE;
    return kind < 64 && (kinds >> kind & 1);
}

// Counts the events of a chunk; the mark that ends them.
static int walk_events(struct chunk *chunk, uint64_t *n_events)
{
    for (;;) {
        int kind = next_byte(chunk);
        if (kind == TIME_STAMP)
            kind = skip(chunk, NUMBER_BYTES) ? next_byte(chunk) : DAMAGED;
        if (kind == END_OF_CHUNK || kind == END_OF_FILE || kind == DAMAGED)
            return kind;
        if (!(is_number_event(kind) ? skip_number(chunk) : skip_content(chunk)))
            return DAMAGED;
        *n_events += kind != ATTRIBUTE_LIST; // which belongs to the event after it
    }
}

bool file_check_definitions(const char *path, uint64_t chunk_bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return true;
    struct chunk_memory memory = {0};
    struct chunk chunk;
    int mark = END_OF_CHUNK;
    for (uint64_t at = 0; mark == END_OF_CHUNK; at += chunk_bytes)
        mark =
            load_chunk(file, at, chunk_bytes, &memory, &chunk) ? walk_definitions(&chunk) : DAMAGED;
    free(memory.bytes);
    fclose(file);
    return mark == END_OF_FILE;
}

void file_check_next_chunk(struct event_walk *walk, const char *path, uint64_t chunk_bytes,
                           struct chunk_memory *memory)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        walk->is_done = true;
        walk->is_sound = walk->at == 0;
        walk->n_events = walk->is_sound ? UINT64_MAX : walk->n_events;
        return;
    }
    struct chunk chunk;
    int mark = load_chunk(file, walk->at, chunk_bytes, memory, &chunk)
                   ? walk_events(&chunk, &walk->n_events)
                   : DAMAGED;
    fclose(file);
    walk->at += chunk_bytes;
    walk->is_done = mark != END_OF_CHUNK;
    walk->is_sound = mark == END_OF_FILE && walk->n_events >= number_at(&chunk, LAST_EVENT_AT);
}
