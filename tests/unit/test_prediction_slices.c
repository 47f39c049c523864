// SPDX-License-Identifier: BSD-3-Clause
// Predictions of runs whose ranks share cores in slices of time against the brute-force reference,
// to the nanosecond: who has a core when, and that a step inside a collective operation waits for
// its member's. And a core that is handed over thousands of times without slices.
#include <stdbool.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/change_choice.h"
#include "tests/reference/engine_run.h"
#include "tests/reference/scenarios.h"
#include "tests/unit/prediction_subject.h"
#include "tests/unit/unit_test.h"

enum { DEFAULT_SEEDS = 75 };

/// Slices from a part of a call's length to that of many.
static void give_slices(struct predicted_scenario *scenario, struct random *random)
{
    scenario->slice_ns = 1 + random_below(random, random_chance(random, 50) ? 100 : 3000);
    scenario->spins = random_chance(random, 60);
    scenario->holds_senders = random_chance(random, 60);
    scenario->buffered_bytes = random_chance(random, 50) ? 0 : random_below(random, 2000);
    scenario->added_latency_ns = scenario->added_byte_fs = 0;
}

static void change_recorded(const struct subject *subject, struct predicted_scenario *scenario,
                            struct random *random, uint32_t i)
{
    scenario_change(scenario, random, subject->text, subject->n_ranks);
    give_slices(scenario, random);
}

/// On a machine: by formulas, or with HAS_ALGORITHMS by messages.
static void change_machine(const struct subject *subject, struct predicted_scenario *scenario,
                           struct random *random, bool has_algorithms)
{
    scenario_change(scenario, random, subject->text, subject->n_ranks);
    scenario_give_machine(scenario, random);
    if (has_algorithms)
        scenario_give_algorithms(scenario, random);
    scenario_lift_limits(scenario);
    give_slices(scenario, random);
}

static void change_formulas(const struct subject *subject, struct predicted_scenario *scenario,
                            struct random *random, uint32_t i)
{
    change_machine(subject, scenario, random, false);
}

static void change_algorithms(const struct subject *subject, struct predicted_scenario *scenario,
                              struct random *random, uint32_t i)
{
    change_machine(subject, scenario, random, true);
}

static void change_either(const struct subject *subject, struct predicted_scenario *scenario,
                          struct random *random, uint32_t i)
{
    if (i % 2 == 1)
        change_machine(subject, scenario, random, true);
    else
        change_recorded(subject, scenario, random, i);
}

/// A random run that was recorded with MPICH.
static char *make_mpich(uint64_t seed)
{
    SCOPED char *plain = subject_random_text(seed);
    const char *nodes = strstr(plain, "\nnodes ");
    return memory_format("%.*s\nmpi mpich%s", (int)(nodes - plain), plain, nodes);
}

/// Slices; MPICH has buffers where nothing says so.
static void change_mpich(const struct subject *subject, struct predicted_scenario *scenario,
                         struct random *random, uint32_t i)
{
    change_either(subject, scenario, random, i);
    if (!scenario->holds_senders)
        scenario->buffered_bytes = 8192;
    scenario->holds_senders = true;
}

/// Two ranks on one core that hand it to each other thousands of times: the one that waits goes on
/// as soon as the other one waits. All time is somebody's work, so the run takes as long as it did.
TEST(test_many_hand_overs)
{
    enum { N_ROUNDS = 3000, ROUND_NS = 300 };
    SCOPED char *text = NULL;
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
    assert_uint_in_range(times.time_ns, N_ROUNDS * ROUND_NS, N_ROUNDS * ROUND_NS + 1);
    predicted_times_release(&times);
}

#define CASE .n_seeds = DEFAULT_SEEDS, .make = subject_random_text, .n_scenarios = 4
static const struct CMUnitTest tests[] = {
    SUBJECT_TEST("recorded costs", CASE, .change = change_recorded),
    SUBJECT_TEST("machines by formulas", CASE, .change = change_formulas),
    SUBJECT_TEST("machines by algorithms", CASE, .change = change_algorithms),
    SUBJECT_TEST("the collective operations of MPICH", .n_seeds = DEFAULT_SEEDS, .make = make_mpich,
                 .n_scenarios = 4, .change = change_mpich),
    // Members that leave an operation out need no core there.
    SUBJECT_TEST("operations left out", CASE, .change = change_either, .kinds = CHANGE_DROPS),
};

TEST_TABLE(tests)
