// SPDX-License-Identifier: BSD-3-Clause
// Predictions by the order of events only (--timeless) against the brute-force prediction, on
// random MPI programs whose visits say how much work they do: alone, with placements and machines,
// operations by formula and by messages, links and buses, and changed code. The end of every rank
// must be the same to the nanosecond. The analyzer gets the trace with other times than the brute
// force does: none may matter.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds. The trace of a disagreement is left as text
// in the folder the message names.
#include <stdbool.h>

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "tests/reference/change_choice.h"
#include "tests/reference/scenarios.h"
#include "tests/unit/prediction_subject.h"
#include "tests/unit/unit_test.h"

#ifdef __SANITIZE_ADDRESS__
enum { DEFAULT_SEEDS = 40 };
#else
enum { DEFAULT_SEEDS = 200 };
#endif

static char *text_of_seed(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    struct random random = {seed * 0x9e3779b97f4a7c15u + 13};
    limits.max_steps = seed % 2 ? 30 : 120;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    limits.allow_epochs = false; // the reference does not predict them
    SCOPED char *plain = scenario_trace_text(seed, &limits);
    return order_text_with_counts(plain, &random);
}

static void change(const struct subject *subject, struct predicted_scenario *scenario,
                   struct random *random, uint32_t i)
{
    if (i > 0)
        scenario_change(scenario, random, subject->text, subject->n_ranks);
    scenario_give_machine(scenario, random);
    scenario_go_by_order(scenario, random, subject->text);
}

static void change_with_algorithms(const struct subject *subject,
                                   struct predicted_scenario *scenario, struct random *random,
                                   uint32_t i)
{
    change(subject, scenario, random, i);
    scenario_give_algorithms(scenario, random);
}

#define CASE                                                                                       \
    .n_seeds = DEFAULT_SEEDS, .make = text_of_seed, .n_scenarios = 3,                              \
    .engine_text = order_text_with_times
static const struct CMUnitTest tests[] = {
    SUBJECT_TEST("order only", CASE, .change = change),
    SUBJECT_TEST("with algorithms", CASE, .change = change_with_algorithms),
    SUBJECT_TEST("with changed code", CASE, .change = change,
                 .kinds = CHANGE_ALL & ~(CHANGE_MOVES | CHANGE_OVERLAPS)),
};

TEST_TABLE(tests)
