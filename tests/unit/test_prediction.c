// SPDX-License-Identifier: BSD-3-Clause
// Predictions against the brute-force prediction, on random MPI programs and random scenarios: the
// end of every rank must be the same to the nanosecond. Properties that need no reference are
// checked as well.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds. The trace of a disagreement is left as text
// in the folder the message names.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/engine_prediction.h"
#include "tests/reference/predicted_run.h"
#include "tests/reference/program.h"
#include "tests/reference/scenarios.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/seeds.h"

#ifdef __SANITIZE_ADDRESS__
enum { DEFAULT_SEEDS = 100 };
#else
enum { DEFAULT_SEEDS = 400 };
#endif
enum { SCENARIOS_PER_RUN = 3 };

/// A run both predict.
struct subject {
    char *text;
    struct reference_trace trace;
    struct findings unused;
    struct model model;
    struct engine_run *engine;
    struct predicted_scenario unchanged;
    uint32_t n_ranks;
};

static bool subject_init(struct subject *subject, char *text, FILE *stream)
{
    struct error err = {{0}};
    *subject = (struct subject){.text = text};
    if (reference_trace_parse(&subject->trace, text, &err) != 0 ||
        !(subject->engine = engine_run_new(text, &err))) {
        fprintf(stream, "  %s\n", err.text);
        return false;
    }
    model_build(&subject->model, &subject->trace, &subject->unused);
    subject->n_ranks = subject->trace.n_ranks;
    scenario_unchanged(&subject->unchanged, text);
    return true;
}

static void subject_release(struct subject *subject)
{
    if (subject->engine)
        model_release(&subject->model);
    engine_run_free(subject->engine);
    findings_release(&subject->unused);
    reference_trace_release(&subject->trace);
    free(subject->text);
}

/// Do both say the same about SCENARIO? What differs goes to STREAM.
static bool agrees(const struct subject *subject, const struct predicted_scenario *scenario,
                   FILE *stream)
{
    struct error err = {{0}};
    uint64_t expected[PROGRAM_MAX_RANKS] = {0}, found[PROGRAM_MAX_RANKS] = {0};
    // Where ranks would wait for each other for ever the engine lets one go on; nobody says which.
    if (!predicted_run(&subject->model, scenario, expected))
        return true;
    if (engine_run_predict(subject->engine, scenario, found, &err) != 0) {
        fprintf(stream, "  %s\n", err.text);
        return false;
    }
    bool is_equal = true;
    for (uint32_t r = 0; r < subject->n_ranks; r++) {
        if (expected[r] == found[r])
            continue;
        fprintf(stream, "  rank %" PRIu32 " ends at %" PRIu64 ", engine: %" PRIu64 "\n", r,
                expected[r], found[r]);
        is_equal = false;
    }
    if (!is_equal)
        scenario_print(scenario, subject->n_ranks, stream);
    return is_equal;
}

/// Checks one thing on the run of SEED; RANDOM is its own.
typedef bool check(const struct subject *subject, struct random *random, FILE *stream);

static bool check_scenarios(const struct subject *subject, struct random *random, FILE *stream)
{
    bool is_sound = agrees(subject, &subject->unchanged, stream);
    for (uint32_t i = 0; i < SCENARIOS_PER_RUN && is_sound; i++) {
        struct predicted_scenario scenario = subject->unchanged;
        scenario_change(&scenario, random, subject->text, subject->n_ranks);
        is_sound = agrees(subject, &scenario, stream);
    }
    return is_sound;
}

static bool check_machines(const struct subject *subject, struct random *random, FILE *stream)
{
    bool is_sound = true;
    for (uint32_t i = 0; i < SCENARIOS_PER_RUN && is_sound; i++) {
        struct predicted_scenario scenario = subject->unchanged;
        if (i > 0)
            scenario_change(&scenario, random, subject->text, subject->n_ranks);
        scenario_give_machine(&scenario, random);
        is_sound = agrees(subject, &scenario, stream);
    }
    return is_sound;
}

static struct sim_program_limits limits_of_seed(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.max_steps = seed % 2 ? 40 : 200;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    limits.allow_wildcards = limits.allow_foreign = false;
    return limits;
}

/// Runs WHAT on the run of SEED; its text into TEXT unless NULL.
static bool check_seed(uint64_t seed, check *what, char **text, FILE *stream)
{
    struct subject subject;
    struct random random = {seed};
    struct sim_program_limits limits = limits_of_seed(seed);
    bool is_sound = subject_init(&subject, scenario_trace_text(seed, &limits), stream) &&
                    (!predicted_run_is_defined(&subject.model) || what(&subject, &random, stream));
    if (text)
        *text = memory_copy_text(subject.text);
    subject_release(&subject);
    return is_sound;
}

static void check_seeds(check *what)
{
    uint64_t first, last, n_failed = 0, shortest_seed = 0;
    size_t shortest = SIZE_MAX;
    seed_range(DEFAULT_SEEDS, &first, &last);
    FILE *nowhere = fopen("/dev/null", "w");
    for (uint64_t seed = first; seed <= last; seed++) {
        char *text;
        bool is_sound = check_seed(seed, what, &text, nowhere);
        n_failed += !is_sound;
        if (!is_sound && strlen(text) < shortest) {
            shortest = strlen(text);
            shortest_seed = seed;
        }
        free(text);
    }
    fclose(nowhere);
    if (n_failed == 0)
        return;
    char *text, *directory = scratch_directory();
    char *path = memory_format("%s/seed-%" PRIu64 ".txt", directory, shortest_seed);
    fprintf(stderr, "%" PRIu64 " of %" PRIu64 " seeds fail; seed %" PRIu64 ", left in %s:\n",
            n_failed, last - first + 1, shortest_seed, path);
    check_seed(shortest_seed, what, &text, stderr);
    scratch_write(path, text, strlen(text));
    free(text);
    free(path);
    free(directory);
    fail();
}

static void test_random_scenarios(void **state)
{
    (void)state;
    check_seeds(check_scenarios);
}

static void test_random_machines(void **state)
{
    (void)state;
    check_seeds(check_machines);
}

int main(void)
{
    if (!getenv("TMPDIR"))
        setenv("TMPDIR", "/dev/shm", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_scenarios),
        cmocka_unit_test(test_random_machines),
    };
    return cmocka_run_group_tests_name("prediction", tests, NULL, NULL);
}
