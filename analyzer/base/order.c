// SPDX-License-Identifier: BSD-3-Clause
// Radix sort, the lowest digit first (Knuth, The Art of Computer Programming 3, section 5.2.5).
// Digits that all numbers share take no pass.
#include "analyzer/base/order.h"

#include <stdbool.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { DIGIT_BITS = 11, DIGITS = 6, VALUES = 1 << DIGIT_BITS };

static size_t digit_of(uint64_t number, int digit)
{
    return number >> (digit * DIGIT_BITS) & (VALUES - 1);
}

/// How often each digit has each value, in COUNTS. Whether the items are sorted already.
static bool count(const char *items, size_t n, size_t size, uint64_t (*number)(const void *),
                  size_t (*counts)[VALUES])
{
    bool is_sorted = true;
    uint64_t before = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t own = number(items + i * size);
        is_sorted = is_sorted && own >= before;
        before = own;
        for (int digit = 0; digit < DIGITS; digit++)
            counts[digit][digit_of(own, digit)]++;
    }
    return is_sorted;
}

void sort_by_number(void *items, size_t n, size_t size, uint64_t (*number)(const void *item))
{
    SCOPED size_t(*counts)[VALUES] = memory_zeroed(DIGITS, sizeof *counts);
    if (n < 2 || count(items, n, size, number, counts))
        return;
    SCOPED char *copy = memory_new(n * size);
    char *from = items, *to = copy;
    for (int digit = 0; digit < DIGITS; digit++) {
        size_t *places = counts[digit], next = 0;
        if (places[digit_of(number(from), digit)] == n)
            continue;
        for (size_t value = 0; value < VALUES; value++) {
            size_t n_of_value = places[value];
            places[value] = next;
            next += n_of_value;
        }
        for (size_t i = 0; i < n; i++) {
            const char *item = from + i * size;
            memcpy(to + places[digit_of(number(item), digit)]++ * size, item, size);
        }
        char *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, n * size);
}
