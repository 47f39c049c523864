// SPDX-License-Identifier: BSD-3-Clause
// What must hold for changes of regions and messages, on random MPI programs: those that change
// nothing reproduce the recorded run to the nanosecond; whatever is left out nobody waits for ever,
// the critical path sums to the run time and the times of a rank to its life; with no work, message
// or synchronisation left the run lasts no longer than what no option takes away.
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
enum { DEFAULT_SEEDS = 25 };
#else
enum { DEFAULT_SEEDS = 200 };
#endif

static const struct region_scale by_one[] = {{"(program)", 1000000}};
static const struct region_scale by_none[] = {{"(program)", 0}};
// A rank that is balanced with itself.
static const struct region_work own_work[] = {
    {.pattern = "(program)", .is_balanced = true, .ranks = "0"}};
static const struct region_work even_work[] = {{.pattern = "(program)", .is_balanced = true}};
static const struct region_work short_work[] = {{.pattern = "(program)", .duration_ns = 77}};
static const char *const same_size[] = {"size>=0=1"};
static const char *const no_such_tag[] = {"tag=4000000000&from=0"};
static const char *const all_messages[] = {"size>=0"};
static const char *const some_messages[] = {"size>=200", "from=0&tag=0-1=0.3"};
static const char *const all_calls[] = {"MPI_*"};
static const char *const all_synchronisation[] = {"(program)"};

static const char *const overlapped[] = {"(program)"};
static struct machine_point points[] = {{0, 50}, {100000, 1500}};
static const struct machine machine = {
    .speed = 1000000,
    .messages = {[MACHINE_NETWORK] = {.points = points, .n_points = 2, .eager_bytes = 500}}};

// The first N_SAME change nothing.
static const struct scenario_settings settings[] = {
    {.scales = by_one, .n_scales = 1},
    {.works = own_work, .n_works = 1},
    {.cuts = same_size, .n_cuts = 1},
    {.cuts = no_such_tag, .n_cuts = 1},
    {.works = even_work, .n_works = 1},
    {.works = short_work, .n_works = 1, .cuts = some_messages, .n_cuts = 2},
    {.cuts = all_messages, .n_cuts = 1},
    {.cuts = some_messages, .n_cuts = 2, .n_nodes = 1, .n_cores = 2},
    {.drops = all_synchronisation, .n_drops = 1},
    {.drops = all_calls, .n_drops = 1, .works = even_work, .n_works = 1},
    {.drops = all_calls, .n_drops = 1, .cuts = all_messages, .n_cuts = 1},
    // With what others change about calls.
    {.cuts = some_messages, .n_cuts = 2, .overlaps = overlapped, .n_overlaps = 1},
    {.cuts = some_messages, .n_cuts = 2, .aggregate_bytes = 5000},
    {.drops = all_synchronisation, .n_drops = 1, .overlaps = overlapped, .n_overlaps = 1},
    {.cuts = some_messages,
     .n_cuts = 2,
     .drops = all_synchronisation,
     .n_drops = 1,
     .works = short_work,
     .n_works = 1,
     .n_nodes = 3,
     .machine = &machine},
    {.drops = all_calls,
     .n_drops = 1,
     .cuts = all_messages,
     .n_cuts = 1,
     .scales = by_none,
     .n_scales = 1},
};
enum { N_SETTINGS = sizeof settings / sizeof settings[0], N_SAME = 4 };

/// Prints what is wrong with a prediction.
static bool is_sound(uint64_t seed, size_t setting, const struct predicted_times *times)
{
    bool is_good = times->critical_path_ns == times->time_ns && times->n_forced == 0;
    if (!is_good)
        print_error("seed %llu setting %zu: time %llu, critical path %llu, %llu forced\n",
                    (unsigned long long)seed, setting, (unsigned long long)times->time_ns,
                    (unsigned long long)times->critical_path_ns,
                    (unsigned long long)times->n_forced);
    for (size_t i = 0; i < times->n_ranks; i++) {
        const struct predicted_rank *rank = &times->ranks[i];
        uint64_t life_ns = rank->finish_ns - rank->first_ns;
        bool is_whole = rank->outside_ns + rank->wait_ns + rank->overhead_ns == life_ns;
        bool is_same = setting >= N_SAME || rank->finish_ns == times->measured_finish_ns[i];
        bool is_idle = setting < N_SETTINGS - 1 || rank->outside_ns == 0;
        if (!is_whole || !is_same || !is_idle)
            print_error("seed %llu setting %zu rank %zu: lives %llu = %llu + %llu + %llu, ends at "
                        "%llu, measured %llu\n",
                        (unsigned long long)seed, setting, i, (unsigned long long)life_ns,
                        (unsigned long long)rank->outside_ns, (unsigned long long)rank->wait_ns,
                        (unsigned long long)rank->overhead_ns, (unsigned long long)rank->finish_ns,
                        (unsigned long long)times->measured_finish_ns[i]);
        is_good = is_good && is_whole && is_same && is_idle;
    }
    return is_good;
}

static bool seed_is_good(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    char *text = sim_program_trace_text(seed, &limits);
    struct error err = {{0}};
    struct engine_run *run = engine_run_new(text, &err);
    bool is_good = run != NULL;
    if (!run)
        print_error("seed %llu: %s\n", (unsigned long long)seed, err.text);
    for (size_t i = 0; i < N_SETTINGS && run; i++) {
        struct predicted_times times;
        // A program without collectives has none to leave out.
        if (predicted_times_of(run, &settings[i], &times, &err) == 0)
            is_good = is_sound(seed, i, &times) && is_good;
        else if (settings[i].drops != all_calls)
            print_error("seed %llu setting %zu: %s\n", (unsigned long long)seed, i, err.text);
        predicted_times_release(&times);
    }
    engine_run_free(run);
    free(text);
    return is_good;
}

static void test_changes(void **state)
{
    (void)state;
    uint64_t first, last, n_failed = 0;
    seed_range(DEFAULT_SEEDS, &first, &last);
    for (uint64_t seed = first; seed <= last; seed++)
        n_failed += !seed_is_good(seed);
    assert_int_equal(n_failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes)};
    return cmocka_run_group_tests_name("whatif changes", tests, NULL, NULL);
}
