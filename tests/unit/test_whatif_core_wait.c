// SPDX-License-Identifier: BSD-3-Clause
// Recordings with more ranks than cores: what a rank took after its message was sent is partly the
// wait for a core, which is not there where it gets a core of its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/reference/predicted_times.h"

enum { ONE_CORE, TWO_CORES, N_SETTINGS };

static void predict(const char *text, bool spins, struct predicted_times *times)
{
    const struct scenario_settings settings[N_SETTINGS] = {
        {.n_nodes = 1, .n_cores = 1, .spins = spins}, {.n_nodes = 1, .n_cores = 2, .spins = spins}};
    struct error err = {{0}};
    if (predicted_times(text, settings, N_SETTINGS, times, &err) != 0)
        fail_msg("%s", err.text);
}

static void release(struct predicted_times *times)
{
    for (int i = 0; i < N_SETTINGS; i++)
        predicted_times_release(&times[i]);
}

// One core. Rank 1 waits from 0 on. Rank 0 sends at 10000 and works on until 1000000; only then
// rank 1 gets the core, finds the message and works 500000. Of the 991000 from the send's enter to
// the receive's leave rank 0 was outside MPI for 989000: 2000 are left, which count as 1984 (their
// five highest binary digits). No receive found its message there: receiving is no work.
static const char late_core[] = "nodes n n\n"
                                "cores n 1\n"
                                "0 0       enter main\n"
                                "0 10000   enter MPI_Send\n"
                                "0 11000   send world 1 0 8\n"
                                "0 11000   leave MPI_Send\n"
                                "0 1000000 leave main\n"
                                "1 0       enter main\n"
                                "1 0       enter MPI_Recv\n"
                                "1 1001000 recv world 0 0 8\n"
                                "1 1001000 leave MPI_Recv\n"
                                "1 1501000 leave main\n";

static void test_flight_less_the_wait_for_a_core(void **state)
{
    (void)state;
    struct predicted_times times[N_SETTINGS];
    predict(late_core, false, times);
    // From 11984 on both share the core; rank 0 has 988016 left, rank 1 500000.
    assert_int_equal(times[ONE_CORE].ranks[1].finish_ns, 11984 + 2 * 500000);
    assert_int_equal(times[ONE_CORE].ranks[0].finish_ns, 1500000);
    assert_int_equal(times[TWO_CORES].ranks[0].finish_ns, 1000000);
    assert_int_equal(times[TWO_CORES].ranks[1].finish_ns, 10000 + 1984 + 500000);
    release(times);
}

// Where ranks that wait keep their core busy, all of the flight may be the wait for a core.
static void test_no_flight_where_ranks_spin(void **state)
{
    (void)state;
    struct predicted_times times[N_SETTINGS];
    predict(late_core, true, times);
    assert_int_equal(times[TWO_CORES].ranks[0].finish_ns, 1000000);
    assert_int_equal(times[TWO_CORES].ranks[1].finish_ns, 10000 + 500000);
    release(times);
}

// The same, but rank 1 enters the receive as rank 0 sends: it did not wait for its sender, and the
// time it lacked its core is no work. 2000 of 991000 are, which count as 1984.
static const char late_core_at_once[] = "nodes n n\n"
                                        "cores n 1\n"
                                        "0 0       enter main\n"
                                        "0 10000   enter MPI_Send\n"
                                        "0 11000   send world 1 0 8\n"
                                        "0 11000   leave MPI_Send\n"
                                        "0 1000000 leave main\n"
                                        "1 10000   enter main\n"
                                        "1 10000   enter MPI_Recv\n"
                                        "1 1001000 recv world 0 0 8\n"
                                        "1 1001000 leave MPI_Recv\n"
                                        "1 1501000 leave main\n";

