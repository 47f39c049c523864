// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/seeds.h"

#include <stdlib.h>

void seed_range(uint64_t n_default, uint64_t *first, uint64_t *last)
{
    *first = 1;
    *last = n_default;
    const char *seeds = getenv("PAGODA_SEEDS");
    if (!seeds)
        return;
    char *rest;
    *first = *last = strtoull(seeds, &rest, 10);
    if (*rest == '-')
        *last = strtoull(rest + 1, NULL, 10);
}
