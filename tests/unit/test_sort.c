// SPDX-License-Identifier: BSD-3-Clause
// Sorting by numbers: like qsort() with the place as the last key, whatever digits the numbers
// have. The binary search.
#include <stdlib.h>

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
