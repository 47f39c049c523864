// SPDX-License-Identifier: BSD-3-Clause
// Predictions by the order of events only (--timeless) against the brute-force prediction, on
// random MPI programs whose visits say how much work they do: alone, with placements and machines,
// operations by formula and by messages, links and buses, and changed code. The end of every rank
// must be the same to the nanosecond. The analyzer gets the trace with other times than the brute
// force does: none may matter.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds. The trace of a disagreement is left as text
// in the folder the message names.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "tests/reference/change_choice.h"
#include "tests/reference/changed_program.h"
#include "tests/reference/scenarios.h"
#include "tests/unit/prediction_subject.h"

#ifdef __SANITIZE_ADDRESS__
enum { DEFAULT_SEEDS = 40 };
#else
enum { DEFAULT_SEEDS = 200 };
#endif
enum { SCENARIOS_PER_RUN = 3 };

static char *text_of_seed(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    struct random random = {seed * 0x9e3779b97f4a7c15u + 13};
    limits.max_steps = seed % 2 ? 30 : 120;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    char *plain = scenario_trace_text(seed, &limits);
    char *counted = order_text_with_counts(plain, &random);
    free(plain);
    return counted;
}

/// Changes SCENARIO further.
typedef void change_scenario(const struct subject *subject, struct predicted_scenario *scenario,
                             struct random *random);

static bool check_changed(const struct subject *subject, struct random *random,
                          change_scenario *change, FILE *stream)
{
    struct error err = {{0}};
    char *text = order_text_with_times(subject->text, random);
    struct subject other = *subject;
    other.engine = engine_run_new(text, &err);
    bool is_sound = other.engine != NULL;
    if (!is_sound)
        fprintf(stream, "  %s\n", err.text);
    for (uint32_t i = 0; i < SCENARIOS_PER_RUN && is_sound; i++) {
        struct predicted_scenario scenario = subject->unchanged;
        if (i > 0)
            scenario_change(&scenario, random, subject->text, subject->n_ranks);
        scenario_give_machine(&scenario, random);
        scenario_go_by_order(&scenario, random, subject->text);
        if (change)
            change(subject, &scenario, random);
        is_sound = subject_agrees(&other, &scenario, stream);
    }
    engine_run_free(other.engine);
    free(text);
    return is_sound;
}

static bool check_order(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_changed(subject, random, NULL, stream);
}

static void give_algorithms(const struct subject *subject, struct predicted_scenario *scenario,
                            struct random *random)
{
    (void)subject;
    scenario_give_algorithms(scenario, random);
}

static bool check_algorithms(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_changed(subject, random, give_algorithms, stream);
}

/// All that goes with it.
static void change_code(const struct subject *subject, struct predicted_scenario *scenario,
                        struct random *random)
{
    scales_choose(scenario, random, subject->text);
    changes_choose(&scenario->changes, random, subject->text, subject->n_ranks,
                   CHANGE_ALL & ~(CHANGE_MOVES | CHANGE_OVERLAPS));
    if (are_works_nested(&subject->model, &scenario->changes))
        scenario->changes.n_works = 1;
    if (!subject_has_equal_sizes(subject))
        scenario->changes.n_cuts = 0;
}

static bool check_code(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_changed(subject, random, change_code, stream);
}

static void test_order_only(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, text_of_seed, check_order);
}

static void test_with_algorithms(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, text_of_seed, check_algorithms);
}

static void test_with_changed_code(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, text_of_seed, check_code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_only),
        cmocka_unit_test(test_with_algorithms),
        cmocka_unit_test(test_with_changed_code),
    };
    return cmocka_run_group_tests_name("prediction by order", tests, NULL, NULL);
}
