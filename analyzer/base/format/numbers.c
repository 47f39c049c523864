// SPDX-License-Identifier: BSD-3-Clause
// See numbers.h: seven bits of a number in each byte, the lowest first; the highest bit says that
// more follow.
#include "analyzer/base/format/numbers.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { BITS = 7, MORE = 0x80 };

static void write_number(struct numbers *numbers, uint64_t value)
{
    numbers->bytes =
        array_reserve(numbers->bytes, &numbers->capacity, numbers->n + NUMBER_BYTES, 1);
    numbers->n += number_write(numbers->bytes + numbers->n, value);
}

static uint64_t read_number(struct numbers *numbers)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && numbers->at < numbers->n; shift += BITS) {
        unsigned char byte = numbers->bytes[numbers->at++];
        value |= (uint64_t)(byte & (MORE - 1)) << shift;
        if (byte < MORE)
            return value;
    }
    numbers->is_damaged = true;
    return 0;
}

uint64_t numbers_pass(struct numbers *numbers, uint64_t value)
{
    if (numbers->is_reading)
        return read_number(numbers);
    write_number(numbers, value);
    return value;
}

uint32_t numbers_pass_index(struct numbers *numbers, uint32_t index, uint64_t limit)
{
    uint64_t number = numbers_pass(numbers, index);
    if (number < limit && number < UINT32_MAX)
        return (uint32_t)number;
    numbers->is_damaged = true;
    return 0;
}

uint32_t numbers_pass_any_index(struct numbers *numbers, uint32_t index, uint64_t limit)
{
    return numbers_pass_index(numbers, index + 1, limit + 1) - 1;
}

size_t numbers_pass_count(struct numbers *numbers, size_t count)
{
    uint64_t number = numbers_pass(numbers, count);
    if (!numbers->is_reading || number <= numbers->n - numbers->at)
        return number;
    numbers->is_damaged = true;
    return 0;
}

void numbers_pass_row(struct numbers *numbers, struct numbers *row)
{
    size_t n = numbers_pass_count(numbers, row->n);
    if (numbers->is_reading) {
        *row = numbers_of(numbers->bytes + numbers->at, n);
        numbers->at += n;
        return;
    }
    numbers->bytes = array_reserve(numbers->bytes, &numbers->capacity, numbers->n + n + 1, 1);
    if (n > 0)
        memcpy(numbers->bytes + numbers->n, row->bytes, n);
    numbers->n += n;
}

void numbers_release(struct numbers *numbers)
{
    if (!numbers->is_reading)
        free(numbers->bytes);
    *numbers = (struct numbers){0};
}
