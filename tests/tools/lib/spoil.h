// SPDX-License-Identifier: BSD-3-Clause
// Random changes of a file's bytes, as a fuzzer makes them; the same seed makes the same ones.
#pragma once

#include <stddef.h>
#include <stdint.h>

void spoil_begin(uint64_t seed);

/// A number below LIMIT, which is not 0.
uint32_t spoil_random(uint32_t limit);

/// A copy of CONTENT with one to eight changes, a byte 0 after it, its length in *SIZE_BYTES. The
/// caller frees.
char *spoil(const char *content, size_t *size_bytes);