static void test_receive_less_the_wait_for_a_core(void **state)
{
    (void)state;
    struct predicted_times times[N_SETTINGS];
    predict(late_core_at_once, false, times);
    // Both share the core from 10000 on, until rank 1 has done 501984.
    assert_int_equal(times[ONE_CORE].ranks[1].finish_ns, 10000 + 2 * (1984 + 500000));
    assert_int_equal(times[ONE_CORE].ranks[0].finish_ns, 1000000 + 1984 + 500000);
    assert_int_equal(times[TWO_CORES].ranks[1].finish_ns, 10000 + 1984 + 500000);
    release(times);
}

// One core. Both compute; rank 1 is the last one in the barrier at 600000, but rank 0 leaves it
// first and computes until 800000, so that rank 1 leaves at 801000: 1000 after the barrier was
// complete.
static const char late_core_in_barrier[] = "nodes n n\n"
                                           "cores n 1\n"
                                           "0 0      enter main\n"
                                           "0 300000 enter MPI_Barrier\n"
                                           "0 600500 coll-end barrier world - 0 0\n"
                                           "0 600500 leave MPI_Barrier\n"
                                           "0 800000 enter MPI_Barrier\n"
                                           "0 901500 coll-end barrier world - 0 0\n"
                                           "0 901500 leave MPI_Barrier\n"
                                           "0 901500 leave main\n"
                                           "1 0      enter main\n"
                                           "1 600000 enter MPI_Barrier\n"
                                           "1 801000 coll-end barrier world - 0 0\n"
                                           "1 801000 leave MPI_Barrier\n"
                                           "1 901000 enter MPI_Barrier\n"
                                           "1 901500 coll-end barrier world - 0 0\n"
                                           "1 901500 leave MPI_Barrier\n"
                                           "1 901500 leave main\n";

static void test_collective_less_the_wait_for_a_core(void **state)
{
    (void)state;
    struct predicted_times times[N_SETTINGS];
    predict(late_core_in_barrier, false, times);
    // Times after the last enter: 500, 201000 - 199500 = 1500, 500, 500, each as 496 or 1472:
    // median 496. Rank 1 enters at 600000 and leaves at 600496, computes 100000; rank 0 199500.
    assert_int_equal(times[TWO_CORES].ranks[0].finish_ns, 600496 + 199500 + 496);
    assert_int_equal(times[TWO_CORES].ranks[1].finish_ns, 600496 + 199500 + 496);
    release(times);
}

// Two cores, ranks 0 and 1 bound to one of them as above, rank 2 alone on the other, where it does
// nothing: so there always is a core, but not for rank 1.
static void test_ranks_bound_to_cores(void **state)
{
    (void)state;
    static const char bound[] = "nodes n n n\n"
                                "cores n 2\n"
                                "bound 0 0\n"
                                "bound 1 0\n"
                                "bound 2 1\n"
                                "2 0       enter main\n"
                                "2 1000    leave main\n";
    char text[sizeof bound + sizeof late_core];
    const char *events = strstr(late_core, "0 0 ");
    snprintf(text, sizeof text, "%s%s", bound, events);
    const struct scenario_settings settings[] = {SCENARIO_UNCHANGED, {.n_nodes = 3, .n_cores = 1}};
    struct predicted_times times[2];
    struct error err = {{0}};
    if (predicted_times(text, settings, 2, times, &err) != 0)
        fail_msg("%s", err.text);
    // Unchanged: as on the one core above.
    assert_int_equal(times[0].ranks[1].finish_ns, 11984 + 2 * 500000);
    assert_int_equal(times[0].ranks[0].finish_ns, 1500000);
    assert_int_equal(times[0].ranks[2].finish_ns, 1000);
    assert_int_equal(times[1].ranks[1].finish_ns, 10000 + 1984 + 500000);
    predicted_times_release(&times[0]);
    predicted_times_release(&times[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flight_less_the_wait_for_a_core),
        cmocka_unit_test(test_no_flight_where_ranks_spin),
        cmocka_unit_test(test_receive_less_the_wait_for_a_core),
        cmocka_unit_test(test_collective_less_the_wait_for_a_core),
        cmocka_unit_test(test_ranks_bound_to_cores),
    };
    return cmocka_run_group_tests_name("whatif core wait", tests, NULL, NULL);
}
