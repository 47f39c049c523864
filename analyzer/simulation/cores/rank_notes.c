// SPDX-License-Identifier: BSD-3-Clause
// The file is a sequence of blocks, each of one row, with the number of the row's next one in
// front. In a block follow pairs of LEB128 numbers: the time since the last note, the number. A
// row's last block stays in memory.
#include "analyzer/simulation/cost/recorded.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/format/numbers.h"
#include "analyzer/base/memory.h"

enum { BLOCK_BYTES = 4096, NO_FILE = -1 };
#define NO_BLOCK UINT64_MAX

struct block {
    uint64_t next; // number of the row's next one, NO_BLOCK: none yet
    uint32_t n_bytes;
    unsigned char bytes[BLOCK_BYTES - 16];
};

struct row {
    struct block *last; // NULL: nothing
    uint64_t first, last_number;
    uint64_t time_ns;
};

struct rank_notes {
    struct row *rows;
    size_t n_rows;
    int file;
    struct block **kept; // by number, up to the last one that is not in the file; NULL: there
    size_t n_kept, kept_capacity;
    uint64_t n_blocks;
};

/// A place in a row.
struct place {
    const struct row *row;
    struct block block;
    uint32_t at;
    bool is_over;
    uint64_t time_ns, number; // the pair read last
};

struct rank_notes_reader {
    const struct rank_notes *notes;
    bool has_failed;
    struct place *places[]; // by row, NULL: not asked for yet
};

struct rank_notes *rank_notes_new(size_t n_rows)
{
    struct rank_notes *notes = memory_zeroed(1, sizeof *notes);
    notes->rows = memory_zeroed(n_rows, sizeof *notes->rows);
    notes->n_rows = n_rows;
    notes->file = NO_FILE;
    return notes;
}

void rank_notes_free(struct rank_notes *notes)
{
    if (!notes)
        return;
    FREE_MEMBERS(notes->rows, notes->n_rows, last);
    memory_free_each(notes->kept, notes->n_kept);
    free(notes->rows);
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

/// The full last block of ROW goes to the file, or stays in memory where it cannot.
static void put_away(struct rank_notes *notes, struct row *row)
{
    if (notes->file == NO_FILE)
        notes->file = scratch_file_open(scratch_file_folder());
    if (notes->file != NO_FILE && scratch_file_write(notes->file, row->last, sizeof *row->last,
                                                     place_of(row->last_number)) == 0)
        return;
    keep(notes, row->last, row->last_number);
    row->last = memory_new(sizeof *row->last);
}

static void make_room(struct rank_notes *notes, struct row *row)
{
    if (row->last && row->last->n_bytes + 2 * NUMBER_BYTES <= sizeof row->last->bytes)
        return;
    uint64_t number = notes->n_blocks++;
    if (row->last) {
        row->last->next = number;
        put_away(notes, row);
    } else {
        row->last = memory_new(sizeof *row->last);
        row->first = number;
    }
    memset(row->last, 0, sizeof *row->last);
    row->last->next = NO_BLOCK;
    row->last_number = number;
}

void rank_notes_add(struct rank_notes *notes, size_t index, uint64_t time_ns, uint64_t number)
{
    struct row *row = &notes->rows[index];
    if (time_ns < row->time_ns)
        return; // clocks that go back
    make_room(notes, row);
    struct block *last = row->last;
    last->n_bytes += number_write(last->bytes + last->n_bytes, time_ns - row->time_ns);
    last->n_bytes += number_write(last->bytes + last->n_bytes, number);
    row->time_ns = time_ns;
}

// --- reading

static void read_block(struct rank_notes_reader *reader, struct place *place, uint64_t number)
{
    const struct rank_notes *notes = reader->notes;
    const struct block *kept = number < notes->n_kept ? notes->kept[number] : NULL;
    if (number == place->row->last_number)
        kept = place->row->last;
    place->at = 0;
    if (kept)
        place->block = *kept;
    else if (scratch_file_read(notes->file, &place->block, sizeof place->block, place_of(number)) !=
             sizeof place->block)
        place->is_over = reader->has_failed = true;
}

static void read_pair(struct rank_notes_reader *reader, struct place *place)
{
    if (place->at == place->block.n_bytes && place->block.next != NO_BLOCK)
        read_block(reader, place, place->block.next);
    place->is_over = place->is_over || place->at == place->block.n_bytes;
    if (place->is_over)
        return;
    place->time_ns += number_read(place->block.bytes, &place->at);
    place->number = number_read(place->block.bytes, &place->at);
}

/// Before the first note of ROW, which has some.
static struct place *begin_row(struct rank_notes_reader *reader, const struct row *row)
{
    struct place *place = memory_zeroed(1, sizeof *place);
    place->row = row;
    read_block(reader, place, row->first);
    read_pair(reader, place);
    return place;
}

struct rank_notes_reader *rank_notes_read(const struct rank_notes *notes)
{
    struct rank_notes_reader *reader =
        memory_zeroed(1, sizeof *reader + notes->n_rows * sizeof reader->places[0]);
    reader->notes = notes;
    return reader;
}

void rank_notes_reader_free(struct rank_notes_reader *reader)
{
    for (size_t i = 0; reader && i < reader->notes->n_rows; i++)
        free(reader->places[i]);
    free(reader);
}

int rank_notes_check(const struct rank_notes_reader *reader, struct error *err)
{
    if (!reader || !reader->has_failed)
        return 0;
    return error_set(err,
                     "the temporary file in %s cannot be read back; TMPDIR names another folder",
                     scratch_file_folder());
}

bool rank_notes_at(struct rank_notes_reader *reader, size_t row, uint64_t time_ns, uint64_t *number)
{
    struct place *place = reader->places[row];
    if (!place && !reader->notes->rows[row].last)
        return false;
    if (!place)
        place = reader->places[row] = begin_row(reader, &reader->notes->rows[row]);
    while (place->time_ns < time_ns && !place->is_over)
        read_pair(reader, place);
    if (place->time_ns != time_ns || place->is_over)
        return false;
    *number = place->number;
    return true;
}
