// SPDX-License-Identifier: BSD-3-Clause
// Recordings with more ranks than cores: what a rank took after its message was sent is partly the
// wait for a core, which is not there where it gets a core of its own. What is its own is work.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/engine_run.h"

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
// rank 1 gets the core, finds the message and works 500000. Of its receive only the last 1000, from
// rank 0's end on, are its own.
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
    // From 10000 on both share the core; rank 0 has 990000 left, rank 1 501000.
    assert_int_equal(times[ONE_CORE].ranks[1].finish_ns, 10000 + 2 * 501000);
    assert_int_equal(times[ONE_CORE].ranks[0].finish_ns, times[ONE_CORE].measured_ns);
    assert_int_equal(times[TWO_CORES].ranks[0].finish_ns, 1000000);
    assert_int_equal(times[TWO_CORES].ranks[1].finish_ns, 10000 + 1000 + 500000);
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
// time it lacked its core is no work. The last 1000 are.
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
    // Both share the core from 10000 on, until rank 1 has done 501000.
    assert_int_equal(times[ONE_CORE].ranks[1].finish_ns, 10000 + 2 * 501000);
    assert_int_equal(times[ONE_CORE].ranks[0].finish_ns, times[ONE_CORE].measured_ns);
    assert_int_equal(times[TWO_CORES].ranks[1].finish_ns, 10000 + 1000 + 500000);
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
    // Own times after the last enter: rank 0 500, rank 1 1000 (since 800000), then 500 each. Rank 0
    // computes 199500 in between, rank 1 100000.
    assert_int_equal(times[TWO_CORES].ranks[0].finish_ns, 600000 + 500 + 199500 + 500);
    assert_int_equal(times[TWO_CORES].ranks[1].finish_ns, 600000 + 500 + 199500 + 500);
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
    assert_int_equal(times[0].ranks[1].finish_ns, 10000 + 2 * 501000);
    assert_int_equal(times[0].ranks[0].finish_ns, 1501000);
    assert_int_equal(times[0].ranks[2].finish_ns, 1000);
    assert_int_equal(times[1].ranks[1].finish_ns, 10000 + 1000 + 500000);
    predicted_times_release(&times[0]);
    predicted_times_release(&times[1]);
}

// Two cores, ranks 0 and 2 bound to one, 1 and 3 to the other. Rank 0 loses its core to rank 2 in
// its send, from 2000 to 100000: the message cannot have left before, so that of rank 1's receive
// 1500 are its own.
static const char late_sender_core[] = "nodes n n n n\n"
                                       "cores n 2\n"
                                       "bound 0 0\n"
                                       "bound 1 1\n"
                                       "bound 2 0\n"
                                       "bound 3 1\n"
                                       "0 0      enter main\n"
                                       "0 1000   enter MPI_Send\n"
                                       "0 1000   send world 1 0 8\n"
                                       "0 101000 leave MPI_Send\n"
                                       "0 101000 leave main\n"
                                       "1 0      enter main\n"
                                       "1 0      enter MPI_Recv\n"
                                       "1 101500 recv world 0 0 8\n"
                                       "1 101500 leave MPI_Recv\n"
                                       "1 201500 leave main\n"
                                       "2 2000   enter main\n"
                                       "2 100000 leave main\n"
                                       "3 0      enter main\n"
                                       "3 0      enter MPI_Recv\n"
                                       "3 201600 leave MPI_Recv\n"
                                       "3 201600 leave main\n";

