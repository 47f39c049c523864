// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/seeds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/unit_test.h"

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

/// Leaves the run of SEED in a file and says what is wrong with it.
static void show(uint64_t seed, seed_check *check, const void *context, uint64_t n_failed,
                 uint64_t n)
{
    char *text, *directory = scratch_directory();
    SCOPED char *path = memory_format("%s/seed-%" PRIu64 ".txt", directory, seed);
    fprintf(stderr, "%" PRIu64 " of %" PRIu64 " seeds fail; seed %" PRIu64 ", left in %s:\n",
            n_failed, n, seed, path);
    check(seed, context, &text, stderr);
    scratch_write(path, text, strlen(text));
    FREE_ALL(text, directory);
}

void seeds_check(uint64_t n_default, seed_check *check, const void *context)
{
    uint64_t first, last, n_failed = 0, shortest_seed = 0;
    size_t shortest = SIZE_MAX;
    seed_range(n_default, &first, &last);
    FILE *nowhere = fopen("/dev/null", "w");
    for (uint64_t seed = first; seed <= last; seed++) {
        char *text;
        bool is_sound = check(seed, context, &text, nowhere);
        n_failed += !is_sound;
        if (!is_sound && strlen(text) < shortest) {
            shortest = strlen(text);
            shortest_seed = seed;
        }
        free(text);
    }
    fclose(nowhere);
    if (n_failed == 0)
        return;
    show(shortest_seed, check, context, n_failed, last - first + 1);
    fail();
}
