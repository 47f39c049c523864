// SPDX-License-Identifier: BSD-3-Clause
// File ends (see file_end.h). An OTF2 file is a row of chunks of equal size, the last one shorter.
// A chunk begins with the bytes 3 and the byte order, and the numbers of its first and last event,
// 8 bytes each; the last chunk ends with the bytes 2 (end of chunk) and 1 (end of file).
#include "analyzer/trace/file_end.h"

#include <stdio.h>
#include <string.h>

enum { HEADER_BYTES = 18, END_BYTES = 2 };

bool file_is_complete(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return true;
    unsigned char end[END_BYTES];
    bool is_complete = fseek(file, 0, SEEK_END) == 0 && ftell(file) >= HEADER_BYTES + END_BYTES &&
                       fseek(file, -END_BYTES, SEEK_END) == 0 &&
                       fread(end, 1, END_BYTES, file) == END_BYTES && end[0] == 2 && end[1] == 1;
    fclose(file);
    return is_complete;
}

// The number in 8 bytes, lowest first or lowest last.
static uint64_t number_of(const unsigned char *bytes, bool is_big_endian)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number = number << 8 | bytes[is_big_endian ? i : 7 - i];
    return number;
}

static bool read_header(FILE *file, uint64_t at, unsigned char header[HEADER_BYTES])
{
    return fseek(file, (long)at, SEEK_SET) == 0 &&
           fread(header, 1, HEADER_BYTES, file) == HEADER_BYTES && header[0] == 3;
}

uint64_t file_complete_events(const char *path, uint64_t chunk_bytes)
{
    unsigned char first[HEADER_BYTES], last[HEADER_BYTES];
    uint64_t n_events = UINT64_MAX;
    FILE *file = fopen(path, "rb");
    if (!file)
        return n_events;
    long size_bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    uint64_t n_chunks = size_bytes > 0 && chunk_bytes ? (uint64_t)size_bytes / chunk_bytes : 0;
    if (n_chunks && read_header(file, 0, first) &&
        read_header(file, (n_chunks - 1) * chunk_bytes, last)) {
        bool is_big_endian = number_of(first + 2, false) != 1; // the first event has number 1
        n_events = number_of(last + 10, is_big_endian);
    }
    fclose(file);
    return n_events;
}
