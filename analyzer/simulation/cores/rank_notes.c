// SPDX-License-Identifier: BSD-3-Clause
// The file is a row of blocks, each of one rank, with the number of the rank's next one in front.
// In a block follow pairs of LEB128 numbers: the time since the last note, the number. A rank's
// last block stays in memory.
#include "analyzer/simulation/cores/rank_notes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"

enum { BLOCK_BYTES = 4096, NUMBER_BYTES = 10, NO_FILE = -1 };
#define NO_BLOCK UINT64_MAX

struct block {
    uint64_t next; // number of the rank's next one, NO_BLOCK: none yet
    uint32_t n_bytes;
    unsigned char bytes[BLOCK_BYTES - 16];
};

/// What was told of a rank.
struct track {
    struct block *last; // NULL: nothing
    uint64_t first, last_number;
    uint64_t time_ns;
};

struct rank_notes {
    struct track *tracks;
    size_t n_tracks;
    int file;
    struct block **kept; // by number, up to the last one that is not in the file; NULL: there
    size_t n_kept, kept_capacity;
    uint64_t n_blocks;
};

struct rank_notes_reader {
    const struct rank_notes *notes;
    const struct track *track;
    struct block block;
    uint32_t at;
    bool is_over, has_failed;
    uint64_t time_ns, number; // the pair read last
};

struct rank_notes *rank_notes_new(size_t n_ranks)
{
    struct rank_notes *notes = memory_zeroed(1, sizeof *notes);
    notes->tracks = memory_zeroed(n_ranks, sizeof *notes->tracks);
    notes->n_tracks = n_ranks;
    notes->file = NO_FILE;
    return notes;
}

void rank_notes_free(struct rank_notes *notes)
{
    if (!notes)
        return;
    for (size_t i = 0; i < notes->n_tracks; i++)
        free(notes->tracks[i].last);
    for (size_t i = 0; i < notes->n_kept; i++)
        free(notes->kept[i]);
    free(notes->kept);
    free(notes->tracks);
    if (notes->file != NO_FILE)
        close(notes->file);
    free(notes);
}

static uint64_t place_of(uint64_t number)
{
    return number * sizeof(struct block);
}

static void keep(struct rank_notes *notes, struct block *block, uint64_t number)
{
    notes->kept =
        array_reserve(notes->kept, &notes->kept_capacity, number + 1, sizeof *notes->kept);
    while (notes->n_kept <= number)
        notes->kept[notes->n_kept++] = NULL;
    notes->kept[number] = block;
}

/// The full last block of TRACK goes to the file, or stays in memory where it cannot.
static void put_away(struct rank_notes *notes, struct track *track)
{
    if (notes->file == NO_FILE)
        notes->file = scratch_file_open(scratch_file_folder());
    if (notes->file != NO_FILE && scratch_file_write(notes->file, track->last, sizeof *track->last,
                                                     place_of(track->last_number)) == 0)
        return;
    keep(notes, track->last, track->last_number);
    track->last = memory_new(sizeof *track->last);
}

static void make_room(struct rank_notes *notes, struct track *track)
{
    if (track->last && track->last->n_bytes + 2 * NUMBER_BYTES <= sizeof track->last->bytes)
        return;
    uint64_t number = notes->n_blocks++;
    if (track->last) {
        track->last->next = number;
        put_away(notes, track);
    } else {
        track->last = memory_new(sizeof *track->last);
        track->first = number;
    }
    memset(track->last, 0, sizeof *track->last);
    track->last->next = NO_BLOCK;
    track->last_number = number;
}

static void put_number(struct block *block, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        block->bytes[block->n_bytes++] = (unsigned char)(number | 0x80);
    block->bytes[block->n_bytes++] = (unsigned char)number;
}

void rank_notes_add(struct rank_notes *notes, uint32_t rank, uint64_t time_ns, uint64_t number)
{
    struct track *track = &notes->tracks[rank];
    if (time_ns < track->time_ns)
        return; // clocks that go back
    make_room(notes, track);
    put_number(track->last, time_ns - track->time_ns);
    put_number(track->last, number);
    track->time_ns = time_ns;
}

// --- reading

static void read_block(struct rank_notes_reader *reader, uint64_t number)
{
    const struct rank_notes *notes = reader->notes;
    const struct block *kept = number < notes->n_kept ? notes->kept[number] : NULL;
    if (number == reader->track->last_number)
        kept = reader->track->last;
    reader->at = 0;
    if (kept)
        reader->block = *kept;
    else if (scratch_file_read(notes->file, &reader->block, sizeof reader->block,
                               place_of(number)) != sizeof reader->block)
        reader->is_over = reader->has_failed = true;
}

static uint64_t get_number(struct rank_notes_reader *reader)
{
    uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
        unsigned char byte = reader->block.bytes[reader->at++];
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
}

static void read_pair(struct rank_notes_reader *reader)
{
    if (reader->at == reader->block.n_bytes && reader->block.next != NO_BLOCK)
        read_block(reader, reader->block.next);
    reader->is_over = reader->is_over || reader->at == reader->block.n_bytes;
    if (reader->is_over)
        return;
    reader->time_ns += get_number(reader);
    reader->number = get_number(reader);
}

struct rank_notes_reader *rank_notes_read(const struct rank_notes *notes, uint32_t rank)
{
    struct rank_notes_reader *reader = memory_zeroed(1, sizeof *reader);
    reader->notes = notes;
    reader->track = &notes->tracks[rank];
    reader->is_over = !reader->track->last;
    if (!reader->is_over) {
        read_block(reader, reader->track->first);
        read_pair(reader);
    }
    return reader;
}

void rank_notes_reader_free(struct rank_notes_reader *reader)
{
    free(reader);
}

bool rank_notes_failed(const struct rank_notes_reader *reader)
{
    return reader->has_failed;
}

bool rank_notes_at(struct rank_notes_reader *reader, uint64_t time_ns, uint64_t *number)
{
    while (reader->time_ns < time_ns && !reader->is_over)
        read_pair(reader);
    if (reader->time_ns != time_ns || reader->is_over)
        return false;
    *number = reader->number;
    return true;
}
