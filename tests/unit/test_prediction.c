// SPDX-License-Identifier: BSD-3-Clause
// Predictions against the brute-force prediction, on random MPI programs and random scenarios: the
// end of every rank must be the same to the nanosecond. Properties that need no reference are
// checked as well.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds. The trace of a disagreement is left as text
// in the folder the message names.
#include <stdbool.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/change_choice.h"
#include "tests/unit/prediction_subject.h"
#include "tests/unit/unit_test.h"

enum {
    DEFAULT_SEEDS = CASES(250, 100),
    CHANGED_SEEDS = CASES(150, 40),
    ORDERED_SEEDS = CASES(200, 40)
};
enum { SCENARIOS_PER_RUN = 3, MANY = 100000 };

static void change_after_first(const struct subject *subject, struct predicted_scenario *scenario,
                               struct random *random, uint32_t i)
{
    if (i > 0)
        scenario_change(scenario, random, subject->text, subject->n_ranks);
}

static void change_machine(const struct subject *subject, struct predicted_scenario *scenario,
                           struct random *random, uint32_t i)
{
    change_after_first(subject, scenario, random, i);
    scenario_give_machine(scenario, random);
}

static void change_algorithms(const struct subject *subject, struct predicted_scenario *scenario,
                              struct random *random, uint32_t i)
{
    change_machine(subject, scenario, random, i);
    scenario_give_algorithms(scenario, random);
}

/// Messages of operations wait for links and buses, too. What a member has posted says what it is
/// only when it is complete: so nothing is posted.
static bool check_shared_algorithms(const struct subject *subject, struct random *random,
                                    FILE *stream)
{
    bool is_sound = true;
    if (strstr(subject->text, " coll-request "))
        return true;
    for (uint32_t i = 0; i < SCENARIOS_PER_RUN && is_sound; i++) {
        struct predicted_scenario scenario = subject->unchanged;
        if (i > 0)
            scenario_change(&scenario, random, subject->text, subject->n_ranks);
        do {
            memset(&scenario.machine, 0, sizeof scenario.machine);
            scenario_give_machine(&scenario, random);
        } while (!scenario_has_contention(&scenario, subject->n_ranks));
        struct scenario_machine machine = scenario.machine;
        scenario_give_algorithms(&scenario, random);
        memcpy(machine.formulas, scenario.machine.formulas, sizeof machine.formulas);
        scenario.machine = machine; // but for the times of messages
        is_sound = subject_agrees(subject, &scenario, stream);
    }
    return is_sound;
}

/// Are the ends of all ranks the same, or with IS_BOUND at least not later?
static bool compare(const struct subject *subject, const char *what, const uint64_t *expected,
                    const uint64_t *found, bool is_bound, FILE *stream)
{
    bool is_sound = true;
    for (uint32_t r = 0; r < subject->n_ranks; r++) {
        if (found[r] == expected[r] || (is_bound && found[r] < expected[r]))
            continue;
        fprintf(stream, "  %s: rank %" PRIu32 " ends at %" PRIu64 ", not %" PRIu64 "\n", what, r,
                found[r], expected[r]);
        is_sound = false;
    }
    return is_sound;
}

static bool predict(const struct subject *subject, const struct predicted_scenario *scenario,
                    uint64_t *finish_ns, FILE *stream)
{
    struct error err = {{0}};
    if (engine_run_predict(subject->engine, scenario, finish_ns, &err) == 0)
        return true;
    fprintf(stream, "  %s\n", err.text);
    return false;
}

/// Links and buses for as many messages as there are hinder nobody; fewer make nobody faster where
/// every rank has a core of its own. (That more of them are never slower does not follow: a message
/// that goes earlier may take a link from one that matters more.)
static bool check_contention(const struct subject *subject, struct random *random, FILE *stream)
{
    uint64_t free[PROGRAM_MAX_RANKS], found[PROGRAM_MAX_RANKS];
    struct predicted_scenario scenario = subject->unchanged;
    scenario_give_machine(&scenario, random);
    struct predicted_scenario unlimited = scenario;
    scenario_lift_limits(&unlimited);
    if (predicted_run_is_open(&subject->model, &unlimited) ||
        !predicted_run(&subject->model, &unlimited, free)) // they would wait for ever
        return true;
    if (!predict(subject, &unlimited, free, stream) || !predict(subject, &scenario, found, stream))
        return false;
    bool is_sound = compare(subject, "no limits", found, free, true, stream);
    scenario = unlimited;
    scenario.machine.out_links = scenario.machine.in_links = MANY;
    scenario.machine.network.n_buses = scenario.machine.node.n_buses = MANY;
    return is_sound && predict(subject, &scenario, found, stream) &&
           compare(subject, "limits nobody meets", free, found, false, stream);
}

