// SPDX-License-Identifier: BSD-3-Clause
// Cores shared in slices of time, ns by ns; and handed over thousands of times.
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
        struct error err = {{0}};
        assert_int_equal(predicted_times(text, &settings, 1, &times, &err), 0);
        for (uint32_t rank = 0; rank < run.n_ranks; rank++)
            if (!run.is_over[rank] || times.ranks[rank].finish_ns != run.finish_ns[rank])
                fail_msg("seed %llu: rank %u ends at %llu, not %llu:\n%s", (unsigned long long)seed,
                         rank, (unsigned long long)times.ranks[rank].finish_ns,
                         (unsigned long long)run.finish_ns[rank], text);
        predicted_times_release(&times);
    }
}

/// Two ranks on one core that hand it to each other thousands of times: the one that waits goes on
/// as soon as the other one waits. All time is somebody's work, so the run takes as long as it did.
static void test_many_hand_overs(void **state)
{
    (void)state;
    enum { N_ROUNDS = 3000, ROUND_NS = 300 };
    char *text = NULL;
    size_t size_bytes;
    FILE *stream = open_memstream(&text, &size_bytes);
    fputs("nodes n n\ncores n 1\n0 0 enter main\n1 0 enter main\n1 0 enter MPI_Recv\n", stream);
    for (int at = 0; at < N_ROUNDS * ROUND_NS; at += ROUND_NS) {
        bool is_last = at == (N_ROUNDS - 1) * ROUND_NS;
        fprintf(stream,
                "0 %1$d enter MPI_Send\n0 %1$d send world 1 0 8\n0 %2$d leave MPI_Send\n"
                "0 %3$d enter MPI_Recv\n0 %4$d recv world 1 0 8\n0 %4$d leave MPI_Recv\n"
                "1 %5$d recv world 0 0 8\n1 %5$d leave MPI_Recv\n"
                "1 %6$d enter MPI_Send\n1 %6$d send world 0 0 8\n1 %7$d leave MPI_Send\n",
                at + 100, at + 120, at + 130, at + 300, at + 150, at + 250, at + 270);
        fprintf(stream, "1 %d %s\n", at + 280, is_last ? "leave main" : "enter MPI_Recv");
    }
    fprintf(stream, "0 %d leave main\n", N_ROUNDS * ROUND_NS);
    fclose(stream);
    const struct scenario_settings settings = {.n_nodes = 1, .n_cores = 1};
    struct predicted_times times;
    struct error err = {{0}};
    assert_int_equal(predicted_times(text, &settings, 1, &times, &err), 0);
    assert_int_equal(times.measured_ns, N_ROUNDS * ROUND_NS);
    assert_in_range(times.time_ns, N_ROUNDS * ROUND_NS, N_ROUNDS * ROUND_NS + 1);
    predicted_times_release(&times);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_computing_ranks_by_each_ns),
        cmocka_unit_test(test_many_hand_overs),
    };
    return cmocka_run_group_tests_name("whatif slices", tests, NULL, NULL);
}
