// SPDX-License-Identifier: BSD-3-Clause
// The run on an ideal network: traces computed by hand, and random programs against the brute-force
// reference and against what must hold for the efficiencies that follow.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/reference/engine_run.h"
#include "tests/reference/scenarios.h"
#include "tests/unit/seeds.h"

#ifdef __SANITIZE_ADDRESS__
enum { DEFAULT_SEEDS = 150 };
#else
enum { DEFAULT_SEEDS = 600 };
#endif

static struct engine_ideal ideal_of(const char *text)
{
    struct error err = {{0}};
    struct engine_ideal found = {0};
    struct engine_run *run = engine_run_new(text, &err);
    if (!run || engine_run_ideal(run, &found, &err) != 0)
        fail_msg("%s", err.text);
    engine_run_free(run);
    return found;
}

/// Each rank waits for the one before it: 100 each, messages take no time. Nothing is transfer.
static void test_chain_of_late_senders(void **state)
{
    (void)state;
    struct engine_ideal found = ideal_of("0 0 enter main\n"
                                         "0 100 enter MPI_Send\n"
                                         "0 100 send world 1 0 8\n"
                                         "0 100 leave MPI_Send\n"
                                         "0 100 leave main\n"
                                         "1 0 enter main\n"
                                         "1 0 enter MPI_Recv\n"
                                         "1 100 recv world 0 0 8\n"
                                         "1 100 leave MPI_Recv\n"
                                         "1 200 enter MPI_Send\n"
                                         "1 200 send world 2 0 8\n"
                                         "1 200 leave MPI_Send\n"
                                         "1 200 leave main\n"
                                         "2 0 enter main\n"
                                         "2 0 enter MPI_Recv\n"
                                         "2 200 recv world 1 0 8\n"
                                         "2 200 leave MPI_Recv\n"
                                         "2 300 leave main\n");
    assert_int_equal(found.window_ns, 300);
    assert_int_equal(found.ideal_ns, 300);
    assert_int_equal(found.max_useful_ns, 100);
}

/// Both work 100, then a message flies for 50, then rank 1 works 50: without the flight 150, which
/// is what rank 1 works. The send took 30, the receive's own work is in the 50. Nothing waits.
static void test_slow_message(void **state)
{
    (void)state;
    struct engine_ideal found = ideal_of("0 0 enter main\n"
                                         "0 100 enter MPI_Send\n"
                                         "0 100 send world 1 0 8\n"
                                         "0 130 leave MPI_Send\n"
                                         "0 140 leave main\n"
                                         "1 0 enter main\n"
                                         "1 100 enter MPI_Recv\n"
                                         "1 150 recv world 0 0 8\n"
                                         "1 150 leave MPI_Recv\n"
                                         "1 200 leave main\n");
    assert_int_equal(found.window_ns, 200);
    assert_int_equal(found.ideal_ns, 150);
    assert_int_equal(found.max_useful_ns, 150);
    assert_int_equal(found.finish_ns[0], 110);
    assert_int_equal(found.finish_ns[1], 150);
}

/// A large MPI_Send waited for its receiver (rendezvous), which no ideal network does; MPI_Ssend
/// does by definition, its receive is posted at 80 (rank 1 works that long).
static void test_who_waits_for_a_receiver(void **state)
{
    (void)state;
    static const char text[] = "0 0 enter main\n"
                               "0 10 enter MPI_%ssend\n"
                               "0 10 send world 1 0 9000000\n"
                               "0 120 leave MPI_%ssend\n"
                               "0 120 leave main\n"
                               "1 0 enter main\n"
                               "1 80 enter MPI_Recv\n"
                               "1 120 recv world 0 0 9000000\n"
                               "1 120 leave MPI_Recv\n"
                               "1 120 leave main\n";
    char with[1000];
    snprintf(with, sizeof with, text, "B", "B");
    assert_int_equal(ideal_of(with).finish_ns[0], 10);
    snprintf(with, sizeof with, text, "S", "S");
    assert_int_equal(ideal_of(with).finish_ns[0], 80);
    assert_int_equal(ideal_of(with).ideal_ns, 80);
}

