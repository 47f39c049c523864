// SPDX-License-Identifier: BSD-3-Clause
// Predictions of runs whose ranks share cores in slices of time against the brute-force reference,
// to the nanosecond: who has a core when, and that a step inside a collective operation waits for
// its member's.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/reference/change_choice.h"
#include "tests/reference/scenarios.h"
#include "tests/unit/prediction_subject.h"

enum { DEFAULT_SEEDS = 50, SCENARIOS_PER_RUN = 4 };

static char *make_text(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    return scenario_trace_text(seed, &limits);
}

/// Slices from a part of a call's length to that of many.
static void give_slices(struct predicted_scenario *scenario, struct random *random)
{
    scenario->slice_ns = 1 + random_below(random, random_chance(random, 50) ? 100 : 3000);
    scenario->spins = random_chance(random, 60);
    scenario->added_latency_ns = scenario->added_byte_fs = 0;
}

static bool check_recorded(const struct subject *subject, struct random *random, FILE *stream)
{
    bool is_sound = true;
    for (uint32_t i = 0; i < SCENARIOS_PER_RUN && is_sound; i++) {
        struct predicted_scenario scenario = subject->unchanged;
        scenario_change(&scenario, random, subject->text, subject->n_ranks);
        give_slices(&scenario, random);
        is_sound = subject_agrees(subject, &scenario, stream);
    }
    return is_sound;
}

/// By formulas, or with HAS_ALGORITHMS by messages.
static bool check_machine(const struct subject *subject, struct random *random, bool has_algorithms,
                          FILE *stream)
{
    bool is_sound = true;
    for (uint32_t i = 0; i < SCENARIOS_PER_RUN && is_sound; i++) {
        struct predicted_scenario scenario = subject->unchanged;
        scenario_change(&scenario, random, subject->text, subject->n_ranks);
        scenario_give_machine(&scenario, random);
        if (has_algorithms)
            scenario_give_algorithms(&scenario, random);
        scenario_lift_limits(&scenario);
        give_slices(&scenario, random);
        is_sound = subject_agrees(subject, &scenario, stream);
    }
    return is_sound;
}

static bool check_formulas(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_machine(subject, random, false, stream);
}

static bool check_algorithms(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_machine(subject, random, true, stream);
}

/// Members that leave an operation out need no core there.
static bool check_drops(const struct subject *subject, struct random *random, FILE *stream)
{
    bool is_sound = true;
    for (uint32_t i = 0; i < SCENARIOS_PER_RUN && is_sound; i++) {
        struct predicted_scenario scenario = subject->unchanged;
        scenario_change(&scenario, random, subject->text, subject->n_ranks);
        if (i % 2 == 1) {
            scenario_give_machine(&scenario, random);
            scenario_give_algorithms(&scenario, random);
            scenario_lift_limits(&scenario);
        }
        give_slices(&scenario, random);
        changes_choose(&scenario.changes, random, subject->text, subject->n_ranks, CHANGE_DROPS);
        is_sound = subject_agrees(subject, &scenario, stream);
    }
    return is_sound;
}

static void test_recorded_costs(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, make_text, check_recorded);
}

static void test_machines_by_formulas(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, make_text, check_formulas);
}

static void test_machines_by_algorithms(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, make_text, check_algorithms);
}

static void test_operations_left_out(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, make_text, check_drops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_costs),
        cmocka_unit_test(test_machines_by_formulas),
        cmocka_unit_test(test_machines_by_algorithms),
        cmocka_unit_test(test_operations_left_out),
    };
    return cmocka_run_group_tests_name("prediction slices", tests, NULL, NULL);
}
