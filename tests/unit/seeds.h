// SPDX-License-Identifier: BSD-3-Clause
// Which random programs a test runs.
#ifndef PAGODA_TESTS_UNIT_SEEDS_H
#define PAGODA_TESTS_UNIT_SEEDS_H

#include <stdint.h>

/// Seeds 1 to N_DEFAULT, or what PAGODA_SEEDS says: "17" or "1-20000".
void seed_range(uint64_t n_default, uint64_t *first, uint64_t *last);

#endif
