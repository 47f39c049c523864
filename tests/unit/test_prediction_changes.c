// SPDX-License-Identifier: BSD-3-Clause
// Predictions of changed code against the brute-force prediction, on random MPI programs: work of
// call paths scaled, set or balanced, synchronisation and messages left out, work moved with its
// data, calls waited for later, messages put together; each kind alone, and all together with
// placements and machine files. The end of every rank must be the same to the nanosecond.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds. The trace of a disagreement is left as text
// in the folder the message names.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/reference/change_choice.h"
#include "tests/reference/changed_program.h"
#include "tests/unit/prediction_subject.h"

#ifdef __SANITIZE_ADDRESS__
enum { DEFAULT_SEEDS = 40 };
#else
enum { DEFAULT_SEEDS = 150 };
#endif
enum { SCENARIOS_PER_RUN = 3 };

static char *text_of_seed(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.max_steps = seed % 2 ? 30 : 120;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    return scenario_trace_text(seed, &limits);
}

/// Changes of these KINDS: where the ranks were, elsewhere, and on a machine.
static bool check_kinds(const struct subject *subject, struct random *random, uint32_t kinds,
                        FILE *stream)
{
    bool is_sound = true;
    for (uint32_t i = 0; i < SCENARIOS_PER_RUN && is_sound; i++) {
        struct predicted_scenario scenario = subject->unchanged;
        if (i > 0)
            scenario_change(&scenario, random, subject->text, subject->n_ranks);
        if (i > 1)
            scenario_give_machine(&scenario, random);
        if (kinds & CHANGE_SCALES)
            scales_choose(&scenario, random, subject->text);
        changes_choose(&scenario.changes, random, subject->text, subject->n_ranks, kinds);
        if (are_works_nested(&subject->model, &scenario.changes))
            scenario.changes.n_works = 1;
        if (!subject_has_equal_sizes(subject))
            scenario.changes.n_cuts = 0;
        is_sound = subject_agrees(subject, &scenario, stream);
    }
    return is_sound;
}

static bool check_scales(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_kinds(subject, random, CHANGE_SCALES, stream);
}

static bool check_works(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_kinds(subject, random, CHANGE_WORKS, stream);
}

static bool check_drops(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_kinds(subject, random, CHANGE_DROPS, stream);
}

static bool check_cuts(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_kinds(subject, random, CHANGE_CUTS, stream);
}

static bool check_moves(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_kinds(subject, random, CHANGE_MOVES, stream);
}

static bool check_overlaps(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_kinds(subject, random, CHANGE_OVERLAPS, stream);
}

static bool check_groups(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_kinds(subject, random, CHANGE_GROUPS, stream);
}

static bool check_all(const struct subject *subject, struct random *random, FILE *stream)
{
    return check_kinds(subject, random, CHANGE_ALL, stream);
}

static void test_scaled_call_paths(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, text_of_seed, check_scales);
}

static void test_works_of_regions(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, text_of_seed, check_works);
}

static void test_synchronisation_left_out(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, text_of_seed, check_drops);
}

static void test_messages_left_out(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, text_of_seed, check_cuts);
}

static void test_moved_work(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, text_of_seed, check_moves);
}

static void test_calls_put_off(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, text_of_seed, check_overlaps);
}

static void test_messages_put_together(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, text_of_seed, check_groups);
}

static void test_all_at_once(void **state)
{
    (void)state;
    subject_check_seeds(DEFAULT_SEEDS, text_of_seed, check_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scaled_call_paths),
        cmocka_unit_test(test_works_of_regions),
        cmocka_unit_test(test_synchronisation_left_out),
        cmocka_unit_test(test_messages_left_out),
        cmocka_unit_test(test_moved_work),
        cmocka_unit_test(test_calls_put_off),
        cmocka_unit_test(test_messages_put_together),
        cmocka_unit_test(test_all_at_once),
    };
    return cmocka_run_group_tests_name("prediction of changes", tests, NULL, NULL);
}