/// Collectives by their class, nobody's own time: a barrier (last in at 30) at 30 instead of 40; a
/// broadcast whose root 1 comes after 20 more at 50, the others after 5: they wait until 50; a
/// reduction to 0, which comes last: nobody waits. 60 is 0's end, it works 10, 5 and 10 after them.
static void test_collectives(void **state)
{
    (void)state;
    struct engine_ideal found = ideal_of("0 0 enter main\n"
                                         "0 10 enter MPI_Barrier\n"
                                         "0 10 coll-begin\n"
                                         "0 40 coll-end barrier world - 0 0\n"
                                         "0 40 leave MPI_Barrier\n"
                                         "0 45 enter MPI_Bcast\n"
                                         "0 45 coll-begin\n"
                                         "0 80 coll-end bcast world 1 0 8\n"
                                         "0 80 leave MPI_Bcast\n"
                                         "0 85 enter MPI_Reduce\n"
                                         "0 85 coll-begin\n"
                                         "0 95 coll-end reduce world 0 0 8\n"
                                         "0 95 leave MPI_Reduce\n"
                                         "0 105 leave main\n"
                                         "1 0 enter main\n"
                                         "1 30 enter MPI_Barrier\n"
                                         "1 30 coll-begin\n"
                                         "1 40 coll-end barrier world - 0 0\n"
                                         "1 40 leave MPI_Barrier\n"
                                         "1 60 enter MPI_Bcast\n"
                                         "1 60 coll-begin\n"
                                         "1 75 coll-end bcast world 1 8 0\n"
                                         "1 75 leave MPI_Bcast\n"
                                         "1 76 enter MPI_Reduce\n"
                                         "1 76 coll-begin\n"
                                         "1 80 coll-end reduce world 0 8 0\n"
                                         "1 80 leave MPI_Reduce\n"
                                         "1 80 leave main\n");
    // 0: barrier 10-30, +5 = 35, bcast until 50, +5 = 55, reduce (1 came at 51) 55, +10
    assert_int_equal(found.finish_ns[0], 65);
    assert_int_equal(found.finish_ns[1], 51); // 50, +1
    assert_int_equal(found.ideal_ns, 65);
}

/// Handles: a communicator is made in no time when the last one has come (at 20, not 100).
static void test_handles(void **state)
{
    (void)state;
    struct engine_ideal found = ideal_of("0 0 enter main\n"
                                         "0 10 enter MPI_Comm_dup\n"
                                         "0 10 coll-begin\n"
                                         "0 100 coll-end create_handle world - 0 0\n"
                                         "0 100 leave MPI_Comm_dup\n"
                                         "0 110 leave main\n"
                                         "1 0 enter main\n"
                                         "1 20 enter MPI_Comm_dup\n"
                                         "1 20 coll-begin\n"
                                         "1 100 coll-end create_handle world - 0 0\n"
                                         "1 100 leave MPI_Comm_dup\n"
                                         "1 130 leave main\n");
    assert_int_equal(found.finish_ns[0], 30);
    assert_int_equal(found.finish_ns[1], 50);
    assert_int_equal(found.ideal_ns, 50);
}

/// The window begins at 100, when rank 1 leaves MPI_Init, and ends at 300, when rank 1 enters
/// MPI_Finalize. Rank 0 is in a call from 20 on that takes until 150 and waits for nobody: on the
/// ideal network until the window begins. It works 150 until 300, so it is there at 250; rank 1
/// leaves a call of 80 at once and is at its MPI_Finalize at 220. So the window takes 150.
static void test_window(void **state)
{
    (void)state;
    struct engine_ideal found = ideal_of("0 0 enter main\n"
                                         "0 5 enter MPI_Init\n"
                                         "0 10 leave MPI_Init\n"
                                         "0 20 enter MPI_Win_allocate\n"
                                         "0 150 leave MPI_Win_allocate\n"
                                         "0 400 enter MPI_Finalize\n"
                                         "0 410 leave MPI_Finalize\n"
                                         "0 410 leave main\n"
                                         "1 0 enter main\n"
                                         "1 5 enter MPI_Init\n"
                                         "1 100 leave MPI_Init\n"
                                         "1 110 enter MPI_Win_allocate\n"
                                         "1 190 leave MPI_Win_allocate\n"
                                         "1 300 enter MPI_Finalize\n"
                                         "1 410 leave MPI_Finalize\n"
                                         "1 410 leave main\n");
    assert_int_equal(found.window_ns, 200);
    assert_int_equal(found.max_useful_ns, 150);
    assert_int_equal(found.ideal_ns, 150);
}

