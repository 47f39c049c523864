// SPDX-License-Identifier: BSD-3-Clause
// See repair.h, and chunk_file.h and event_record.h for the structure of the files.
#include "analyzer/rewrite/repair/repair.h"

#include <stdio.h>

#include "analyzer/trace/chunk_file.h"
#include "analyzer/trace/event_record.h"

static void put_full(struct tail *tail, uint64_t number)
{
    uint64_t bytes = tail->is_big_endian ? htobe64(number) : htole64(number);
    fwrite(&bytes, sizeof bytes, 1, tail->file);
    tail->at += sizeof bytes;
}

static void put_byte(struct tail *tail, int byte)
{
    putc(byte, tail->file);
    tail->at++;
}

/// A number as OTF2 packs it, and the bytes that takes.
static unsigned packed_bytes(uint32_t number)
{
    unsigned n = 1;
    if (number == UINT32_MAX)
        return n;
    for (; number > 0; number >>= 8)
        n++;
    return n;
}

static void put_number(struct tail *tail, uint32_t number)
{
    unsigned n = packed_bytes(number) - 1;
    put_byte(tail, number == UINT32_MAX ? LONG_LENGTH : (int)n);
    for (unsigned i = 0; i < n; i++)
        put_byte(tail, number >> 8 * (tail->is_big_endian ? n - 1 - i : i) & 0xff);
}

void tail_begin_chunk(struct tail *tail)
{
    tail->chunk_at = tail->at;
    put_byte(tail, CHUNK_HEADER);
    put_byte(tail, tail->is_big_endian ? BIG_ENDIAN_CHUNK : LITTLE_ENDIAN_CHUNK);
    put_full(tail, tail->n_records + 1);
    put_full(tail, tail->n_records); // tail_end_chunk()
}

/// The header says which record is the last one.
void tail_end_chunk(struct tail *tail)
{
    uint64_t at = tail->at;
    fseeko(tail->file, (off_t)(tail->chunk_at + TAIL_LAST_RECORD_AT), SEEK_SET);
    put_full(tail, tail->n_records);
    fseeko(tail->file, (off_t)at, SEEK_SET);
    tail->at = at;
}

/// Goes to the next chunk unless N bytes and a mark fit into this one.
static void make_room(struct tail *tail, unsigned n)
{
    if (tail->at + n + 1 <= tail->chunk_at + tail->chunk_bytes)
        return;
    put_byte(tail, END_OF_CHUNK);
    tail_end_chunk(tail);
    while (tail->at < tail->chunk_at + tail->chunk_bytes)
        put_byte(tail, 0);
    tail_begin_chunk(tail);
    put_byte(tail, TIME_STAMP);
    put_full(tail, tail->ticks);
}

void tail_put_leave(struct tail *tail, const struct open_region *region)
{
    unsigned n = packed_bytes(region->id);
    make_room(tail, n + 2);
    put_byte(tail, region->is_context ? CALLING_CONTEXT_LEAVE : LEAVE);
    if (region->is_context)
        put_byte(tail, (int)n);
    put_number(tail, region->id);
    tail->n_records++;
}

/// As OTF2 does, with another byte after the mark.
void tail_put_end_mark(struct tail *tail)
{
    put_byte(tail, END_OF_FILE);
    put_byte(tail, 1);
}

// ---- whole records ----

/// The length of what follows, as records have it.
static void put_length(struct tail *tail, size_t n)
{
    put_byte(tail, n < LONG_LENGTH ? (int)n : LONG_LENGTH);
    if (n >= LONG_LENGTH)
        put_full(tail, n);
}

static void put_bytes(struct tail *tail, const unsigned char *bytes, size_t n)
{
    fwrite(bytes, 1, n, tail->file);
    tail->at += n;
}

void tail_put_time(struct tail *tail, uint64_t ticks)
{
    if (tail->n_records > 0 && ticks == tail->ticks)
        return;
    tail->ticks = ticks;
    make_room(tail, 1 + FULL_NUMBER_BYTES);
    put_byte(tail, TIME_STAMP);
    put_full(tail, ticks);
}

void tail_put_enter(struct tail *tail, const struct open_region *region)
{
    unsigned n = packed_bytes(region->id);
    make_room(tail, n + 4);
    put_byte(tail, region->is_context ? CALLING_CONTEXT_ENTER : ENTER);
    if (region->is_context)
        put_byte(tail, (int)n + 2);
    put_number(tail, region->id);
    if (region->is_context)
        put_number(tail, 1); // frames since the record before
    tail->n_records++;
}

void tail_put_record(struct tail *tail, const struct sound_record *record,
                     const struct sound_part *part)
{
    enum { MOST_LENGTH = 1 + FULL_NUMBER_BYTES };
    size_t n = (size_t)(record->content.end - record->content.at);
    make_room(tail, (unsigned)(n + part->n_attribute_bytes + 2 * (1 + MOST_LENGTH)));
    if (part->n_attribute_bytes > 0) {
        put_byte(tail, ATTRIBUTE_LIST);
        put_length(tail, part->n_attribute_bytes);
        put_bytes(tail, part->attributes, part->n_attribute_bytes);
    }
    put_byte(tail, record->kind);
    if (!event_record_is_bare_number(record->kind))
        put_length(tail, n);
    put_bytes(tail, record->content.at, n);
    tail->n_records++;
}
