// SPDX-License-Identifier: BSD-3-Clause
// The least of many keys, next to a search through all of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/base/tournament.h"

enum { MAX_PLACES = 70, CHANGES = 2000 };

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static tournament_key least(const tournament_key *keys, uint32_t n, uint32_t but)
{
    tournament_key first = TOURNAMENT_NONE;
    for (uint32_t i = 0; i < n; i++)
        if (i != but && keys[i] < first)
            first = keys[i];
    return first;
}

/// Keys that differ in the upper, the lower or no half, and places that lose theirs.
static void test_least_of_any_number(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (uint32_t n = 1; n <= MAX_PLACES; n++) {
        struct tournament tournament;
        tournament_key keys[MAX_PLACES];
        tournament_init(&tournament, n);
        for (uint32_t i = 0; i < n; i++)
            keys[i] = TOURNAMENT_NONE;
        for (int change = 0; change < CHANGES; change++) {
            uint32_t place = (uint32_t)(next_random(&random) % n);
            tournament_key upper = next_random(&random) % 8, lower = next_random(&random) % 8;
            keys[place] = next_random(&random) % 5 ? upper << 64 | lower : TOURNAMENT_NONE;
            tournament_set(&tournament, place, keys[place]);
            assert_true(tournament_at(&tournament, place) == keys[place]);
            assert_true(tournament_first(&tournament) == least(keys, n, n));
            assert_true(tournament_first_beside(&tournament, place) == least(keys, n, place));
        }
        tournament_release(&tournament);
    }
}

static void test_no_place(void **state)
{
    (void)state;
    struct tournament tournament;
    tournament_init(&tournament, 0);
    assert_true(tournament_first(&tournament) == TOURNAMENT_NONE);
    tournament_release(&tournament);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_of_any_number),
        cmocka_unit_test(test_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
