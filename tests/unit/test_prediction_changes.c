// SPDX-License-Identifier: BSD-3-Clause
// Predictions of changed code against the brute-force prediction, on random MPI programs: work of
// call paths scaled, set or balanced, synchronisation and messages left out, work moved with its
// data, calls waited for later, messages put together; each kind alone, and all together with
// placements and machine files. The end of every rank must be the same to the nanosecond.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds. The trace of a disagreement is left as text
// in the folder the message names.
#include <stdbool.h>

#include "tests/reference/change_choice.h"
#include "tests/unit/prediction_subject.h"
#include "tests/unit/unit_test.h"

#ifdef __SANITIZE_ADDRESS__
enum { DEFAULT_SEEDS = 40 };
#else
enum { DEFAULT_SEEDS = 150 };
#endif

static char *text_of_seed(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.max_steps = seed % 2 ? 30 : 120;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    limits.allow_epochs = false; // the reference does not predict them
    return scenario_trace_text(seed, &limits);
}

/// Where the ranks were, elsewhere, and on a machine.
static void change(const struct subject *subject, struct predicted_scenario *scenario,
                   struct random *random, uint32_t i)
{
    if (i > 0)
        scenario_change(scenario, random, subject->text, subject->n_ranks);
    if (i > 1)
        scenario_give_machine(scenario, random);
}

#define CASE .n_seeds = DEFAULT_SEEDS, .make = text_of_seed, .n_scenarios = 3, .change = change
static const struct CMUnitTest tests[] = {
    SUBJECT_TEST("scaled call paths", CASE, .kinds = CHANGE_SCALES),
    SUBJECT_TEST("works of regions", CASE, .kinds = CHANGE_WORKS),
    SUBJECT_TEST("synchronisation left out", CASE, .kinds = CHANGE_DROPS),
    SUBJECT_TEST("messages left out", CASE, .kinds = CHANGE_CUTS),
    SUBJECT_TEST("moved work", CASE, .kinds = CHANGE_MOVES),
    SUBJECT_TEST("calls waited for later", CASE, .kinds = CHANGE_OVERLAPS),
    SUBJECT_TEST("messages put together", CASE, .kinds = CHANGE_GROUPS),
    SUBJECT_TEST("all at once", CASE, .kinds = CHANGE_ALL),
};

TEST_TABLE(tests)