static void test_sender_without_core(void **state)
{
    (void)state;
    struct predicted_times times[N_SETTINGS];
    const struct scenario_settings four_cores = {.n_nodes = 1, .n_cores = 4};
    struct error err = {{0}};
    if (predicted_times(late_sender_core, &four_cores, 1, times, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(times[0].ranks[1].finish_ns, 1000 + 1500 + 100000);
    predicted_times_release(&times[0]);
}

// One core. While rank 1 waits rank 0 has it, even though its CPU times, as estimates may, say that
// it ran for 100000 only. Before MPI_Init it lacked a core for 4000 of 5000, nobody knows whose
// fault that was; that is no work, but takes its time.
static void test_cpu_times_that_are_too_short(void **state)
{
    (void)state;
    static const char text[] = "nodes n n\n"
                               "cores n 1\n"
                               "0 0      enter main\n"
                               "0 0      cpu 0\n"
                               "0 5000   cpu 1000\n"
                               "0 5000   enter MPI_Init\n"
                               "0 6000   leave MPI_Init\n"
                               "0 6000   cpu 2000\n"
                               "0 406000 cpu 102000\n"
                               "0 406000 enter MPI_Send\n"
                               "0 406000 send world 1 0 8\n"
                               "0 407000 leave MPI_Send\n"
                               "0 407500 leave main\n"
                               "1 5000   enter main\n"
                               "1 5000   enter MPI_Init\n"
                               "1 6000   leave MPI_Init\n"
                               "1 6000   enter MPI_Recv\n"
                               "1 408000 recv world 0 0 8\n"
                               "1 408000 leave MPI_Recv\n"
                               "1 408000 leave main\n";
    struct predicted_times times[N_SETTINGS];
    predict(text, false, times);
    assert_int_equal(times[ONE_CORE].time_ns, 408000);
    release(times);
}

// Before MPI_Init rank 0 had a core for RUN0 of 5000 and rank 1 for RUN1, then both for 4000
// outside MPI, of which they have used half where they share one core. When rank RANK ends on
// processors twice as fast.
static uint64_t end_of_faster_start(int n_cores, int run0, int run1, int rank)
{
    int rest = n_cores == 1 ? 2000 : 4000;
    const struct scenario_settings settings = {.speed = 2 * PAG_WORK_PER_NS};
    struct predicted_times times[N_SETTINGS];
    struct error err = {{0}};
    char text[1024];
    int n = snprintf(text, sizeof text, "nodes n n\ncores n %d\n", n_cores);
    for (int i = 0; i < 2; i++) {
        int run = i == 0 ? run0 : run1;
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%d 0 enter main\n%d 0 cpu 0\n%d 5000 cpu %d\n%d 5000 enter MPI_Init\n"
                      "%d 6000 leave MPI_Init\n%d 6000 cpu %d\n%d 10000 cpu %d\n"
                      "%d 10000 leave main\n",
                      i, i, i, run, i, i, i, run, i, run + rest, i);
    }
    if (predicted_times(text, &settings, 1, times, &err) != 0)
        fail_msg("%s", err.text);
    uint64_t end_ns = times[0].ranks[rank].finish_ns;
    predicted_times_release(&times[0]);
    return end_ns;
}

// Of a start that waited for a core only what others of the run did then takes less time on faster
// processors.
static void test_start_without_a_core_on_faster_processors(void **state)
{
    (void)state;
    // A core each: 4000 were lost, nobody knows why, and stay.
    assert_int_equal(end_of_faster_start(2, 1000, 5000, 0), 500 + 4000 + 1000 + 2000);
    assert_int_equal(end_of_faster_start(2, 1000, 5000, 1), 2500 + 1000 + 2000);
    // One core, which each had while the other one waited.
    assert_int_equal(end_of_faster_start(1, 2500, 2500, 0), 2500 + 1000 + 2000);
    assert_int_equal(end_of_faster_start(1, 2500, 2500, 1), 2500 + 1000 + 2000);
}

// Two ranks on one core that hand it to each other thousands of times: the one that waits goes on
// as soon as the other one waits. All time is somebody's work, so the run takes as long as it did.
static void test_many_hand_overs(void **state)
{
    (void)state;
    enum { N_ROUNDS = 3000, ROUND_NS = 300 };
    char *text = NULL;
    size_t size_bytes;
    FILE *stream = open_memstream(&text, &size_bytes);
    fputs("nodes n n\ncores n 1\n1 0 enter main\n1 0 enter MPI_Recv\n0 0 enter main\n", stream);
    for (uint64_t round = 0; round < N_ROUNDS; round++) {
        uint64_t at_ns = round * ROUND_NS;
        fprintf(stream, "0 %" PRIu64 " enter MPI_Send\n0 %" PRIu64 " send world 1 0 8\n",
                at_ns + 100, at_ns + 100);
        fprintf(stream, "0 %" PRIu64 " leave MPI_Send\n0 %" PRIu64 " enter MPI_Recv\n", at_ns + 120,
                at_ns + 130);
        fprintf(stream, "1 %" PRIu64 " recv world 0 0 8\n1 %" PRIu64 " leave MPI_Recv\n",
                at_ns + 150, at_ns + 150);
        fprintf(stream, "1 %" PRIu64 " enter MPI_Send\n1 %" PRIu64 " send world 0 0 8\n",
                at_ns + 250, at_ns + 250);
        fprintf(stream, "1 %" PRIu64 " leave MPI_Send\n", at_ns + 270);
        if (round + 1 < N_ROUNDS)
            fprintf(stream, "1 %" PRIu64 " enter MPI_Recv\n", at_ns + 280);
        else
            fprintf(stream, "1 %" PRIu64 " leave main\n", at_ns + 280);
        fprintf(stream, "0 %" PRIu64 " recv world 1 0 8\n0 %" PRIu64 " leave MPI_Recv\n",
                at_ns + 300, at_ns + 300);
    }
    fprintf(stream, "0 %d leave main\n", N_ROUNDS * ROUND_NS);
    fclose(stream);
    struct predicted_times times[N_SETTINGS];
    predict(text, false, times);
    assert_int_equal(times[ONE_CORE].measured_ns, N_ROUNDS * ROUND_NS);
    assert_in_range(times[ONE_CORE].time_ns, N_ROUNDS * ROUND_NS, N_ROUNDS * ROUND_NS + 1);
    release(times);
    free(text);
}

// Two cores, each shared by two ranks. Rank 1 sends a large message from 2000 to 2100, then rank 3
// has their core until 8000; only then it can be moved, and rank 0, whose core nobody else wants,
// has it at 9000. Of its receive the last 1000 are its own, of rank 1's wait the last 500.
static const char sender_without_core[] = "nodes n m n m\n"
                                          "cores n 1\n"
                                          "cores m 1\n"
                                          "0 0     enter main\n"
                                          "0 1000  enter MPI_Recv\n"
                                          "0 9000  recv world 1 0 65536\n"
                                          "0 9000  leave MPI_Recv\n"
                                          "0 10000 leave main\n"
                                          "1 0     enter main\n"
                                          "1 2000  enter MPI_Isend\n"
                                          "1 2100  isend world 0 0 65536 1\n"
                                          "1 2100  leave MPI_Isend\n"
                                          "1 2100  enter MPI_Wait\n"
                                          "1 8500  isend-complete 1\n"
                                          "1 8500  leave MPI_Wait\n"
                                          "1 8500  leave main\n"
                                          "2 0     enter main\n"
                                          "2 0     leave main\n"
                                          "3 2100  enter main\n"
                                          "3 8000  leave main\n";

static void test_message_whose_sender_had_no_core(void **state)
{
    (void)state;
    const struct scenario_settings settings[2] = {{.n_nodes = 1, .n_cores = 1}, SCENARIO_UNCHANGED};
    struct predicted_times times[2];
    struct error err = {{0}};
    if (predicted_times(sender_without_core, settings, 2, times, &err) != 0)
        fail_msg("%s", err.text);
    // On one core all is work: 2000 and 1000 of rank 0, 2100 and 500 of rank 1, 5900 of rank 3.
    assert_int_equal(times[0].time_ns, 11500);
    assert_int_equal(times[1].ranks[0].finish_ns, times[1].measured_finish_ns[0]);
    predicted_times_release(&times[0]);
    predicted_times_release(&times[1]);
}

// Two cores, each shared by two ranks. Rank 1 waits for a large message of rank 0, which is sent at
// 2000; but rank 3 has their core until 8000, so that the message is moved after that, and has been
// at 9000, when rank 0 may leave its send, too. All of that counts as rank 0's own: no rule looks
// at the receiver's core (OVERSUBSCRIBED.md).
static const char receiver_without_core[] = "nodes n m n m\n"
                                            "cores n 1\n"
                                            "cores m 1\n"
                                            "0 0     enter main\n"
                                            "0 2000  enter MPI_Send\n"
                                            "0 2000  send world 1 0 65536\n"
                                            "0 9000  leave MPI_Send\n"
                                            "0 10000 leave main\n"
                                            "1 0     enter main\n"
                                            "1 1000  enter MPI_Recv\n"
                                            "1 8900  recv world 0 0 65536\n"
                                            "1 8900  leave MPI_Recv\n"
                                            "1 9900  leave main\n"
                                            "2 0     enter main\n"
                                            "2 0     leave main\n"
                                            "3 1000  enter main\n"
                                            "3 1000  enter others\n"
                                            "3 8000  leave others\n"
                                            "3 8000  leave main\n";

static void test_message_whose_receiver_had_no_core(void **state)
{
    (void)state;
    enum { AS_IT_WAS, MORE_BESIDE, NOTHING_BESIDE, OWN_CORES, N_POINTS };
    static const struct region_scale twice[] = {{"others", 2000000}}, none[] = {{"others", 0}};
    const struct scenario_settings settings[N_POINTS] = {
        [AS_IT_WAS] = SCENARIO_UNCHANGED,
        [MORE_BESIDE] = {.scales = twice, .n_scales = 1},
        [NOTHING_BESIDE] = {.scales = none, .n_scales = 1},
        [OWN_CORES] = {.n_nodes = 4, .n_cores = 1},
    };
    struct predicted_times times[N_POINTS];
    struct error err = {{0}};
    if (predicted_times(receiver_without_core, settings, N_POINTS, times, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(times[AS_IT_WAS].ranks[0].finish_ns, 10000);
    assert_int_equal(times[MORE_BESIDE].ranks[0].finish_ns, 10000);
    assert_int_equal(times[NOTHING_BESIDE].ranks[0].finish_ns, 10000);
    assert_int_equal(times[OWN_CORES].ranks[0].finish_ns, 10000);
    for (int point = 0; point < N_POINTS; point++)
        predicted_times_release(&times[point]);
}

// One core, whose ranks poll. Rank 1 takes 2048 for a message that is there. The next two were
// there as well, but it lost its core for a while: it took 8000000. So did rank 0 for one of its
// sends, though others took 100. On cores of their own they take what the calls took that kept
// their core.
static void predict_polling(uint64_t lost_ns, struct predicted_times *times)
{
    char text[2000];
    uint64_t used_ns = 8000000 - lost_ns;
    snprintf(text, sizeof text,
             "nodes n n\ncores n 1\n0 0 enter main\n0 0 cpu 0\n"
             "0 1000 enter MPI_Send\n0 1000 send world 1 0 8\n0 1100 leave MPI_Send\n"
             "0 1200 enter MPI_Send\n0 1200 send world 1 0 8\n0 1300 leave MPI_Send\n"
             "0 1400 enter MPI_Send\n0 1400 send world 1 0 8\n0 1500 leave MPI_Send\n"
             "0 2000 cpu 2000\n"
             "0 2000 enter MPI_Send\n0 2000 send world 1 0 64\n0 8002000 leave MPI_Send\n"
             "0 8002000 cpu %" PRIu64 "\n0 8002000 leave main\n"
             "1 2000 enter main\n1 2000 cpu 0\n"
             "1 2000 enter MPI_Recv\n1 4048 recv world 0 0 8\n1 4048 leave MPI_Recv\n"
             "1 10000 cpu 8000\n"
             "1 10000 enter MPI_Recv\n1 8010000 recv world 0 0 8\n1 8010000 leave MPI_Recv\n"
             "1 8010000 cpu %" PRIu64 "\n1 9010000 cpu %" PRIu64 "\n"
             "1 9010000 enter MPI_Recv\n1 17010000 recv world 0 0 8\n1 17010000 leave MPI_Recv\n"
             "1 17010000 cpu %" PRIu64 "\n1 18010000 cpu %" PRIu64 "\n"
             "1 18010000 enter MPI_Recv\n1 18012048 recv world 0 0 64\n1 18012048 leave MPI_Recv\n"
             "1 18012048 leave main\n",
             2000 + used_ns, 8000 + used_ns, 1008000 + used_ns, 1008000 + 2 * used_ns,
             2008000 + 2 * used_ns);
    predict(text, true, times);
}

static void test_calls_that_lost_their_core_while_polling(void **state)
{
    (void)state;
    struct predicted_times times[N_SETTINGS];
    predict_polling(4000000, times);
    // What polled as long on this core does so again.
    assert_int_equal(times[ONE_CORE].time_ns, 4000000 + 10000 + 2 * (4000000 + 1000000) + 2048);
    assert_int_equal(times[TWO_CORES].ranks[0].finish_ns, 2000 + 100);
    assert_int_equal(times[TWO_CORES].ranks[1].finish_ns, 10000 + 2 * (2048 + 1000000) + 2048);
    release(times);
    predict_polling(100000, times);
    assert_int_equal(times[TWO_CORES].ranks[0].finish_ns, 2000 + 100);
    assert_int_equal(times[TWO_CORES].ranks[1].finish_ns, 10000 + 2 * (2048 + 1000000) + 2048);
    release(times);
}

// A core is not lost for less than a slice of time: then what a call took was its own. (What is
// usual, 8000000, counts with its five highest binary digits.)
static void test_calls_that_kept_their_core_while_polling(void **state)
{
    (void)state;
    struct predicted_times times[N_SETTINGS];
    predict_polling(99999, times);
    assert_int_equal(times[TWO_CORES].ranks[0].finish_ns, 2000 + 8000000 - 99999);
    assert_int_equal(times[TWO_CORES].ranks[1].finish_ns, 10000 + 2 * (7864320 + 1000000) + 2048);
    release(times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flight_less_the_wait_for_a_core),
        cmocka_unit_test(test_no_flight_where_ranks_spin),
        cmocka_unit_test(test_receive_less_the_wait_for_a_core),
        cmocka_unit_test(test_collective_less_the_wait_for_a_core),
        cmocka_unit_test(test_ranks_bound_to_cores),
        cmocka_unit_test(test_sender_without_core),
        cmocka_unit_test(test_message_whose_sender_had_no_core),
        cmocka_unit_test(test_message_whose_receiver_had_no_core),
        cmocka_unit_test(test_cpu_times_that_are_too_short),
        cmocka_unit_test(test_start_without_a_core_on_faster_processors),
        cmocka_unit_test(test_many_hand_overs),
        cmocka_unit_test(test_calls_that_lost_their_core_while_polling),
        cmocka_unit_test(test_calls_that_kept_their_core_while_polling),
    };
    return cmocka_run_group_tests_name("whatif core wait", tests, NULL, NULL);
}
