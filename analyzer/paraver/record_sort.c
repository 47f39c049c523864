// SPDX-License-Identifier: BSD-3-Clause
// An external merge sort: parts that fit into memory are sorted and written, and
// merged at the end (Knuth, The Art of Computer Programming, vol. 3, 5.4.1).
#include "analyzer/paraver/prv_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"
#include "analyzer/pag/tournament.h"

enum {
    PART_RECORDS = 1 << 16,
    LEAST_READ = 32, // records of a part at once
};

#define NUMBER_BITS 62

/// Its place in the order: time, kind, number.
struct keyed_record {
    uint64_t number;
    struct prv_record record;
};

struct record_sort {
    int file;
    int failure; // errno of the first write that failed
    uint64_t n;  // in the file and in memory
    struct keyed_record *part;
    size_t n_part;
};

static tournament_key key_of(const struct keyed_record *keyed)
{
    return (tournament_key)keyed->record.time_ns << 64 |
           (uint64_t)keyed->record.kind << NUMBER_BITS | keyed->number;
}

struct record_sort *record_sort_new(const char *folder, struct error *err)
{
    int file = scratch_file_open(folder);
    if (file < 0) {
        error_set(err, "cannot make a temporary file in %s: %s", folder, strerror(errno));
        return NULL;
    }
    struct record_sort *sort = memory_zeroed(1, sizeof *sort);
    sort->file = file;
    sort->part = memory_new(PART_RECORDS * sizeof *sort->part);
    return sort;
}

void record_sort_free(struct record_sort *sort)
{
    if (!sort)
        return;
    close(sort->file);
    FREE_ALL(sort->part, sort);
}

// --- parts

static int compare(const void *a, const void *b)
{
    tournament_key key_a = key_of(a), key_b = key_of(b);
    return (key_a > key_b) - (key_a < key_b);
}

static void write_part(struct record_sort *sort)
{
    uint64_t first = sort->n - sort->n_part;
    qsort(sort->part, sort->n_part, sizeof *sort->part, compare);
    if (sort->failure == 0)
        sort->failure = scratch_file_write(
            sort->file, sort->part, sort->n_part * sizeof *sort->part, first * sizeof *sort->part);
    sort->n_part = 0;
}

void record_sort_add(struct record_sort *sort, const struct prv_record *record)
{
    if (sort->n_part == PART_RECORDS)
        write_part(sort);
    sort->part[sort->n_part++] = (struct keyed_record){sort->n++, *record};
}

// --- merging

/// What is read of a part.
struct reader {
    struct keyed_record *records;
    size_t at, n;
    uint64_t next, end; // of the records in the file
};

struct merge {
    struct record_sort *sort;
    struct reader *readers;
    uint32_t n_readers;
    size_t read_records; // at once
    struct keyed_record *records;
    struct tournament tournament;
};

/// The next record of a part takes part, if there is one. 0, or -1 and ERR.
static int go_on(struct merge *merge, uint32_t part, struct error *err)
{
    struct reader *reader = &merge->readers[part];
    if (++reader->at >= reader->n) {
        uint64_t left = reader->end - reader->next;
        reader->at = 0;
        reader->n = left < merge->read_records ? (size_t)left : merge->read_records;
        size_t n_bytes = reader->n * sizeof *reader->records;
        ssize_t n = scratch_file_read(merge->sort->file, reader->records, n_bytes,
                                      reader->next * sizeof *reader->records);
        if (n != (ssize_t)n_bytes)
            return error_set(err, "cannot read a temporary file: %s",
                             n < 0 ? strerror(errno) : "it is cut");
        reader->next += reader->n;
    }
    tournament_set(&merge->tournament, part,
                   reader->n > 0 ? key_of(&reader->records[reader->at]) : TOURNAMENT_NONE);
    return 0;
}

/// Parts have consecutive numbers.
static uint32_t part_of(tournament_key key)
{
    uint64_t number = (uint64_t)key & ((UINT64_C(1) << NUMBER_BITS) - 1);
    return (uint32_t)(number / PART_RECORDS);
}

static int merge_parts(struct merge *merge, record_sort_put *put, void *context, struct error *err)
{
    for (uint32_t part = 0; part < merge->n_readers; part++)
        if (go_on(merge, part, err) != 0)
            return -1;
    for (tournament_key key; (key = tournament_first(&merge->tournament)) != TOURNAMENT_NONE;) {
        uint32_t part = part_of(key);
        const struct reader *reader = &merge->readers[part];
        put(context, &reader->records[reader->at].record);
        if (go_on(merge, part, err) != 0)
            return -1;
    }
    return 0;
}

int record_sort_walk(struct record_sort *sort, record_sort_put *put, void *context,
                     struct error *err)
{
    write_part(sort);
    free(sort->part);
    sort->part = NULL;
    if (sort->failure != 0)
        return error_set(err, "cannot write a temporary file: %s", strerror(sort->failure));
    struct merge merge = {.sort = sort,
                          .n_readers = (uint32_t)((sort->n + PART_RECORDS - 1) / PART_RECORDS)};
    size_t share = PART_RECORDS / (merge.n_readers + 1);
    merge.read_records = share > LEAST_READ ? share : LEAST_READ;
    merge.readers = memory_zeroed(merge.n_readers + 1, sizeof *merge.readers);
    merge.records = memory_new((merge.n_readers + 1) * merge.read_records * sizeof *merge.records);
    tournament_init(&merge.tournament, merge.n_readers);
    for (uint32_t i = 0; i < merge.n_readers; i++) {
        uint64_t first = (uint64_t)i * PART_RECORDS, end = first + PART_RECORDS;
        merge.readers[i] = (struct reader){.records = merge.records + i * merge.read_records,
                                           .next = first,
                                           .end = end < sort->n ? end : sort->n};
    }
    int status = merge_parts(&merge, put, context, err);
    tournament_release(&merge.tournament);
    FREE_ALL(merge.readers, merge.records);
    return status;
}
