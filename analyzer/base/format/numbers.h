// SPDX-License-Identifier: BSD-3-Clause
// Numbers one after the other, small ones in few bytes (LEB128). One function both writes
// and reads a struct, so its fields are listed once:
//
//   NUMBERS_PASS(numbers, point->time_ns, point->n_events, point->is_last);
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Zeroed: an empty row of numbers to be written.
struct numbers {
    unsigned char *bytes; // owned, unless it is read from elsewhere
    size_t n, capacity;
    size_t at; // the next one to be read
    bool is_reading;
    bool is_damaged; // a number was read that is not there, or cannot be
};

/// Writing: appends VALUE. Reading: the next number, 0 when there is none.
uint64_t numbers_pass(struct numbers *numbers, uint64_t value);

/// That for one to six variables, each of which becomes what is returned.
#define NUMBERS_PASS(numbers, ...)                                                                 \
    NUMBERS_PASS_OF(__VA_ARGS__, 6, 5, 4, 3, 2, 1)((numbers), __VA_ARGS__)
#define NUMBERS_PASS_OF(a, b, c, d, e, f, n, ...) NUMBERS_PASS_##n
#define NUMBERS_PASS_1(numbers, a)                ((a) = numbers_pass((numbers), (a)))
#define NUMBERS_PASS_2(numbers, a, ...)                                                            \
    NUMBERS_PASS_1(numbers, a), NUMBERS_PASS_1(numbers, __VA_ARGS__)
#define NUMBERS_PASS_3(numbers, a, ...)                                                            \
    NUMBERS_PASS_1(numbers, a), NUMBERS_PASS_2(numbers, __VA_ARGS__)
#define NUMBERS_PASS_4(numbers, a, ...)                                                            \
    NUMBERS_PASS_1(numbers, a), NUMBERS_PASS_3(numbers, __VA_ARGS__)
#define NUMBERS_PASS_5(numbers, a, ...)                                                            \
    NUMBERS_PASS_1(numbers, a), NUMBERS_PASS_4(numbers, __VA_ARGS__)
#define NUMBERS_PASS_6(numbers, a, ...)                                                            \
    NUMBERS_PASS_1(numbers, a), NUMBERS_PASS_5(numbers, __VA_ARGS__)

/// The same for an index below LIMIT; any other one that is read is damage.
uint32_t numbers_pass_index(struct numbers *numbers, uint32_t index, uint64_t limit);

/// The same where there may be none, UINT32_MAX, which takes one byte.
uint32_t numbers_pass_any_index(struct numbers *numbers, uint32_t index, uint64_t limit);

/// The same for the number of things that follow, each of a byte at least.
size_t numbers_pass_count(struct numbers *numbers, size_t count);

/// The same for a whole row, which stands in it with its length; one that is read is not owned.
void numbers_pass_row(struct numbers *numbers, struct numbers *row);

/// The numbers in N BYTES, to be read.
static inline struct numbers numbers_of(unsigned char *bytes, size_t n)
{
    return (struct numbers){.bytes = bytes, .n = n, .is_reading = true};
}

void numbers_release(struct numbers *numbers);

/// One number in bytes that the caller keeps, NUMBER_BYTES at most. Writing returns how many it
/// took; reading goes on to what is after it.
enum { NUMBER_BYTES = 10 };
static inline uint32_t number_write(unsigned char *bytes, uint64_t value)
{
    uint32_t n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (unsigned char)(value | 0x80);
    bytes[n++] = (unsigned char)value;
    return n;
}
static inline uint64_t number_read(const unsigned char *bytes, uint32_t *at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned char byte = bytes[(*at)++];
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}
