// SPDX-License-Identifier: BSD-3-Clause
// What must hold for any prediction, on random MPI programs: with a core for every rank nothing
// changes, however cores are shared; the critical path sums to the run time; the times of a rank
// sum to its life; nobody waits for ever.
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

#ifdef __SANITIZE_ADDRESS__
enum { DEFAULT_SEEDS = 150 };
#else
enum { DEFAULT_SEEDS = 1000 };
#endif

static struct machine_point node_points[] = {{0, 7}, {100, 20}};
static struct machine_point network_points[] = {{0, 50}, {50000, 900}, {100000, 1500}};
static const struct machine machine = {
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
static const struct scenario_settings settings[] = {
    {.n_nodes = 1, .n_cores = PROGRAM_MAX_RANKS},
    {.n_nodes = PROGRAM_MAX_RANKS, .n_cores = 1, .is_sticky = true},
    {.n_nodes = 1, .n_cores = PROGRAM_MAX_RANKS, .is_sticky = true, .spins = true},
    {.n_nodes = 1, .n_cores = 1},
    {.n_nodes = 1, .n_cores = 1, .spins = true},
    {.n_nodes = 2, .n_cores = 1, .is_cyclic = true},
    {.n_nodes = 1, .n_cores = 2, .is_sticky = true, .hand_over_ns = 10},
    {.n_nodes = 1, .n_cores = 3, .spins = true},
    {.n_nodes = 1, .n_cores = PROGRAM_MAX_RANKS, .speed = 333333},
    {.n_nodes = 3, .n_cores = 1, .machine = &machine},
    {.n_nodes = 2, .n_cores = 2, .spins = true, .machine = &machine},
    {.n_nodes = 3, .n_cores = PROGRAM_MAX_RANKS, .machine = &narrow_machine},
    {.n_nodes = PROGRAM_MAX_RANKS, .n_cores = 1, .spins = true, .machine = &narrow_machine},
    // From here on some wait for ever; without wildcards the same under the last two.
    {.n_nodes = 3, .n_cores = PROGRAM_MAX_RANKS, .machine = &rendezvous_machine},
    {.n_nodes = 3, .n_cores = PROGRAM_MAX_RANKS, .machine = &narrow_rendezvous_machine},
};
enum { N_SETTINGS = sizeof settings / sizeof settings[0], N_ALONE = 3, N_ENDLESS = 2 };

/// Prints what is wrong with a prediction.
static bool is_sound(uint64_t seed, size_t setting, const struct predicted_times *times)
{
    bool ends = times->n_forced == 0 || setting >= N_SETTINGS - N_ENDLESS;
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
        bool is_same = setting >= N_ALONE || rank->finish_ns == times->measured_finish_ns[i];
        if (!is_whole || !is_same)
            print_error("seed %llu setting %zu rank %zu: lives %llu = %llu + %llu + %llu, ends at "
                        "%llu, measured %llu\n",
                        (unsigned long long)seed, setting, i, (unsigned long long)life_ns,
                        (unsigned long long)rank->outside_ns, (unsigned long long)rank->wait_ns,
                        (unsigned long long)rank->overhead_ns, (unsigned long long)rank->finish_ns,
                        (unsigned long long)times->measured_finish_ns[i]);
        is_good = is_good && is_whole && is_same;
    }
    return is_good;
}

static void test_properties_of_predictions(void **state)
{
    (void)state;
    uint64_t first = 1, last = DEFAULT_SEEDS, n_failed = 0, n_compared = 0;
    const char *seeds = getenv("PAGODA_SEEDS");
    if (seeds) {
        char *rest;
        first = last = strtoull(seeds, &rest, 10);
        if (*rest == '-')
            last = strtoull(rest + 1, NULL, 10);
    }
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    for (uint64_t seed = first; seed <= last; seed++) {
        struct predicted_times times[N_SETTINGS];
        struct error err = {{0}};
        char *text = sim_program_trace_text(seed, &limits);
        bool is_good = predicted_times(text, settings, N_SETTINGS, times, &err) == 0;
        if (!is_good)
            print_error("seed %llu: %s\n", (unsigned long long)seed, err.text);
        // A rendezvous goes on where its receiver has posted a wildcard, which times decide.
        bool has_wildcards = strstr(text, " any") != NULL;
        n_compared += !has_wildcards;
        if (is_good && !has_wildcards &&
            (times[N_SETTINGS - 1].n_forced == 0) != (times[N_SETTINGS - 2].n_forced == 0)) {
            print_error("seed %llu: links and buses make it wait for ever, or not\n",
                        (unsigned long long)seed);
            is_good = false;
        }
        for (size_t i = 0; i < N_SETTINGS; i++) {
            is_good = is_good && is_sound(seed, i, &times[i]);
            predicted_times_release(&times[i]);
        }
        n_failed += !is_good;
        free(text);
    }
    assert_int_equal(n_failed, 0);
    assert_true(seeds || n_compared > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_properties_of_predictions)};
    return cmocka_run_group_tests_name("whatif properties", tests, NULL, NULL);
}
