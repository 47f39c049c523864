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

enum { DEFAULT_SEEDS = 50 };

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

static void change_recorded(const struct subject *subject, struct predicted_scenario *scenario,
                            struct random *random, uint32_t i)
{
    (void)i;
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
    (void)i;
    change_machine(subject, scenario, random, false);
}

static void change_algorithms(const struct subject *subject, struct predicted_scenario *scenario,
                              struct random *random, uint32_t i)
{
    (void)i;
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

int main(void)
{
#define CASE .n_seeds = DEFAULT_SEEDS, .make = make_text, .n_scenarios = 4
    const struct CMUnitTest tests[] = {
        SUBJECT_TEST("recorded costs", CASE, .change = change_recorded),
        SUBJECT_TEST("machines by formulas", CASE, .change = change_formulas),
        SUBJECT_TEST("machines by algorithms", CASE, .change = change_algorithms),
        // Members that leave an operation out need no core there.
        SUBJECT_TEST("operations left out", CASE, .change = change_either, .kinds = CHANGE_DROPS),
    };
    return cmocka_run_group_tests_name("prediction slices", tests, NULL, NULL);
}
