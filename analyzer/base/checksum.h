// SPDX-License-Identifier: BSD-3-Clause
// Checksums tell different contents apart, but not where somebody wants them to be the same.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// SUM, 0 to begin with, with VALUE added.
static inline uint64_t checksum_mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 29;
}

/// The same with N BYTES.
static inline uint64_t checksum_bytes(uint64_t sum, const void *bytes, size_t n)
{
    const char *at = bytes;
    uint64_t value;
    sum = checksum_mix(sum, n);
    for (; n >= sizeof value; n -= sizeof value, at += sizeof value) {
        memcpy(&value, at, sizeof value);
        sum = checksum_mix(sum, value);
    }
    value = 0;
    memcpy(&value, at, n);
    return checksum_mix(sum, value);
}
