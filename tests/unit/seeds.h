// SPDX-License-Identifier: BSD-3-Clause
// Which random programs a test runs.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/// Seeds 1 to N_DEFAULT, or what PAGODA_SEEDS says: "17" or "1-20000".
void seed_range(uint64_t n_default, uint64_t *first, uint64_t *last);

/// Whether the random run of SEED is as it should be; why not goes to STREAM, its trace into TEXT,
/// which the caller frees.
typedef bool seed_check(uint64_t seed, const void *context, char **text, FILE *stream);

/// Checks the runs of all seeds (seed_range()). Fails the test if one is not as it should be; the
/// shortest of those is left in a file, and checked once more to say why.
void seeds_check(uint64_t n_default, seed_check *check, const void *context);
