// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tools/lib/spoil.h"

#include <string.h>

#include "analyzer/base/memory.h"

enum { MOST_CHANGES = 8, LONGEST_PIECE = 16 };

static uint64_t state = 1;

void spoil_begin(uint64_t seed)
{
    state = seed + 1;
}

// xorshift64*, Vigna 2016.
uint32_t spoil_random(uint32_t limit)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * UINT64_C(2685821657736338717)) >> 33) % limit;
}

// One change: a byte, a bit, a hole, a doubled piece, or a new end.
static void change(char *content, size_t *size_bytes)
{
    uint32_t size = (uint32_t)*size_bytes;
    if (size < 2)
        return;
    uint32_t at = spoil_random(size), left = size - at;
    uint32_t length = 1 + spoil_random(left < LONGEST_PIECE ? left : LONGEST_PIECE);
    switch (spoil_random(6)) {
    case 0:
        content[at] = (char)spoil_random(256);
        break;
    case 1:
        content[at] = (char)(content[at] ^ 1 << spoil_random(8));
        break;
    case 2:
        content[at] = (char)(spoil_random(2) ? 0xff : 0);
        break;
    case 3:
        memmove(content + at, content + at + length, left - length);
        *size_bytes -= length;
        break;
    case 4:
        memmove(content + at + length, content + at, left);
        *size_bytes += length;
        break;
    default:
        *size_bytes = at;
    }
}

char *spoil(const char *content, size_t *size_bytes)
{
    uint32_t n_changes = 1 + spoil_random(MOST_CHANGES);
    char *spoilt = memory_zeroed(*size_bytes + LONGEST_PIECE * MOST_CHANGES + 1, 1);
    memcpy(spoilt, content, *size_bytes);
    for (uint32_t i = 0; i < n_changes; i++)
        change(spoilt, size_bytes);
    spoilt[*size_bytes] = 0;
    return spoilt;
}
