// SPDX-License-Identifier: BSD-3-Clause
// With messages put together (--aggregate) no rank of a run ends later than without, on random MPI
// programs, at recorded costs and on machines whose times grow by leaps, where each rank has a core
// of its own.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "tests/reference/engine_run.h"
#include "tests/reference/program.h"
#include "tests/unit/seeds.h"

#ifdef __SANITIZE_ADDRESS__
enum { DEFAULT_SEEDS = 100 };
#else
enum { DEFAULT_SEEDS = 1000 };
#endif

enum { N_LIMITS = 3, N_MACHINES = 4, N_SETTINGS = N_LIMITS * N_MACHINES };
static const uint64_t limits_bytes[N_LIMITS] = {0, 300, UINT64_MAX};

// Bytes cost more and more, less and less, or nothing until there are many.
static struct machine_point dearer[] = {{0, 5}, {100, 6}, {1000, 200}, {30000, 90000}};
static struct machine_point cheaper[] = {{0, 100}, {200, 400}, {30000, 500}};
static struct machine_point by_leaps[] = {{50, 10}, {400, 10}, {401, 900}, {2000, 950}};

#define MESSAGES(given, eager)                                                                     \
    {                                                                                              \
        .points = given, .n_points = sizeof given / sizeof given[0], .eager_bytes = eager,         \
        .send_overhead_ns = 7, .receive_overhead_ns = 3                                            \
    }
static const struct machine machines[N_MACHINES - 1] = {
    {.speed = 1000000, .messages = {[MACHINE_NETWORK] = MESSAGES(dearer, 2000)}},
    {.speed = 1000000, .messages = {[MACHINE_NETWORK] = MESSAGES(cheaper, UINT64_MAX)}},
    {.speed = 1000000, .messages = {[MACHINE_NETWORK] = MESSAGES(by_leaps, UINT64_MAX)}},
};

/// Whether no rank of TOGETHER ends later than in ALONE; counts runs in which one ends earlier.
static bool is_never_later(uint64_t seed, size_t setting, const struct predicted_times *alone,
                           const struct predicted_times *together, uint64_t *n_shorter)
{
    bool is_good = true;
    for (size_t i = 0; i < alone->n_ranks; i++) {
        if (together->ranks[i].finish_ns <= alone->ranks[i].finish_ns)
            continue;
        print_error("seed %llu setting %zu rank %zu: ends at %llu, without --aggregate at %llu\n",
                    (unsigned long long)seed, setting, i,
                    (unsigned long long)together->ranks[i].finish_ns,
                    (unsigned long long)alone->ranks[i].finish_ns);
        is_good = false;
    }
    *n_shorter += together->time_ns < alone->time_ns;
    return is_good;
}

static bool check_program(uint64_t seed, uint64_t *n_shorter)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    // With wildcards senders go on whose receiver is not known yet, which depends on who comes
    // first.
    limits.allow_wildcards = limits.allow_foreign = false;
    char *text = sim_program_trace_text(seed, &limits);
    struct scenario_settings settings[N_SETTINGS];
    struct predicted_times times[N_SETTINGS];
    struct error err = {{0}};
    for (size_t i = 0; i < N_SETTINGS; i++) {
        settings[i] = SCENARIO_UNCHANGED;
        settings[i].machine = i / N_LIMITS > 0 ? &machines[i / N_LIMITS - 1] : NULL;
        settings[i].aggregate_bytes = limits_bytes[i % N_LIMITS];
    }
    bool is_good = predicted_times(text, settings, N_SETTINGS, times, &err) == 0;
    if (!is_good)
        print_error("seed %llu: %s\n", (unsigned long long)seed, err.text);
    for (size_t i = 0; i < N_SETTINGS && is_good; i++)
        if (i % N_LIMITS > 0)
            is_good = is_never_later(seed, i, &times[i - i % N_LIMITS], &times[i], n_shorter);
    for (size_t i = 0; i < N_SETTINGS; i++)
        predicted_times_release(&times[i]);
    free(text);
    return is_good;
}

static void test_never_later(void **state)
{
    (void)state;
    uint64_t first, last, n_failed = 0, n_shorter = 0;
    seed_range(DEFAULT_SEEDS, &first, &last);
    for (uint64_t seed = first; seed <= last; seed++)
        n_failed += !check_program(seed, &n_shorter);
    assert_int_equal(n_failed, 0);
    if (last - first > 100)
        assert_true(n_shorter > (last - first) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_never_later)};
    return cmocka_run_group_tests_name("whatif aggregate", tests, NULL, NULL);
}