// By the CPU clock, read last inside the first call, the 1000 up to the second call are work of 300
// at most: 100 + 100 + 300 + 100. (Seed 742 by hand: a reading inside a call is one before the
// computing after it, as one outside is; the reading at 100 alone would leave 400.)
TEST(test_cpu_clock_read_in_a_call)
{
    static const char text[] = "#\nnodes n0\n"
                               "0 0    enter main\n"
                               "0 100  cpu 100\n"
                               "0 100  enter MPI_Comm_rank\n"
                               "0 200  cpu 200\n"
                               "0 200  leave MPI_Comm_rank\n"
                               "0 1200 cpu 500\n"
                               "0 1200 enter MPI_Comm_rank\n"
                               "0 1300 leave MPI_Comm_rank\n"
                               "0 1300 leave main\n";
    struct subject subject;
    uint64_t expected[PROGRAM_MAX_RANKS], found[PROGRAM_MAX_RANKS];
    assert_true(subject_init(&subject, memory_copy_text(text), stderr));
    struct predicted_scenario scenario = subject.unchanged;
    scenario.n_cores = 1; // else nothing is known of cores, and wall time counts
    assert_true(predicted_run(&subject.model, &scenario, expected));
    assert_true(predict(&subject, &scenario, found, stderr));
    assert_int_equal(expected[0], 600);
    assert_int_equal(found[0], 600);
    subject_release(&subject);
}

/// Where the ranks were, elsewhere, and on a machine.
static void change_places(const struct subject *subject, struct predicted_scenario *scenario,
                          struct random *random, uint32_t i)
{
    if (i > 0)
        scenario_change(scenario, random, subject->text, subject->n_ranks);
    if (i > 1)
        scenario_give_machine(scenario, random);
}

/// By the order of events only (--timeless): visits say how much work they do. The analyzer gets
/// the trace with other times than the brute force does: none may matter.
static char *counted_text(uint64_t seed)
{
    struct random random = {seed * 0x9e3779b97f4a7c15u + 13};
    SCOPED char *plain = subject_random_text(seed);
    return order_text_with_counts(plain, &random);
}

static void go_by_order(const struct subject *subject, struct predicted_scenario *scenario,
                        struct random *random, uint32_t i)
{
    if (i > 0)
        scenario_change(scenario, random, subject->text, subject->n_ranks);
    scenario_give_machine(scenario, random);
    scenario_go_by_order(scenario, random, subject->text);
}

static void go_by_order_with_algorithms(const struct subject *subject,
                                        struct predicted_scenario *scenario, struct random *random,
                                        uint32_t i)
{
    go_by_order(subject, scenario, random, i);
    scenario_give_algorithms(scenario, random);
}

#define CASE     .n_seeds = DEFAULT_SEEDS, .make = subject_random_text
#define COMPARED CASE, .n_scenarios = SCENARIOS_PER_RUN
#define CHANGED                                                                                    \
    .n_seeds = CHANGED_SEEDS, .make = subject_random_text, .n_scenarios = 3, .change = change_places
#define ORDERED                                                                                    \
    .n_seeds = ORDERED_SEEDS, .make = counted_text, .n_scenarios = 3,                              \
    .engine_text = order_text_with_times
static const struct CMUnitTest tests[] = {
    SUBJECT_TEST("random scenarios", CASE, .n_scenarios = SCENARIOS_PER_RUN + 1,
                 .change = change_after_first),
    SUBJECT_TEST("random machines", COMPARED, .change = change_machine),
    SUBJECT_TEST("random algorithms", COMPARED, .change = change_algorithms),
    SUBJECT_TEST("random shared algorithms", CASE, .check = check_shared_algorithms),
    SUBJECT_TEST("contention", CASE, .check = check_contention),
    // Changed code: each kind of change alone, and all together.
    SUBJECT_TEST("scaled call paths", CHANGED, .kinds = CHANGE_SCALES),
    SUBJECT_TEST("work by ranks per core", CHANGED, .kinds = CHANGE_SLOWDOWNS),
    SUBJECT_TEST("works of regions", CHANGED, .kinds = CHANGE_WORKS),
    SUBJECT_TEST("synchronisation left out", CHANGED, .kinds = CHANGE_DROPS),
    SUBJECT_TEST("messages left out", CHANGED, .kinds = CHANGE_CUTS),
    SUBJECT_TEST("moved work", CHANGED, .kinds = CHANGE_MOVES),
    SUBJECT_TEST("calls waited for later", CHANGED, .kinds = CHANGE_OVERLAPS),
    SUBJECT_TEST("messages put together", CHANGED, .kinds = CHANGE_GROUPS),
    SUBJECT_TEST("all at once", CHANGED, .kinds = CHANGE_ALL),
    SUBJECT_TEST("order only", ORDERED, .change = go_by_order),
    SUBJECT_TEST("order only, with algorithms", ORDERED, .change = go_by_order_with_algorithms),
    SUBJECT_TEST("order only, with changed code", ORDERED, .change = go_by_order,
                 .kinds = CHANGE_ALL & ~(CHANGE_MOVES | CHANGE_OVERLAPS | CHANGE_SLOWDOWNS)),
};

TEST_TABLE(tests)
