// SPDX-License-Identifier: BSD-3-Clause
// Orders for qsort() and bsearch(): by one key, then by another where that is the same. Sorting by
// members of structs. A binary search by any condition. Sorting by numbers, which for many items is
// several times as fast as qsort(). A heap, the first of whose items is at hand.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// How the numbers A and B are ordered: negative, 0 or positive. NaN is the same as any number.
#define LESS_FIRST(a, b) (((a) > (b)) - ((a) < (b)))
#define MORE_FIRST(a, b) LESS_FIRST((b), (a))

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
static inline uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
/// A less B, not below 0.
static inline uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/// The first order that is not 0 decides. All are computed: a later one must hold without those
/// before it.
#define ORDER_BY(...)                                                                              \
    order_by((const int[]){__VA_ARGS__}, sizeof(const int[]){__VA_ARGS__} / sizeof(int))
static inline int order_by(const int *orders, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}

/// For qsort() of plain numbers.
static inline int uint32_compare(const void *a, const void *b)
{
    return LESS_FIRST(*(const uint32_t *)a, *(const uint32_t *)b);
}
static inline int uint64_compare(const void *a, const void *b)
{
    return LESS_FIRST(*(const uint64_t *)a, *(const uint64_t *)b);
}
static inline int double_compare(const void *a, const void *b)
{
    return LESS_FIRST(*(const double *)a, *(const double *)b);
}

/// Sets PLACE to the first I from LOW on, below HIGH, at which the condition IS_BEFORE of I does
/// not hold, or to HIGH. It holds at all places before that one.
#define SEARCH(place, low, high, i, is_before)                                                     \
    do {                                                                                           \
        size_t low_ = (low), high_ = (high);                                                       \
        while (low_ < high_) {                                                                     \
            size_t i = low_ + (high_ - low_) / 2;                                                  \
            if (is_before)                                                                         \
                low_ = i + 1;                                                                      \
            else                                                                                   \
                high_ = i;                                                                         \
        }                                                                                          \
        (place) = low_;                                                                            \
    } while (0)

/// A member that structs are sorted by: LEAST(ns) those with the least first, MOST(ns) the others.
enum sort_type {
    SORT_BYTE, // bool, uint8_t
    SORT_UINT32,
    SORT_INT,
    SORT_UINT64,
    SORT_INT64,
    SORT_DOUBLE,
    SORT_TEXT,
    SORT_POINTER // by place
};
struct sort_key {
    size_t offset;
    enum sort_type type;
    bool is_most_first;
};
#define LEAST(member) SORT_KEY(member, false)
#define MOST(member)  SORT_KEY(member, true)
#define SORT_KEY(member, most)                                                                     \
    {                                                                                              \
        offsetof(sort_item, member), SORT_CHECKED(((sort_item *)0)->member), most                  \
    }
#define SORT_TYPE(value)                                                                           \
    _Generic((value), bool: SORT_BYTE, uint8_t: SORT_BYTE, uint32_t: SORT_UINT32, int: SORT_INT,   \
        uint64_t: SORT_UINT64, int64_t: SORT_INT64, double: SORT_DOUBLE, char *: SORT_TEXT,        \
        const char *: SORT_TEXT, default: SORT_POINTER)
/// Does not compile for a type that is none of these.
#ifdef __cppcheck__ // which takes the value as read
#define SORT_CHECKED(value) SORT_POINTER
#else
#define SORT_CHECKED(value)                                                                        \
    ((enum sort_type)(                                                                             \
        SORT_TYPE(value) +                                                                         \
        0 * sizeof(                                                                                \
                char[SORT_TYPE(value) != SORT_POINTER || sizeof(value) == sizeof(void *) ? 1       \
                                                                                         : -1])))
#endif

/// Sorts the N structs of the array ITEMS, which may be NULL without any, by the first of these
/// keys in which they differ: SORT_BY(losses, n, MOST(ns), LEAST(rank)).
#define SORT_BY(items, n, ...)                                                                     \
    SORT_WITH(sort_by_keys, __typeof__(*(items)), (items), (n), NULL, __VA_ARGS__)
/// The same for N numbers, uint32_t, of structs in the array ITEMS, and for pointers to structs of
/// one array. Those with the same keys come in the order of that array.
#define SORT_NUMBERS_BY(numbers, n, items, ...)                                                    \
    SORT_WITH(sort_numbers_by_keys, __typeof__(*(items)), (numbers), (n), (items), __VA_ARGS__)
#define SORT_POINTERS_BY(pointers, n, ...)                                                         \
    SORT_WITH(sort_pointers_by_keys, __typeof__(**(pointers)), (pointers), (n), NULL, __VA_ARGS__)
#define SORT_WITH(sort, type, array, count, of, ...)                                               \
    do {                                                                                           \
        typedef type sort_item;                                                                    \
        static const struct sort_key sort_keys[] = {__VA_ARGS__};                                  \
        sort((array), (count),                                                                     \
             &(struct sort_keys){sort_keys, sizeof sort_keys / sizeof *sort_keys, (of),            \
                                 sizeof(sort_item)});                                              \
    } while (0)
struct sort_keys {
    const struct sort_key *keys;
    size_t n;
    const void *items; // that numbers are of
    size_t item_bytes;
};
void sort_by_keys(void *items, size_t n, struct sort_keys *keys);
void sort_numbers_by_keys(uint32_t *numbers, size_t n, struct sort_keys *keys);
void sort_pointers_by_keys(void *pointers, size_t n, struct sort_keys *keys);

/// Sorts N ITEMS of SIZE bytes by the NUMBER of each, the least first; items of equal numbers stay
/// in their order. So a sort by several numbers begins with the one that counts least. Meanwhile it
/// holds a copy of the items.
void sort_by_number(void *items, size_t n, size_t size, uint64_t (*number)(const void *item));

/// The number of the pair (FIRST, SECOND), which is ordered as they are.
static inline uint64_t sort_pair(uint32_t first, uint32_t second)
{
    return (uint64_t)first << 32 | second;
}

/// That of NS, so that longer times come first.
static inline uint64_t sort_longest_first(int64_t ns)
{
    return (uint64_t)INT64_MAX - (uint64_t)ns;
}

/// Adds ITEM, of SIZE bytes, to the N of the heap ITEMS, which has room for it. IS_BEFORE orders
/// them: the one at half the place of another one is not after it.
static inline void heap_push(void *items, size_t n, size_t size, const void *item,
                             bool (*is_before)(const void *, const void *))
{
    char *heap = items;
    for (; n > 0 && is_before(item, heap + (n - 1) / 2 * size); n = (n - 1) / 2)
        memcpy(heap + n * size, heap + (n - 1) / 2 * size, size);
    memcpy(heap + n * size, item, size);
}

/// Takes the first one away: N - 1 are left. What is behind them is no longer used.
static inline void heap_pop(void *items, size_t n, size_t size,
                            bool (*is_before)(const void *, const void *))
{
    char *heap = items;
    const char *last = heap + --n * size;
    size_t place = 0;
    for (size_t child = 1; child < n; child = 2 * place + 1) {
        child += child + 1 < n && is_before(heap + (child + 1) * size, heap + child * size);
        if (!is_before(heap + child * size, last))
            break;
        memcpy(heap + place * size, heap + child * size, size);
        place = child;
    }
    memmove(heap + place * size, last, size);
}
