// SPDX-License-Identifier: BSD-3-Clause
// How much slower a network may be: the search on functions whose crossing is known, and what an
// added latency does to runs computed by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/simulation/cost/tolerance.h"
#include "tests/reference/engine_run.h"
#include "tests/unit/machine_text.h"

/// Run time of a network with `added`: the longest of some chains, each BASE + N_MESSAGES * added.
struct chains {
    size_t n, n_runs;
    struct chain {
        uint64_t base_ns, n_messages;
    } chains[4];
    uint64_t dip_from, dip_to;       // in between the run is as short as with nothing added
    uint64_t plateau_ns, plateau_to; // no longer than this before that
};

static int longest(void *context, uint64_t added, uint64_t *time_ns, struct error *err)
{
    (void)err;
    struct chains *chains = context;
    *time_ns = 0;
    chains->n_runs++;
    if (added >= chains->dip_from && added < chains->dip_to)
        added = 0;
    for (size_t i = 0; i < chains->n; i++) {
        uint64_t length_ns = chains->chains[i].base_ns + chains->chains[i].n_messages * added;
        *time_ns = length_ns > *time_ns ? length_ns : *time_ns;
    }
    if (added<chains->plateau_to && * time_ns> chains->plateau_ns)
        *time_ns = chains->plateau_ns;
    return 0;
}

static struct tolerance find(struct chains *chains, uint64_t level_ns, uint64_t start)
{
    struct tolerance_search search;
    struct tolerance found;
    struct error err;
    uint64_t base_ns;
    longest(chains, 0, &base_ns, &err);
    chains->n_runs = 0;
    tolerance_search_init(&search, longest, chains, UINT64_C(1) << 60, base_ns);
    assert_int_equal(tolerance_find(&search, level_ns, start, &found, &err), 0);
    tolerance_search_release(&search);
    return found;
}

/// 1000 + 20 x <= 1010 up to 0.5, so 0 is tolerated, 1 is not; 1000 + 20 x <= 1200 up to 10.
static void test_one_chain(void **state)
{
    (void)state;
    struct chains chains = {.n = 1, .chains = {{1000, 20}}};
    struct tolerance found = find(&chains, 1010, 11);
    assert_int_equal(found.tolerated, 0);
    assert_int_equal(found.exceeded, 1);
    found = find(&chains, 1200, 201);
    assert_int_equal(found.tolerated, 10);
    assert_int_equal(found.exceeded, 11);
}

/// The longest chain has no messages; the one with 3 crosses 1000000 at 100000, the one with 1000
/// at 900: (1000000 - 100000) / 1000.
static void test_slack_first(void **state)
{
    (void)state;
    struct chains chains = {.n = 3, .chains = {{990000, 0}, {700000, 3}, {100000, 1000}}};
    struct tolerance found = find(&chains, 1000000, 10001);
    assert_in_range(found.tolerated, 891, 900);
    assert_in_range(found.exceeded, 901, 909);
    assert_true(chains.n_runs <= 12);
}

/// Nothing depends on messages.
static void test_no_crossing(void **state)
{
    (void)state;
    struct chains chains = {.n = 1, .chains = {{1000, 0}}};
    struct tolerance found = find(&chains, 1010, 1);
    assert_int_equal(found.tolerated, UINT64_C(1) << 60);
    assert_int_equal(found.exceeded, UINT64_MAX);
}

/// It exceeds the level from 101 on, but not between 500 and 600: one of the crossings is found,
/// and all that was tried below it is within the level.
static void test_a_run_that_gets_shorter(void **state)
{
    (void)state;
    struct chains chains = {.n = 1, .chains = {{1000, 1}}, .dip_from = 500, .dip_to = 600};
    for (uint64_t start = 1; start < 2000; start += 37) {
        struct tolerance found = find(&chains, 1100, start);
        bool is_first = found.tolerated == 100 || found.tolerated == 99;
        assert_true(is_first || (found.tolerated >= 594 && found.tolerated < 600));
        assert_true(found.exceeded > found.tolerated && found.exceeded <= found.tolerated + 6);
    }
}

/// The time reaches the level at 20 and stays there to 20000.
static void test_a_run_that_stays_at_the_level(void **state)
{
    (void)state;
    struct chains chains = {.n = 1, .chains = {{1000, 5}}, .plateau_ns = 1100, .plateau_to = 20000};
    for (uint64_t start = 1; start < 100; start += 11) {
        struct tolerance found = find(&chains, 1100, start);
        assert_in_range(found.tolerated, 19800, 19999);
        assert_in_range(found.exceeded, 20000, 20198);
        assert_true(chains.n_runs < 60);
    }
}

