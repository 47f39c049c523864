// SPDX-License-Identifier: BSD-3-Clause
// What must hold when work moves between ranks, calls are overlapped and messages put together, on
// random MPI programs: moved work is neither lost nor doubled; the critical path sums to the run
// time and the times of a rank to its life; nobody waits for ever; waiting later never makes a run
// without overheads longer.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/engine_run.h"
#include "tests/reference/program.h"
#include "tests/unit/seeds.h"

#ifdef __SANITIZE_ADDRESS__
enum { DEFAULT_SEEDS = 100 };
#else
enum { DEFAULT_SEEDS = 600 };
#endif

static struct machine_point points[] = {{0, 50}, {50000, 900}};
static const struct machine machine = {
    .speed = 1000000,
    .messages = {{.points = points, .n_points = 2, .eager_bytes = 30000},
                 {.points = points, .n_points = 2, .eager_bytes = 30000}},
};

enum {
    UNCHANGED,
    FROM_FIRST,
    TO_FIRST,
    OVERLAP,
    AGGREGATE,
    ALL_AT_ONCE,
    MACHINE,
    MACHINE_OVERLAP,
    N_SETTINGS,
};

static uint32_t count_ranks(const char *text)
{
    uint32_t n_ranks = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (*line >= '0' && *line <= '9' && (uint32_t)atoi(line) >= n_ranks)
            n_ranks = (uint32_t)atoi(line) + 1;
    }
    return n_ranks;
}

static bool is_sound(uint64_t seed, size_t setting, const struct predicted_times *times)
{
    bool is_good = times->critical_path_ns == times->time_ns && times->n_forced == 0;
    for (size_t i = 0; i < times->n_ranks; i++) {
        const struct predicted_rank *rank = &times->ranks[i];
        is_good = is_good && rank->outside_ns + rank->wait_ns + rank->overhead_ns ==
                                 rank->finish_ns - rank->first_ns;
    }
    if (!is_good)
        print_error("seed %llu setting %zu: time %llu, critical path %llu, %llu forced\n",
                    (unsigned long long)seed, setting, (unsigned long long)times->time_ns,
                    (unsigned long long)times->critical_path_ns,
                    (unsigned long long)times->n_forced);
    return is_good;
}

static uint64_t work_of(const struct predicted_times *times)
{
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < times->n_ranks; i++)
        sum_ns += times->ranks[i].outside_ns;
    return sum_ns;
}

/// Whether what was found for one program is as it must be; counts runs in which work moved.
static bool is_right(uint64_t seed, const struct predicted_times *times, uint64_t *n_moved)
{
    bool is_good = true;
    for (size_t i = 0; i < N_SETTINGS; i++)
        is_good = is_sound(seed, i, &times[i]) && is_good;
    for (size_t i = FROM_FIRST; i <= TO_FIRST; i++) {
        if (work_of(&times[i]) != work_of(&times[UNCHANGED])) {
            print_error("seed %llu setting %zu: %llu ns of work, %llu before\n",
                        (unsigned long long)seed, i, (unsigned long long)work_of(&times[i]),
                        (unsigned long long)work_of(&times[UNCHANGED]));
            is_good = false;
        }
        *n_moved += times[i].ranks[0].outside_ns != times[UNCHANGED].ranks[0].outside_ns;
    }
    // With wildcards senders go on whose receiver is not known yet, which may be later then.
    if (seed % 2 == 1 && times[MACHINE_OVERLAP].time_ns > times[MACHINE].time_ns) {
        print_error("seed %llu: %llu ns, %llu without --overlap\n", (unsigned long long)seed,
                    (unsigned long long)times[MACHINE_OVERLAP].time_ns,
                    (unsigned long long)times[MACHINE].time_ns);
        is_good = false;
    }
    return is_good;
}

static bool check_program(uint64_t seed, uint64_t *n_moved)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    limits.allow_wildcards = limits.allow_foreign = seed % 2 == 0;
    char *text = sim_program_trace_text(seed, &limits), from_first[32], to_first[32];
    uint32_t last = count_ranks(text) - 1;
    snprintf(from_first, sizeof from_first, "main=0:1-%u", last);
    snprintf(to_first, sizeof to_first, "main=1-%u:0", last);
    const char *const from[] = {from_first}, *const to[] = {to_first}, *const all[] = {"main"};
    const struct region_scale half = {.pattern = "main", .factor = 500000};
    struct scenario_settings settings[N_SETTINGS];
    for (size_t i = 0; i < N_SETTINGS; i++)
        settings[i] = (struct scenario_settings){.n_nodes = 1, .n_cores = PROGRAM_MAX_RANKS};
    settings[FROM_FIRST].moves = settings[ALL_AT_ONCE].moves = from;
    settings[TO_FIRST].moves = to;
    settings[FROM_FIRST].n_moves = settings[TO_FIRST].n_moves = settings[ALL_AT_ONCE].n_moves = 1;
    settings[OVERLAP].overlaps = settings[MACHINE_OVERLAP].overlaps = all;
    settings[ALL_AT_ONCE].overlaps = all;
    settings[OVERLAP].n_overlaps = settings[MACHINE_OVERLAP].n_overlaps = 1;
    settings[ALL_AT_ONCE].n_overlaps = 1;
    settings[AGGREGATE].aggregate_bytes = UINT64_MAX;
    settings[ALL_AT_ONCE].aggregate_bytes = 1000;
    settings[ALL_AT_ONCE].n_nodes = 2;
    settings[ALL_AT_ONCE].n_cores = 1;
    settings[ALL_AT_ONCE].spins = seed % 2 == 0;
    settings[ALL_AT_ONCE].scales = &half;
    settings[ALL_AT_ONCE].n_scales = 1;
    settings[MACHINE].machine = settings[MACHINE_OVERLAP].machine = &machine;
    settings[ALL_AT_ONCE].machine = seed % 3 == 0 ? &machine : NULL;
    struct predicted_times times[N_SETTINGS];
    struct error err = {{0}};
    bool is_good = last == 0 || predicted_times(text, settings, N_SETTINGS, times, &err) == 0;
    if (!is_good)
        print_error("seed %llu: %s\n", (unsigned long long)seed, err.text);
    else if (last > 0)
        is_good = is_right(seed, times, n_moved);
    for (size_t i = 0; i < N_SETTINGS && last > 0; i++)
        predicted_times_release(&times[i]);
    free(text);
    return is_good;
}

static void test_properties_of_moves(void **state)
{
    (void)state;
    uint64_t first, last, n_failed = 0, n_moved = 0;
    seed_range(DEFAULT_SEEDS, &first, &last);
    for (uint64_t seed = first; seed <= last; seed++)
        n_failed += !check_program(seed, &n_moved);
    assert_int_equal(n_failed, 0);
    assert_true(n_moved > 0 || last < first + 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_properties_of_moves)};
    return cmocka_run_group_tests_name("whatif moves", tests, NULL, NULL);
}
