// SPDX-License-Identifier: BSD-3-Clause
// Cores shared in slices of time, by ranks that keep them busy while they wait or leave them.
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

// Rank 0 has the only core of its node first and leaves it to wait; rank 1 computes from 0 on. The
// message comes in its third slice, so rank 0 has the core when that is over; works for 200, and
// leaves the core. Cores shared in no time at all would let it end at 2700. On a core of its own
// rank 2 sends at 2300.
static void test_who_left_its_core_comes_back_when_a_slice_is_over(void **state)
{
    (void)state;
    static const char text[] = "nodes a b c\n"
                               "0 0    enter main\n"
                               "0 0    enter MPI_Recv\n"
                               "0 2300 recv world 2 0 8\n"
                               "0 2300 leave MPI_Recv\n"
                               "0 2500 leave main\n"
                               "1 0    enter main\n"
                               "1 4000 leave main\n"
                               "2 0    enter main\n"
                               "2 2300 enter MPI_Send\n"
                               "2 2300 send world 0 0 8\n"
                               "2 2300 leave MPI_Send\n"
                               "2 2300 leave main\n";
    const char *const places[] = {"x=0-1", "y=2"};
    struct scenario_settings settings = {.places = places, .n_places = 2, .n_cores = 1};
    struct predicted_times times;
    predict(text, &settings, &times);
    assert_int_equal(times.ranks[0].finish_ns, 2700);
    assert_int_equal(times.ranks[1].finish_ns, 4200);
    predicted_times_release(&times);
    settings.slice_ns = 1000;
    predict(text, &settings, &times);
    assert_int_equal(times.ranks[0].finish_ns, 3200);
    assert_int_equal(times.ranks[1].finish_ns, 4200);
    assert_int_equal(times.ranks[2].finish_ns, 2300);
    predicted_times_release(&times);
}

/// Two ranks that spin on one core, in slices of 1000, reduce SIZE_BYTES after 500 of work each.
static void reduce(unsigned size_bytes, struct predicted_times *times)
{
    const struct scenario_settings settings = {
        .n_nodes = 1, .n_cores = 1, .spins = true, .slice_ns = 1000};
    char text[1024] = "nodes a b\n";
    size_t length = strlen(text);
    for (unsigned rank = 0; rank < 2; rank++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%u 0 enter main\n%u 500 enter MPI_Allreduce\n"
                                   "%u 500 coll-end allreduce world - %u %u\n"
                                   "%u 500 leave MPI_Allreduce\n%u 600 leave main\n",
                                   rank, rank, rank, 2 * size_bytes, 2 * size_bytes, rank, rank);
    predict(text, &settings, times);
}

// Rank 0 sends at 500 and spins until 1000. Rank 1 enters at 1500, where the message of rank 0 is;
// of a single element that is all: it works on until 1600, rank 0 has the core then, takes the
// message of 1500, and works until 1700. Of two elements each has a half then and needs the other
// one's: rank 1 spins until 2000, rank 0 takes both messages, works until 2100; rank 1 takes the
// last one.
static void test_steps_of_a_collective_wait_for_cores(void **state)
{
    (void)state;
    struct predicted_times times;
    reduce(8, &times);
    assert_int_equal(times.ranks[0].finish_ns, 1700);
    assert_int_equal(times.ranks[1].finish_ns, 1600);
    predicted_times_release(&times);
    reduce(16, &times);
    assert_int_equal(times.ranks[0].finish_ns, 2100);
    assert_int_equal(times.ranks[1].finish_ns, 2200);
    predicted_times_release(&times);
}

