// SPDX-License-Identifier: BSD-3-Clause
// Calendars of links and buses against an array with an entry for each ns, and how much they hold.

#include "analyzer/simulation/network/contention.h"
#include "tests/reference/program.h"
#include "tests/unit/unit_test.h"

enum { LENGTH = 400, N_REQUESTS = 60, N_RUNS = 300 };

/// The end of the first stretch in [BEGIN, END) in which all of N_ALL are in use, BEGIN if none is.
static uint64_t conflict_end(const uint32_t *used, uint32_t n_all, uint64_t begin, uint64_t end)
{
    uint64_t at = begin;
    while (at < end && used[at] < n_all)
        at++;
    if (at >= end)
        return begin;
    while (used[at] >= n_all)
        at++;
    return at;
}

TEST(test_random_requests)
{
    for (uint64_t seed = 1; seed <= N_RUNS; seed++) {
        struct random random = {seed};
        struct calendar calendar = {.n_all = 1 + random_below(&random, 3)};
        uint32_t used[8 * LENGTH] = {0};
        uint64_t forgotten = 0;
        for (uint32_t i = 0; i < N_REQUESTS; i++) {
            uint64_t begin = forgotten + random_below(&random, LENGTH);
            uint64_t length = 1 + random_below(&random, 40), free;
            while ((free = calendar_conflict_end(&calendar, begin, begin + length)) != begin) {
                assert_int_equal(free, conflict_end(used, calendar.n_all, begin, begin + length));
                begin = free;
            }
            assert_int_equal(begin, conflict_end(used, calendar.n_all, begin, begin + length));
            calendar_reserve(&calendar, begin, begin + length);
            for (uint64_t at = begin; at < begin + length; at++)
                used[at]++;
            if (!random_chance(&random, 30))
                continue;
            forgotten += random_below(&random, 30);
            calendar_forget(&calendar, forgotten);
        }
        calendar_release(&calendar);
    }
}

/// Nothing of no length is ever in the way, nor has it anything in its way.
TEST(test_no_length)
{
    struct calendar calendar = {.n_all = 1};
    calendar_reserve(&calendar, 10, 20);
    assert_int_equal(calendar_conflict_end(&calendar, 15, 15), 15);
    assert_int_equal(calendar_conflict_end(&calendar, 5, 10), 5);
    assert_int_equal(calendar_conflict_end(&calendar, 5, 11), 20);
    assert_int_equal(calendar_conflict_end(&calendar, 20, 99), 20);
    calendar_release(&calendar);
}

/// One after the other without a gap is one step; what is over is let go.
TEST(test_memory)
{
    struct calendar calendar = {.n_all = 1};
    for (uint64_t i = 0; i < 100000; i++)
        calendar_reserve(&calendar, 10 * i, 10 * i + 10);
    assert_true(calendar.capacity < 16);
    calendar_release(&calendar);
    calendar = (struct calendar){.n_all = 1};
    for (uint64_t i = 0; i < 100000; i++) {
        calendar_forget(&calendar, 10 * i);
        calendar_reserve(&calendar, 10 * i + 100, 10 * i + 105);
    }
    assert_true(calendar.capacity < 128);
    assert_int_equal(calendar_conflict_end(&calendar, 999990, 999996), 999995);
    assert_int_equal(calendar_conflict_end(&calendar, 999995, 1000000), 999995);
    assert_int_equal(calendar_conflict_end(&calendar, 1000000, 1000001), 1000005);
    calendar_release(&calendar);
}
