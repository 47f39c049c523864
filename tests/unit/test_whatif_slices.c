// SPDX-License-Identifier: BSD-3-Clause
// Ranks that keep their cores busy while they wait, on cores shared in slices of time.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "tests/reference/predicted_times.h"
#include "tests/reference/program.h"

static void predict(const char *text, const struct scenario_settings *settings,
                    struct predicted_times *times)
{
    struct error err = {{0}};
    if (predicted_times(text, settings, 1, times, &err) != 0)
        fail_msg("%s", err.text);
}

// One core, slices of 1000. Rank 0 has it first and works for 1000 of its 1500; rank 1 enters its
// receive at 1000 and spins until 2000. Rank 0 sends at 2500, leaves at 2510 and works on; at 3000
// it has 10 left. Rank 1 has the core again, and its message (sent at 2500, 20 on its way); it
// works for 300 and ends at 3300, rank 0 at 3310.
static void test_messages_wait_for_the_slice_of_their_receiver(void **state)
{
    (void)state;
    static const char text[] = "nodes a b\n"
                               "0 0    enter main\n"
                               "0 1500 enter MPI_Send\n"
                               "0 1500 send world 1 0 8\n"
                               "0 1510 leave MPI_Send\n"
                               "0 2010 leave main\n"
                               "1 0    enter main\n"
                               "1 0    enter MPI_Recv\n"
                               "1 1520 recv world 0 0 8\n"
                               "1 1520 leave MPI_Recv\n"
                               "1 1820 leave main\n";
    const struct scenario_settings settings = {
        .n_nodes = 1, .n_cores = 1, .spins = true, .slice_ns = 1000};
    struct predicted_times times;
    predict(text, &settings, &times);
    assert_int_equal(times.ranks[0].finish_ns, 3310);
    assert_int_equal(times.ranks[1].finish_ns, 3300);
    predicted_times_release(&times);
}

// Two cores, slices of 1000: 0 and 1 work; at 1000 rank 0 leaves its core to 2, then rank 1 its own
// to 0, which is done at 1500 and leaves it to 1. Rank 2 is done at 2000; rank 1, which has 1500
// left, keeps its core when its slice is over, for nobody else wants it.
static void test_slices_of_two_cores(void **state)
{
    (void)state;
    static const char text[] = "nodes a b c\n"
                               "0 0    enter main\n"
                               "0 1500 leave main\n"
                               "1 0    enter main\n"
                               "1 2500 leave main\n"
                               "2 0    enter main\n"
                               "2 1000 leave main\n";
    const struct scenario_settings settings = {
        .n_nodes = 1, .n_cores = 2, .spins = true, .slice_ns = 1000};
    struct predicted_times times;
    predict(text, &settings, &times);
    assert_int_equal(times.ranks[0].finish_ns, 1500);
    assert_int_equal(times.ranks[1].finish_ns, 3000);
    assert_int_equal(times.ranks[2].finish_ns, 2000);
    predicted_times_release(&times);
}

// Both ranks of a core spin until rank 2 sends at 10500: then rank 0 has the core, since 10000.
static void test_slices_go_by_while_all_wait(void **state)
{
    (void)state;
    static const char text[] = "nodes a b c\n"
                               "0 0     enter main\n"
                               "0 0     enter MPI_Recv\n"
                               "0 10500 recv world 2 0 8\n"
                               "0 10500 leave MPI_Recv\n"
                               "0 10600 leave main\n"
                               "1 0     enter main\n"
                               "1 0     enter MPI_Recv\n"
                               "1 10500 recv world 2 0 8\n"
                               "1 10500 leave MPI_Recv\n"
                               "1 10600 leave main\n"
                               "2 0     enter main\n"
                               "2 10500 enter MPI_Send\n"
                               "2 10500 send world 0 0 8\n"
                               "2 10500 leave MPI_Send\n"
                               "2 10500 enter MPI_Send\n"
                               "2 10500 send world 1 0 8\n"
                               "2 10500 leave MPI_Send\n"
                               "2 10500 leave main\n";
    const char *const places[] = {"x=0-1", "y=2"};
    const struct scenario_settings settings = {
        .places = places, .n_places = 2, .n_cores = 1, .spins = true, .slice_ns = 1000};
    struct predicted_times times;
    predict(text, &settings, &times);
    assert_int_equal(times.ranks[0].finish_ns, 10600);
    assert_int_equal(times.ranks[1].finish_ns, 10700);
    assert_int_equal(times.ranks[2].finish_ns, 10500);
    predicted_times_release(&times);
}

// Random programs end, nobody is let go on by force, times add up; and where every rank has a core
// slices are none.
static void test_random_programs(void **state)
{
    (void)state;
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const struct scenario_settings settings[] = {
            {.n_nodes = 1, .n_cores = 1, .spins = true, .slice_ns = 1 + seed % 40},
            {.n_nodes = 2, .n_cores = 2, .spins = true, .slice_ns = 1 + seed % 7},
            {.n_nodes = 1, .n_cores = PROGRAM_MAX_RANKS, .spins = true, .slice_ns = 10}};
        struct predicted_times times[3];
        struct error err = {{0}};
        char *text = sim_program_trace_text(seed, &limits);
        assert_int_equal(predicted_times(text, settings, 3, times, &err), 0);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(times[i].n_forced, 0);
            assert_int_equal(times[i].critical_path_ns, times[i].time_ns);
            for (size_t r = 0; r < times[i].n_ranks; r++) {
                const struct predicted_rank *rank = &times[i].ranks[r];
                assert_int_equal(rank->outside_ns + rank->wait_ns + rank->overhead_ns,
                                 rank->finish_ns - rank->first_ns);
                assert_true(i < 2 || rank->finish_ns == times[i].measured_finish_ns[r]);
            }
            predicted_times_release(&times[i]);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_wait_for_the_slice_of_their_receiver),
        cmocka_unit_test(test_slices_of_two_cores),
        cmocka_unit_test(test_slices_go_by_while_all_wait),
        cmocka_unit_test(test_random_programs),
    };
    return cmocka_run_group_tests_name("whatif slices", tests, NULL, NULL);
}