// A broadcast goes from 0 to 2 and 1, from 2 to 3. Rank 2 spins, and has lost its core to rank 4 of
// another operation at 1000, so that rank 3 has the message at 2000 only, with a core of its own.
static void test_who_passes_on_needs_a_core(void **state)
{
    (void)state;
    static const char text[] = "nodes a b c d e\n"
                               "comm four ranks 0 1 2 3\n"
                               "0 0    enter main\n"
                               "0 1200 enter MPI_Bcast\n"
                               "0 1200 coll-end bcast four 0 8 8\n"
                               "0 1200 leave MPI_Bcast\n"
                               "0 1200 leave main\n"
                               "1 0    enter main\n"
                               "1 0    enter MPI_Bcast\n"
                               "1 1200 coll-end bcast four 0 0 8\n"
                               "1 1200 leave MPI_Bcast\n"
                               "1 1200 leave main\n"
                               "2 0    enter main\n"
                               "2 0    enter MPI_Bcast\n"
                               "2 1200 coll-end bcast four 0 0 8\n"
                               "2 1200 leave MPI_Bcast\n"
                               "2 1200 leave main\n"
                               "3 0    enter main\n"
                               "3 0    enter MPI_Bcast\n"
                               "3 1200 coll-end bcast four 0 0 8\n"
                               "3 1200 leave MPI_Bcast\n"
                               "3 1200 leave main\n"
                               "4 0    enter main\n"
                               "4 5000 leave main\n";
    const char *const places[] = {"u=0", "v=1", "w=2,4", "x=3"};
    const struct scenario_settings settings = {
        .places = places, .n_places = 4, .n_cores = 1, .spins = true, .slice_ns = 1000};
    struct predicted_times times;
    predict(text, &settings, &times);
    assert_int_equal(times.ranks[0].finish_ns, 1200);
    assert_int_equal(times.ranks[1].finish_ns, 1200);
    assert_int_equal(times.ranks[2].finish_ns, 2000);
    assert_int_equal(times.ranks[3].finish_ns, 2000);
    predicted_times_release(&times);
}

enum { MAX_RANKS = 6, N_COMPUTING_RUNS = 300 };

/// Ranks that only compute, on shared cores: what happens in each ns, one after the other.
struct round_robin {
    uint32_t n_ranks, n_cores;
    uint64_t slice_ns, begin_ns[MAX_RANKS], left_ns[MAX_RANKS], slice_end_ns[MAX_RANKS];
    uint64_t finish_ns[MAX_RANKS];
    bool has_core[MAX_RANKS], is_over[MAX_RANKS];
    uint32_t queue[MAX_RANKS], n_queued;
};

static void give_core(struct round_robin *run, uint64_t now_ns)
{
    uint32_t rank = run->queue[0];
    run->n_queued--;
    for (uint32_t i = 0; i < run->n_queued; i++)
        run->queue[i] = run->queue[i + 1];
    run->has_core[rank] = true;
    run->slice_end_ns[rank] = now_ns + run->slice_ns;
}

static uint32_t count_holders(const struct round_robin *run)
{
    uint32_t n = 0;
    for (uint32_t rank = 0; rank < run->n_ranks; rank++)
        n += run->has_core[rank];
    return n;
}

/// The rank with a core whose slice has been over longest, MAX_RANKS: none.
static uint32_t find_rotated(const struct round_robin *run, uint64_t now_ns)
{
    uint32_t found = MAX_RANKS;
    for (uint32_t rank = 0; rank < run->n_ranks; rank++)
        if (run->has_core[rank] && run->slice_end_ns[rank] <= now_ns &&
            (found == MAX_RANKS || run->slice_end_ns[rank] < run->slice_end_ns[found]))
            found = rank;
    return found;
}

static void pass_ns(struct round_robin *run, uint64_t now_ns)
{
    for (uint32_t rank = 0; rank < run->n_ranks; rank++) {
        if (run->begin_ns[rank] != now_ns)
            continue;
        run->queue[run->n_queued++] = rank;
        if (count_holders(run) < run->n_cores)
            give_core(run, now_ns);
        // Slices that were over with nobody waiting are over now.
        for (uint32_t other = 0; other < run->n_ranks && run->n_queued > 0; other++)
            if (run->has_core[other] && run->slice_end_ns[other] < now_ns)
                run->slice_end_ns[other] = now_ns;
    }
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (uint32_t rank = 0; rank < run->n_ranks && !is_new; rank++) {
            if (!run->has_core[rank] || run->left_ns[rank] > 0)
                continue;
            run->has_core[rank] = false;
            run->is_over[rank] = is_new = true;
            run->finish_ns[rank] = now_ns;
            if (run->n_queued > 0)
                give_core(run, now_ns);
        }
        uint32_t rotated = find_rotated(run, now_ns);
        if (is_new || run->n_queued == 0 || rotated == MAX_RANKS)
            continue;
        run->has_core[rotated] = false;
        run->queue[run->n_queued++] = rotated;
        give_core(run, now_ns);
        is_new = true;
    }
    for (uint32_t rank = 0; rank < run->n_ranks; rank++)
        run->left_ns[rank] -= run->has_core[rank];
}

