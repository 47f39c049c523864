// SPDX-License-Identifier: BSD-3-Clause
// Radix sort, the lowest digit first (Knuth, The Art of Computer Programming 3, section 5.2.5).
// Digits that all numbers share take no pass.
#include "analyzer/base/order.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

#define ORDER_OF(type, a, b) LESS_FIRST(*(const type *)(a), *(const type *)(b))

static int order_of(enum sort_type type, const void *a, const void *b)
{
    switch (type) {
    case SORT_BYTE:
        return ORDER_OF(uint8_t, a, b);
    case SORT_UINT32:
        return ORDER_OF(uint32_t, a, b);
    case SORT_INT:
        return ORDER_OF(int, a, b);
    case SORT_UINT64:
        return ORDER_OF(uint64_t, a, b);
    case SORT_INT64:
        return ORDER_OF(int64_t, a, b);
    case SORT_DOUBLE:
        return ORDER_OF(double, a, b);
    case SORT_TEXT:
        return strcmp(*(const char *const *)a, *(const char *const *)b);
    default:
        break;
    }
    uintptr_t place_a, place_b;
    memcpy(&place_a, a, sizeof place_a);
    memcpy(&place_b, b, sizeof place_b);
    return LESS_FIRST(place_a, place_b);
}

static int compare_by_keys(const void *a, const void *b, void *context)
{
    const struct sort_keys *keys = context;
    int order = 0;
    for (const struct sort_key *key = keys->keys; key < keys->keys + keys->n && order == 0; key++) {
        order = order_of(key->type, (const char *)a + key->offset, (const char *)b + key->offset);
        order = key->is_most_first ? -order : order;
    }
    return order;
}

static int compare_numbers(const void *a, const void *b, void *context)
{
    const struct sort_keys *keys = context;
    const char *items = keys->items;
    size_t number_a = *(const uint32_t *)a, number_b = *(const uint32_t *)b;
    int order = compare_by_keys(items + number_a * keys->item_bytes,
                                items + number_b * keys->item_bytes, context);
    return order ? order : LESS_FIRST(number_a, number_b);
}

static int compare_pointers(const void *a, const void *b, void *context)
{
    const char *item_a = *(const char *const *)a, *item_b = *(const char *const *)b;
    int order = compare_by_keys(item_a, item_b, context);
    return order ? order : LESS_FIRST(item_a, item_b);
}

void sort_by_keys(void *items, size_t n, struct sort_keys *keys)
{
    if (n > 0)
        qsort_r(items, n, keys->item_bytes, compare_by_keys, keys);
}

void sort_numbers_by_keys(uint32_t *numbers, size_t n, struct sort_keys *keys)
{
    if (n > 0)
        qsort_r(numbers, n, sizeof *numbers, compare_numbers, keys);
}

void sort_pointers_by_keys(void *pointers, size_t n, struct sort_keys *keys)
{
    if (n > 0)
        qsort_r(pointers, n, sizeof(void *), compare_pointers, keys);
}

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
