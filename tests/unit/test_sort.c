// SPDX-License-Identifier: BSD-3-Clause
// Sorting by numbers: like qsort() with the place as the last key, whatever digits the numbers
// have. Sorting by members. The binary search.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/order.h"
#include "tests/unit/unit_test.h"

struct item {
    uint64_t number;
    uint32_t place;
};

static uint64_t number_of(const void *item)
{
    return ((const struct item *)item)->number;
}

static int by_number_and_place(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

/// Sorts N pseudo-random numbers of which the bits of MASK count.
static void check(size_t n, uint64_t mask)
{
    struct item *items = calloc(n + 1, sizeof *items), *expected = calloc(n + 1, sizeof *items);
    uint64_t random = 1;
    for (uint32_t i = 0; i < n; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        items[i] = expected[i] = (struct item){(random ^ random >> 31) & mask, i};
    }
    sort_by_number(items, n, sizeof *items, number_of);
    qsort(expected, n, sizeof *expected, by_number_and_place);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(items[i].number, expected[i].number);
        assert_int_equal(items[i].place, expected[i].place);
    }
    free(items);
    free(expected);
}

TEST(test_sorted_as_qsort_does)
{
    static const uint64_t masks[] = {
        0, 7, 0xfff, UINT64_C(0xff00000000), UINT64_C(7) << 61, UINT64_C(0xfff) << 27, UINT64_MAX};
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++)
        for (size_t n = 0; n < 5000; n = 3 * n + 1)
            check(n, masks[i]);
}

TEST(test_pairs_and_times)
{
    assert_true(sort_pair(1, UINT32_MAX) < sort_pair(2, 0));
    assert_true(sort_pair(2, 0) < sort_pair(2, 1));
    static const int64_t longest_first[] = {INT64_MAX, 5, 0, -5, INT64_MIN};
    for (size_t i = 1; i < sizeof longest_first / sizeof longest_first[0]; i++)
        assert_true(sort_longest_first(longest_first[i - 1]) <
                    sort_longest_first(longest_first[i]));
}

TEST(test_binary_search)
{
    const int items[] = {1, 3, 3, 5};
    for (int wanted = 0; wanted <= 6; wanted++)
        for (size_t low = 0; low <= 4; low++) {
            size_t found, expected = low;
            while (expected < 4 && items[expected] < wanted)
                expected++;
            SEARCH(found, low, 4, i, items[i] < wanted);
            assert_int_equal(found, expected);
        }
}

/// A member of each type that structs are sorted by.
struct record {
    bool is_set;
    uint8_t byte;
    uint32_t rank;
    int number;
    uint64_t ns;
    int64_t change_ns;
    double share;
    const char *name;
    const struct record *of;
};

/// The ranks of N records as digits.
static int ranks_of(const struct record *sorted, size_t n)
{
    int digits = 0;
    for (size_t i = 0; i < n; i++)
        digits = 10 * digits + (int)sorted[i].rank;
    return digits;
}

TEST(test_sort_by_members)
{
    static const struct record all[] = {{0}, {0}};
    const struct record given[] = {
        {true, 200, 1, -1, UINT64_MAX, INT64_MIN, 0.5, "b", &all[1]},
        {false, 100, 2, 5, 1, INT64_MAX, -0.5, "a", &all[0]},
        {true, 100, 3, -7, 1, 0, 1e300, "b", &all[0]},
    };
    struct record records[3];
#define CHECK_ORDER(expected, ...)                                                                 \
    memcpy(records, given, sizeof given);                                                          \
    SORT_BY(records, 3, __VA_ARGS__);                                                              \
    assert_int_equal(ranks_of(records, 3), expected)
    CHECK_ORDER(213, LEAST(is_set), LEAST(rank));
    CHECK_ORDER(321, LEAST(byte), MOST(rank));
    CHECK_ORDER(321, MOST(rank));
    CHECK_ORDER(312, LEAST(number));
    CHECK_ORDER(231, LEAST(ns), LEAST(rank));
    CHECK_ORDER(132, MOST(ns), MOST(rank));
    CHECK_ORDER(132, LEAST(change_ns));
    CHECK_ORDER(312, MOST(share));
    CHECK_ORDER(213, LEAST(name), LEAST(rank));
    CHECK_ORDER(123, MOST(of), LEAST(name));
#undef CHECK_ORDER
    SORT_BY(records, 0, LEAST(rank));
}

TEST(test_numbers_and_pointers_are_sorted_by_members_then_by_place)
{
    const struct record records[] = {
        {.ns = 5}, {.ns = 9, .rank = 2}, {.ns = 9, .rank = 1}, {.ns = 5}};
    uint32_t numbers[] = {3, 2, 1, 0};
    const struct record *pointers[] = {&records[3], &records[2], &records[1], &records[0]};
    static const uint32_t expected[] = {2, 1, 0, 3};
    SORT_NUMBERS_BY(numbers, 4, records, MOST(ns), LEAST(rank));
    SORT_POINTERS_BY(pointers, 4, MOST(ns), LEAST(rank));
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(numbers[i], expected[i]);
        assert_ptr_equal(pointers[i], &records[expected[i]]);
    }
}