static void test_computing_ranks_by_each_ns(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_COMPUTING_RUNS; seed++) {
        struct random random = {seed};
        struct round_robin run = {.n_ranks = 2 + random_below(&random, MAX_RANKS - 1),
                                  .slice_ns = 1 + random_below(&random, 50)};
        run.n_cores = 1 + random_below(&random, run.n_ranks - 1);
        char text[1024] = "";
        size_t length = 0;
        for (uint32_t rank = 0; rank < run.n_ranks; rank++) {
            run.begin_ns[rank] = rank > 0 ? random_below(&random, 100) : 0;
            run.left_ns[rank] = random_below(&random, 300);
            length += (size_t)snprintf(
                text + length, sizeof text - length, "%u %llu enter main\n%u %llu leave main\n",
                rank, (unsigned long long)run.begin_ns[rank], rank,
                (unsigned long long)(run.begin_ns[rank] + run.left_ns[rank]));
        }
        for (uint64_t now_ns = 0; now_ns < 100 + 300 * MAX_RANKS; now_ns++)
            pass_ns(&run, now_ns);
        const struct scenario_settings settings = {
            .n_nodes = 1, .n_cores = run.n_cores, .spins = true, .slice_ns = run.slice_ns};
        struct predicted_times times;
        predict(text, &settings, &times);
        for (uint32_t rank = 0; rank < run.n_ranks; rank++)
            if (!run.is_over[rank] || times.ranks[rank].finish_ns != run.finish_ns[rank])
                fail_msg("seed %llu: rank %u ends at %llu, not %llu:\n%s", (unsigned long long)seed,
                         rank, (unsigned long long)times.ranks[rank].finish_ns,
                         (unsigned long long)run.finish_ns[rank], text);
        predicted_times_release(&times);
    }
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
            {.n_nodes = 1, .n_cores = PROGRAM_MAX_RANKS, .spins = true, .slice_ns = 10},
            {.n_nodes = 1, .n_cores = 1, .slice_ns = 1 + seed % 40},
            {.n_nodes = 2, .n_cores = 2, .slice_ns = 1 + seed % 7},
            {.n_nodes = 1, .n_cores = PROGRAM_MAX_RANKS, .slice_ns = 10}};
        enum { N_SETTINGS = sizeof settings / sizeof *settings };
        struct predicted_times times[N_SETTINGS];
        struct error err = {{0}};
        char *text = sim_program_trace_text(seed, &limits);
        assert_int_equal(predicted_times(text, settings, N_SETTINGS, times, &err), 0);
        for (size_t i = 0; i < N_SETTINGS; i++) {
            assert_int_equal(times[i].n_forced, 0);
            assert_int_equal(times[i].critical_path_ns, times[i].time_ns);
            for (size_t r = 0; r < times[i].n_ranks; r++) {
                const struct predicted_rank *rank = &times[i].ranks[r];
                assert_int_equal(rank->outside_ns + rank->wait_ns + rank->overhead_ns,
                                 rank->finish_ns - rank->first_ns);
                assert_true(i % 3 < 2 || rank->finish_ns == times[i].measured_finish_ns[r]);
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
        cmocka_unit_test(test_who_left_its_core_comes_back_when_a_slice_is_over),
        cmocka_unit_test(test_steps_of_a_collective_wait_for_cores),
        cmocka_unit_test(test_who_passes_on_needs_a_core),
        cmocka_unit_test(test_computing_ranks_by_each_ns),
        cmocka_unit_test(test_random_programs),
    };
    return cmocka_run_group_tests_name("whatif slices", tests, NULL, NULL);
}