/// Three ranks, 0 and 1 on one node. Rank 0 works 100 and sends to 1 and 2, both wait for it (10 in
/// flight) and work on for 100. 50 more between nodes: rank 2 ends at 260, rank 1 at 210. On one
/// node all messages are later, on three both are. Bytes: 1000 of them, 20 ps each: 20.
static void test_added_latency(void **state)
{
    (void)state;
    static const char text[] = "nodes a a b\n"
                               "0 0 enter main\n"
                               "0 100 enter MPI_Send\n"
                               "0 100 send world 1 0 1000\n"
                               "0 100 leave MPI_Send\n"
                               "0 100 enter MPI_Send\n"
                               "0 100 send world 2 0 1000\n"
                               "0 100 leave MPI_Send\n"
                               "0 100 leave main\n"
                               "1 0 enter main\n"
                               "1 0 enter MPI_Recv\n"
                               "1 110 recv world 0 0 1000\n"
                               "1 110 leave MPI_Recv\n"
                               "1 210 leave main\n"
                               "2 0 enter main\n"
                               "2 0 enter MPI_Recv\n"
                               "2 110 recv world 0 0 1000\n"
                               "2 110 leave MPI_Recv\n"
                               "2 210 leave main\n";
    static const struct scenario_settings settings[] = {
        {.added_latency_ns = 50},
        {.added_latency_ns = 50, .n_nodes = 1, .n_cores = 3},
        {.added_latency_ns = 50, .n_nodes = 3, .n_cores = 1},
        {.added_byte_fs = 20000},
    };
    static const uint64_t finish_ns[][2] = {{210, 260}, {260, 260}, {260, 260}, {210, 230}};
    enum { N = sizeof settings / sizeof settings[0] };
    struct predicted_times times[N];
    struct error err = {{0}};
    if (predicted_times(text, settings, N, times, &err) != 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(times[i].ranks[1].finish_ns, finish_ns[i][0]);
        assert_int_equal(times[i].ranks[2].finish_ns, finish_ns[i][1]);
        predicted_times_release(&times[i]);
    }
}

/// Five ranks on two nodes in a barrier, last in at 100, out at 110: ceil(log2 5) = 3 times 50
/// later. A communicator on one node takes as long as before, and so does a handle.
static void test_added_latency_of_collectives(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    fputs("nodes a a b b b\ncomm near ranks 0 1\n", stream);
    for (int rank = 0; rank < 5; rank++) {
        fprintf(stream, "%d 0 enter main\n", rank);
        for (int call = 0; call < 3; call++) {
            static const char *const names[] = {"MPI_Barrier", "MPI_Allreduce", "MPI_Comm_dup"};
            static const char *const ends[] = {"barrier world - 0 0", "allreduce near - 8 8",
                                               "create_handle world - 0 0"};
            int begin = 200 * call;
            if (call == 1 && rank > 1)
                continue;
            fprintf(stream, "%d %d enter %s\n%d %d coll-begin\n", rank,
                    begin + (rank == 0 ? 100 : 0), names[call], rank,
                    begin + (rank == 0 ? 100 : 0));
            fprintf(stream, "%d %d coll-end %s\n%d %d leave %s\n", rank, begin + 110, ends[call],
                    rank, begin + 110, names[call]);
        }
        fprintf(stream, "%d 600 leave main\n", rank);
    }
    fclose(stream);
    static const struct scenario_settings settings = {.added_latency_ns = 50};
    struct predicted_times times;
    struct error err = {{0}};
    if (predicted_times(text, &settings, 1, &times, &err) != 0)
        fail_msg("%s", err.text);
    for (int rank = 0; rank < 5; rank++)
        assert_int_equal(times.ranks[rank].finish_ns, 750);
    predicted_times_release(&times);
    free(text);
}

/// A broadcast of 4 ranks on 4 nodes by a binomial tree, messages of 100: the root sends to 2, then
/// to 1, both at 0, 2 sends to 3. So they leave at 100, 100 and 200; with 50 more for each message,
/// or 10 and 40 for 1000 bytes of 40 ps, at 150, 150 and 300.
static void test_added_latency_of_algorithms(void **state)
{
    (void)state;
    struct machine machine =
        machine_of_text("<machine><message scope=\"network\"><point bytes=\"0\" time=\"100ns\"/>"
                        "</message><collective op=\"bcast\" algorithm=\"binomial\"/></machine>");
    const struct scenario_settings settings[] = {
        {.machine = &machine},
        {.machine = &machine, .added_latency_ns = 50},
        {.machine = &machine, .added_latency_ns = 10, .added_byte_fs = 40000},
    };
    static const uint64_t finish_ns[][4] = {
        {0, 100, 100, 200}, {0, 150, 150, 300}, {0, 150, 150, 300}};
    enum { N = sizeof settings / sizeof settings[0] };
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    fputs("nodes a b c d\n", stream);
    for (int rank = 0; rank < 4; rank++)
        fprintf(stream,
                "%1$d 0 enter MPI_Bcast\n%1$d 0 coll-begin\n"
                "%1$d 9 coll-end bcast world 0 %2$d %3$d\n%1$d 9 leave MPI_Bcast\n",
                rank, rank == 0 ? 1000 : 0, rank == 0 ? 0 : 1000);
    fclose(stream);
    struct predicted_times times[N];
    struct error err = {{0}};
    if (predicted_times(text, settings, N, times, &err) != 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < N; i++) {
        for (int rank = 0; rank < 4; rank++)
            assert_int_equal(times[i].ranks[rank].finish_ns, finish_ns[i][rank]);
        predicted_times_release(&times[i]);
    }
    machine_release(&machine);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_chain),
        cmocka_unit_test(test_slack_first),
        cmocka_unit_test(test_no_crossing),
        cmocka_unit_test(test_a_run_that_gets_shorter),
        cmocka_unit_test(test_a_run_that_stays_at_the_level),
        cmocka_unit_test(test_added_latency),
        cmocka_unit_test(test_added_latency_of_collectives),
        cmocka_unit_test(test_added_latency_of_algorithms),
    };
    return cmocka_run_group_tests_name("whatif tolerance", tests, NULL, NULL);
}
