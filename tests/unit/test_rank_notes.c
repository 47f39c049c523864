// SPDX-License-Identifier: BSD-3-Clause
// Notes of ranks, read back as they were written: from a file, and where none can be written, from
// memory.

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/cost/recorded.h"
#include "tests/unit/unit_test.h"

enum { N_RANKS = 3, N_NOTES = 20000 }; // of each of the first two ranks: several blocks

static uint64_t time_of(uint32_t rank, uint64_t note)
{
    return note * (rank + 2) + 1;
}

static uint64_t number_of(uint32_t rank, uint64_t note)
{
    return note % 1000 == 0 ? UINT64_MAX : note * note + rank;
}

static void check(struct rank_notes_reader *reader, uint32_t rank)
{
    uint64_t number = 7;
    assert_false(rank_notes_at(reader, rank, 0, &number));
    for (uint64_t note = 0; note < N_NOTES; note++) {
        assert_true(rank_notes_at(reader, rank, time_of(rank, note), &number));
        assert_int_equal(number, number_of(rank, note));
        assert_true(rank_notes_at(reader, rank, time_of(rank, note), &number)); // once more
        number = 7;
        assert_false(rank_notes_at(reader, rank, time_of(rank, note) + 1, &number));
        assert_int_equal(number, 7);
    }
    assert_false(rank_notes_at(reader, rank, UINT64_MAX, &number));
}

static void check_all(void)
{
    struct rank_notes *notes = rank_notes_new(N_RANKS);
    uint64_t number;
    struct error err = {{0}};
    for (uint64_t note = 0; note < N_NOTES; note++)
        for (uint32_t rank = 0; rank < 2; rank++)
            rank_notes_add(notes, rank, time_of(rank, note), number_of(rank, note));
    rank_notes_add(notes, 0, 5, 1); // earlier than the last one: lost
    struct rank_notes_reader *reader = rank_notes_read(notes);
    check(reader, 0);
    check(reader, 1);
    assert_false(rank_notes_at(reader, 2, 0, &number));
    assert_false(rank_notes_at(reader, 2, 5, &number));
    assert_int_equal(rank_notes_check(reader, &err), 0);
    rank_notes_reader_free(reader);
    rank_notes_free(notes);
}

TEST(test_notes_in_a_file)
{
    check_all();
}

TEST(test_notes_in_memory)
{
    const char *own = getenv("TMPDIR");
    SCOPED char *before = own ? memory_copy_text(own) : NULL;
    setenv("TMPDIR", "/nonexistent", 1);
    check_all();
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
}

TEST(test_notes_that_are_lost)
{
    uint64_t number;
    struct error err = {{0}};
    int next = open("/dev/null", O_RDONLY); // the temporary file will have its number
    assert_true(next >= 0);
    close(next);
    struct rank_notes *notes = rank_notes_new(1);
    for (uint64_t note = 0; note < N_NOTES; note++)
        rank_notes_add(notes, 0, time_of(0, note), number_of(0, note));
    assert_int_equal(ftruncate(next, 0), 0);
    struct rank_notes_reader *reader = rank_notes_read(notes);
    rank_notes_at(reader, 0, time_of(0, N_NOTES - 1), &number);
    assert_int_equal(rank_notes_check(reader, &err), -1);
    rank_notes_reader_free(reader);
    rank_notes_free(notes);
}