/// Received at 40, sent at 100: the clocks disagree, and the ideal run, where it cannot be, is
/// longer. Of a receive that nobody sends to that is known when rank 0 has ended, at 100.
static void test_odd_traces(void **state)
{
    (void)state;
    struct engine_ideal found = ideal_of("0 0 enter main\n"
                                         "0 100 enter MPI_Send\n"
                                         "0 100 send world 1 0 8\n"
                                         "0 100 leave MPI_Send\n"
                                         "0 100 leave main\n"
                                         "1 0 enter main\n"
                                         "1 20 enter MPI_Recv\n"
                                         "1 40 recv world 0 0 8\n"
                                         "1 40 leave MPI_Recv\n"
                                         "1 90 leave main\n");
    assert_int_equal(found.window_ns, 100);
    assert_int_equal(found.ideal_ns, 150);
    found = ideal_of("0 0 enter main\n"
                     "0 100 leave main\n"
                     "1 0 enter main\n"
                     "1 20 enter MPI_Recv\n"
                     "1 40 recv world 0 0 8\n"
                     "1 40 leave MPI_Recv\n"
                     "1 90 leave main\n");
    assert_int_equal(found.finish_ns[1], 150);
}

/// What differs from the reference, or cannot be; goes to standard error.
static bool check_seed(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.max_steps = seed % 2 ? 40 : 200;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    limits.allow_wildcards = limits.allow_foreign = false;
    struct error err = {{0}};
    struct reference_trace trace = {0};
    struct findings unused = {0};
    struct model model = {0};
    struct engine_ideal found;
    uint64_t finish_ns[PROGRAM_MAX_RANKS] = {0}, window_ns;
    char *text = scenario_trace_text(seed, &limits);
    struct engine_run *run = engine_run_new(text, &err);
    assert_non_null(run);
    assert_int_equal(engine_run_ideal(run, &found, &err), 0);
    assert_int_equal(reference_trace_parse(&trace, text, &err), 0);
    model_build(&model, &trace, &unused);
    bool is_good = predicted_ideal(&model, finish_ns, &window_ns) && window_ns == found.ideal_ns;
    for (uint32_t r = 0; r < trace.n_ranks; r++)
        is_good = is_good && finish_ns[r] == found.finish_ns[r];
    for (uint32_t r = 0; r < trace.n_ranks && !is_good; r++)
        print_error("seed %" PRIu64 " rank %" PRIu32 " ends at %" PRIu64 ", engine: %" PRIu64
                    "; window %" PRIu64 ", engine: %" PRIu64 "\n",
                    seed, r, finish_ns[r], found.finish_ns[r], window_ns, found.ideal_ns);
    bool is_possible = found.max_useful_ns <= found.ideal_ns && found.ideal_ns <= found.window_ns;
    if (!is_possible)
        print_error("seed %" PRIu64 ": useful %" PRIu64 ", ideal %" PRIu64 ", window %" PRIu64 "\n",
                    seed, found.max_useful_ns, found.ideal_ns, found.window_ns);
    model_release(&model);
    findings_release(&unused);
    reference_trace_release(&trace);
    engine_run_free(run);
    free(text);
    return is_good && is_possible;
}

/// Of runs that the reference does not predict: what must hold all the same.
static bool check_odd_seed(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = false;
    struct error err = {{0}};
    struct engine_ideal found;
    char *text = sim_program_trace_text(seed, &limits);
    struct engine_run *run = engine_run_new(text, &err);
    assert_non_null(run);
    assert_int_equal(engine_run_ideal(run, &found, &err), 0);
    bool is_possible = found.max_useful_ns <= found.ideal_ns && found.ideal_ns <= found.window_ns;
    if (!is_possible)
        print_error("odd seed %" PRIu64 ": useful %" PRIu64 ", ideal %" PRIu64 ", window %" PRIu64
                    "\n",
                    seed, found.max_useful_ns, found.ideal_ns, found.window_ns);
    engine_run_free(run);
    free(text);
    return is_possible;
}

static void test_wildcards_teams_foreign_traces(void **state)
{
    (void)state;
    uint64_t first, last, n_failed = 0;
    seed_range(DEFAULT_SEEDS, &first, &last);
    for (uint64_t seed = first; seed <= last; seed++)
        n_failed += !check_odd_seed(seed);
    assert_int_equal(n_failed, 0);
}

static void test_random_programs(void **state)
{
    (void)state;
    uint64_t first, last, n_failed = 0;
    seed_range(DEFAULT_SEEDS, &first, &last);
    for (uint64_t seed = first; seed <= last; seed++)
        n_failed += !check_seed(seed);
    assert_int_equal(n_failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_of_late_senders),
        cmocka_unit_test(test_slow_message),
        cmocka_unit_test(test_who_waits_for_a_receiver),
        cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_odd_traces),
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_wildcards_teams_foreign_traces),
    };
    return cmocka_run_group_tests_name("whatif ideal", tests, NULL, NULL);
}
