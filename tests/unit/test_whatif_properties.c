// SPDX-License-Identifier: BSD-3-Clause
// What must hold for predictions, on random MPI programs. Of any: with a core for every rank
// nothing changes, however cores are shared; the critical path sums to the run time; the times of a
// rank sum to its life; no rank waits for ever. Of changed regions and messages: those that change
// nothing reproduce the recorded run to the nanosecond; with no work, message or synchronisation
// left no rank computes. With messages put together (--aggregate) no rank that has a core of its
// own ends later than without.
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
enum { PLACEMENT_SEEDS = 150, CHANGE_SEEDS = 25, AGGREGATE_SEEDS = 100 };
#else
enum { PLACEMENT_SEEDS = 1000, CHANGE_SEEDS = 200, AGGREGATE_SEEDS = 1000 };
#endif

static struct sim_program_limits undamaged(void)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    return limits;
}

/// What must hold beside the sums.
struct expected {
    bool is_unchanged, is_idle, may_wait_for_ever;
};

/// Prints what is wrong with a prediction.
static bool is_sound(uint64_t seed, size_t setting, const struct predicted_times *times,
                     struct expected expected)
{
    bool ends = times->n_forced == 0 || expected.may_wait_for_ever;
    bool is_good = times->critical_path_ns == times->time_ns && ends;
    if (!is_good)
        print_error("seed %llu setting %zu: time %llu, critical path %llu, %llu forced\n",
                    (unsigned long long)seed, setting, (unsigned long long)times->time_ns,
                    (unsigned long long)times->critical_path_ns,
                    (unsigned long long)times->n_forced);
    for (size_t i = 0; i < times->n_ranks; i++) {
        const struct predicted_rank *rank = &times->ranks[i];
        uint64_t life_ns = rank->finish_ns - rank->first_ns;
        bool is_whole = rank->outside_ns + rank->wait_ns + rank->overhead_ns == life_ns;
        bool is_same = !expected.is_unchanged || rank->finish_ns == times->measured_finish_ns[i];
        bool is_idle = !expected.is_idle || rank->outside_ns == 0;
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

// --- placements and machines

static struct machine_point node_points[] = {{0, 7}, {100, 20}};
static struct machine_point network_points[] = {{0, 50}, {50000, 900}, {100000, 1500}};
static const struct machine wide_machine = {
    .messages = {{.points = node_points, .n_points = 2, .eager_bytes = UINT64_MAX},
                 {.points = network_points,
                  .n_points = 3,
                  .eager_bytes = UINT64_MAX,
                  .send_overhead_ns = 3,
                  .receive_overhead_ns = 5}},
    .speed = 1500000,
};

// One message at a time in and out of a node.
static const struct machine narrow_machine = {
    .messages =
        {{.points = node_points, .n_points = 2, .eager_bytes = UINT64_MAX, .n_buses = 1},
         {.points = network_points, .n_points = 3, .eager_bytes = UINT64_MAX, .n_buses = 2}},
    .speed = 1000000,
    .out_links = 1,
    .in_links = 1,
};

// Large messages wait for their receiver, without and with links and buses; programs that rely on
// being sent at once wait for ever.
static const struct machine rendezvous_machine = {
    .messages = {{.points = node_points, .n_points = 2, .eager_bytes = 777},
                 {.points = network_points, .n_points = 3, .eager_bytes = 777}},
    .speed = 1000000,
};
static const struct machine narrow_rendezvous_machine = {
    .messages = {{.points = node_points, .n_points = 2, .eager_bytes = 777, .n_buses = 1},
                 {.points = network_points, .n_points = 3, .eager_bytes = 777, .n_buses = 2}},
    .speed = 1000000,
    .out_links = 1,
    .in_links = 1,
};

// The first N_ALONE leave every rank a core of its own.
static const struct scenario_settings placements[] = {
    {.n_nodes = 1, .n_cores = PROGRAM_MAX_RANKS},
    {.n_nodes = PROGRAM_MAX_RANKS, .n_cores = 1, .is_sticky = true},
    {.n_nodes = 1, .n_cores = PROGRAM_MAX_RANKS, .is_sticky = true, .spins = true},
    {.n_nodes = 1, .n_cores = 1},
    {.n_nodes = 1, .n_cores = 1, .spins = true},
    {.n_nodes = 2, .n_cores = 1, .is_cyclic = true},
    {.n_nodes = 1, .n_cores = 2, .is_sticky = true, .hand_over_ns = 10},
    {.n_nodes = 1, .n_cores = 3, .spins = true},
    {.n_nodes = 1, .n_cores = PROGRAM_MAX_RANKS, .speed = 333333},
    {.n_nodes = 3, .n_cores = 1, .machine = &wide_machine},
    {.n_nodes = 2, .n_cores = 2, .spins = true, .machine = &wide_machine},
    {.n_nodes = 3, .n_cores = PROGRAM_MAX_RANKS, .machine = &narrow_machine},
    {.n_nodes = PROGRAM_MAX_RANKS, .n_cores = 1, .spins = true, .machine = &narrow_machine},
    // From here on some wait for ever; without wildcards the same under the last two.
    {.n_nodes = 3, .n_cores = PROGRAM_MAX_RANKS, .machine = &rendezvous_machine},
    {.n_nodes = 3, .n_cores = PROGRAM_MAX_RANKS, .machine = &narrow_rendezvous_machine},
};
enum { N_PLACEMENTS = sizeof placements / sizeof placements[0], N_ALONE = 3, N_ENDLESS = 2 };

static void test_placements(void **state)
{
    (void)state;
    uint64_t first, last, n_failed = 0, n_compared = 0;
    seed_range(PLACEMENT_SEEDS, &first, &last);
    struct sim_program_limits limits = undamaged();
    for (uint64_t seed = first; seed <= last; seed++) {
        struct predicted_times times[N_PLACEMENTS];
        struct error err = {{0}};
        char *text = sim_program_trace_text(seed, &limits);
        bool is_good = predicted_times(text, placements, N_PLACEMENTS, times, &err) == 0;
        if (!is_good)
            print_error("seed %llu: %s\n", (unsigned long long)seed, err.text);
        // A rendezvous goes on where its receiver has posted a wildcard, which times decide.
        bool has_wildcards = strstr(text, " any") != NULL;
        n_compared += !has_wildcards;
        if (is_good && !has_wildcards &&
            (times[N_PLACEMENTS - 1].n_forced == 0) != (times[N_PLACEMENTS - 2].n_forced == 0)) {
            print_error("seed %llu: links and buses make it wait for ever, or not\n",
                        (unsigned long long)seed);
            is_good = false;
        }
        for (size_t i = 0; i < N_PLACEMENTS; i++) {
            struct expected expected = {.is_unchanged = i < N_ALONE,
                                        .may_wait_for_ever = i >= N_PLACEMENTS - N_ENDLESS};
            is_good = is_good && is_sound(seed, i, &times[i], expected);
            predicted_times_release(&times[i]);
        }
        n_failed += !is_good;
        free(text);
    }
    assert_int_equal(n_failed, 0);
    assert_true(getenv("PAGODA_SEEDS") || n_compared > 0);
}

// --- changed regions and messages

static const struct region_scale by_one[] = {{"(program)", 1000000}};
static const struct region_scale by_none[] = {{"(program)", 0}};
// A rank that is balanced with itself.
static const struct region_work own_work[] = {
    {.pattern = "(program)", .is_balanced = true, .ranks = "0"}};
static const struct region_work even_work[] = {{.pattern = "(program)", .is_balanced = true}};
static const struct region_work short_work[] = {{.pattern = "(program)", .duration_ns = 77}};
static const char *const same_size[] = {"size>=0=1"};
static const char *const no_such_tag[] = {"tag==4000000000&&from==0"};
static const char *const all_messages[] = {"size>=0"};
static const char *const some_messages[] = {"size>=200", "from==0&&tag==0-1=0.3"};
static const char *const all_calls[] = {"MPI_*"};
static const char *const all_synchronisation[] = {"(program)"};

static const char *const overlapped[] = {"(program)"};
static struct machine_point change_points[] = {{0, 50}, {100000, 1500}};
static const struct machine eager_machine = {
    .speed = 1000000,
    .messages = {[MACHINE_NETWORK] = {.points = change_points, .n_points = 2, .eager_bytes = 500}}};

// The first N_SAME change nothing.
static const struct scenario_settings changes[] = {
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
     .machine = &eager_machine},
    {.drops = all_calls,
     .n_drops = 1,
     .cuts = all_messages,
     .n_cuts = 1,
     .scales = by_none,
     .n_scales = 1},
};
enum { N_CHANGES = sizeof changes / sizeof changes[0], N_SAME = 4 };

static bool are_changes_good(uint64_t seed)
{
    struct sim_program_limits limits = undamaged();
    char *text = sim_program_trace_text(seed, &limits);
    struct error err = {{0}};
    struct engine_run *run = engine_run_new(text, &err);
    bool is_good = run != NULL;
    if (!run)
        print_error("seed %llu: %s\n", (unsigned long long)seed, err.text);
    for (size_t i = 0; i < N_CHANGES && run; i++) {
        struct predicted_times times;
        // A program without collectives has none to leave out.
        if (predicted_times_of(run, &changes[i], &times, &err) == 0)
            is_good = is_sound(seed, i, &times,
                               (struct expected){i < N_SAME, i == N_CHANGES - 1, false}) &&
                      is_good;
        else if (changes[i].drops != all_calls)
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
    seed_range(CHANGE_SEEDS, &first, &last);
    for (uint64_t seed = first; seed <= last; seed++)
        n_failed += !are_changes_good(seed);
    assert_int_equal(n_failed, 0);
}

// --- messages put together

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

static bool is_aggregation_good(uint64_t seed, uint64_t *n_shorter)
{
    struct sim_program_limits limits = undamaged();
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

static void test_aggregated_messages(void **state)
{
    (void)state;
    uint64_t first, last, n_failed = 0, n_shorter = 0;
    seed_range(AGGREGATE_SEEDS, &first, &last);
    for (uint64_t seed = first; seed <= last; seed++)
        n_failed += !is_aggregation_good(seed, &n_shorter);
    assert_int_equal(n_failed, 0);
    if (last - first > 100)
        assert_true(n_shorter > (last - first) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placements),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_aggregated_messages),
    };
    return cmocka_run_group_tests_name("whatif properties", tests, NULL, NULL);
}
