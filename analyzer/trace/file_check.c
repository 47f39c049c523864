// SPDX-License-Identifier: BSD-3-Clause
// Structure of OTF2 files (see file_check.h). A file is a row of chunks of equal size, the last one
// shorter. A chunk begins with the byte 3, the byte order, and the numbers of its first and last
// event, 8 bytes each; it ends with the byte 2 or with zeros, and the last one with the bytes 2 and
// 1. In between a definition is a byte for its kind, its length in one byte, or in 8 bytes behind
// the byte 255, and as many bytes of content.
#include "analyzer/trace/file_check.h"

#include <stdio.h>
#include <string.h>

enum { PADDING = 0, END_OF_FILE = 1, END_OF_CHUNK = 2, CHUNK_HEADER = 3 };
enum { HEADER_BYTES = 18, END_BYTES = 2, LONG_LENGTH = 255 };

// The number in 8 bytes, lowest first or lowest last.
static uint64_t number_of(const unsigned char *bytes, bool is_big_endian)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number = number << 8 | bytes[is_big_endian ? i : 7 - i];
    return number;
}

static uint64_t size_of(FILE *file)
{
    long size_bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    return size_bytes > 0 ? (uint64_t)size_bytes : 0;
}

static bool read_at(FILE *file, uint64_t at, unsigned char *bytes, size_t n)
{
    return fseek(file, (long)at, SEEK_SET) == 0 && fread(bytes, 1, n, file) == n;
}

static bool ends_well(FILE *file, uint64_t size_bytes)
{
    unsigned char end[END_BYTES];
    return size_bytes >= HEADER_BYTES + END_BYTES &&
           read_at(file, size_bytes - END_BYTES, end, END_BYTES) && end[0] == END_OF_CHUNK &&
           end[1] == END_OF_FILE;
}

// Length of a definition's content, of which the first byte was read; false at the end of the file.
static bool read_length(FILE *file, int first, uint64_t *length, uint64_t *at)
{
    unsigned char bytes[8];
    *length = (uint64_t)first;
    if (first != LONG_LENGTH)
        return first != EOF;
    *at += sizeof bytes;
    if (fread(bytes, 1, sizeof bytes, file) != sizeof bytes)
        return false;
    uint64_t little = number_of(bytes, false), big = number_of(bytes, true);
    *length = little < big ? little : big; // no definition is longer than 4 GiB
    return true;
}

// Follows the definitions of the chunk that begins at *AT; leaves the place of the byte behind its
// end in *AT.
static bool walk_chunk(FILE *file, uint64_t *at, uint64_t size_bytes)
{
    unsigned char header[HEADER_BYTES];
    if (!read_at(file, *at, header, HEADER_BYTES) || header[0] != CHUNK_HEADER)
        return false;
    *at += HEADER_BYTES;
    for (;;) {
        uint64_t length;
        int kind = fgetc(file);
        ++*at;
        if (kind == PADDING || kind == END_OF_CHUNK)
            return true;
        ++*at;
        if (kind <= CHUNK_HEADER || !read_length(file, fgetc(file), &length, at) ||
            length > size_bytes - *at || fseek(file, (long)length, SEEK_CUR) != 0)
            return false;
        *at += length;
    }
}

bool file_check_definitions(const char *path, uint64_t chunk_bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return true;
    uint64_t size_bytes = size_of(file);
    bool is_sound = ends_well(file, size_bytes) && chunk_bytes > HEADER_BYTES + END_BYTES;
    uint64_t at = 0;
    while (is_sound && at + 1 < size_bytes) {
        uint64_t next_chunk = at + chunk_bytes;
        is_sound = walk_chunk(file, &at, size_bytes) && at <= next_chunk;
        if (next_chunk < size_bytes)
            at = next_chunk;
        else if (at + 1 != size_bytes)
            is_sound = false; // the last chunk ends before the file does
    }
    fclose(file);
    return is_sound;
}

struct event_file file_check_events(const char *path, uint64_t chunk_bytes)
{
    struct event_file result = {.is_complete = true, .n_events = UINT64_MAX};
    unsigned char first[HEADER_BYTES], last[HEADER_BYTES];
    FILE *file = fopen(path, "rb");
    if (!file)
        return result;
    uint64_t size_bytes = size_of(file);
    result.is_complete = ends_well(file, size_bytes);
    result.n_events = size_bytes; // an event takes more than a byte
    uint64_t n_chunks = chunk_bytes ? size_bytes / chunk_bytes : 0;
    if (chunk_bytes && (n_chunks == 0 || (result.is_complete && size_bytes % chunk_bytes)))
        n_chunks++;
    uint64_t n_events = 0;
    if (n_chunks && read_at(file, 0, first, HEADER_BYTES) &&
        read_at(file, (n_chunks - 1) * chunk_bytes, last, HEADER_BYTES) &&
        first[0] == CHUNK_HEADER && last[0] == CHUNK_HEADER) {
        bool is_big_endian = number_of(first + 2, false) != 1; // the first event has number 1
        n_events = number_of(last + 10, is_big_endian);
    }
    if (n_events && n_events < size_bytes)
        result.n_events = n_events;
    else
        result.is_complete = false;
    fclose(file);
    return result;
}
