// SPDX-License-Identifier: BSD-3-Clause
// The run on an ideal network: random programs against the brute-force reference and against what
// must hold for the efficiencies that follow.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds.
#include <stdbool.h>

#include <inttypes.h>
#include <stdio.h>

#include "tests/unit/prediction_subject.h"
#include "tests/unit/seeds.h"
#include "tests/unit/unit_test.h"

enum { DEFAULT_SEEDS = CASES(600, 150) };

static char *text_of_seed(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.max_steps = seed % 2 ? 40 : 200;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    limits.allow_wildcards = limits.allow_foreign = false;
    limits.allow_epochs = false; // the reference does not predict them
    return scenario_trace_text(seed, &limits);
}

/// The run of ENGINE on an ideal network, in FOUND; no shorter than its busiest rank's work and no
/// longer than the recorded one.
static bool is_possible(const struct engine_run *engine, struct engine_ideal *found, FILE *stream)
{
    struct error err = {{0}};
    if (engine_run_ideal(engine, found, &err) == 0 && found->max_useful_ns <= found->ideal_ns &&
        found->ideal_ns <= found->window_ns)
        return true;
    fprintf(stream, "  useful %" PRIu64 ", ideal %" PRIu64 ", window %" PRIu64 " %s\n",
            found->max_useful_ns, found->ideal_ns, found->window_ns, err.text);
    return false;
}

static bool check_ideal(const struct subject *subject, struct random *random, FILE *stream)
{
    struct engine_ideal found;
    uint64_t finish_ns[PROGRAM_MAX_RANKS] = {0}, window_ns;
    if (!is_possible(subject->engine, &found, stream))
        return false;
    bool is_good =
        predicted_ideal(&subject->model, finish_ns, &window_ns) && window_ns == found.ideal_ns;
    for (uint32_t r = 0; r < subject->n_ranks; r++) {
        is_good = is_good && finish_ns[r] == found.finish_ns[r];
        if (!is_good)
            fprintf(stream, "  rank %" PRIu32 " ends at %" PRIu64 ", engine: %" PRIu64 "\n", r,
                    finish_ns[r], found.finish_ns[r]);
    }
    return is_good;
}

/// Of runs that the reference does not predict: what must hold all the same.
static bool check_odd_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = false;
    struct error err = {{0}};
    struct engine_ideal found;
    *text = sim_program_trace_text(seed, &limits);
    struct engine_run *run = engine_run_new(*text, &err);
    bool is_sound = run && is_possible(run, &found, stream);
    engine_run_free(run);
    return is_sound;
}

TEST(test_wildcards_teams_foreign_traces)
{
    seeds_check(DEFAULT_SEEDS, check_odd_seed, NULL);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST("random programs", .n_seeds = DEFAULT_SEEDS, .make = text_of_seed,
                 .check = check_ideal),
};

TEST_TABLE(tests)
