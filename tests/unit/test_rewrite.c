// SPDX-License-Identifier: BSD-3-Clause
// A predicted run written as an archive and replayed as if it had been recorded is the predicted
// run: on the traces computed by hand and on random MPI programs, under random scenarios, the run
// time, the end of every rank, the time of every call and all wait states are those predicted. So
// are they where messages and operations are left out or smaller; where calls are waited for later
// the archive has calls of MPI_Waitall, and waits are compared by rank.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds.
#include <stdbool.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/simulation/prediction.h"
#include "analyzer/whatif/jobs.h"
#include "tests/reference/engine_findings.h"
#include "tests/reference/program.h"
#include "tests/reference/scenarios.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/seeds.h"
#include "tests/unit/text_fixture.h"
#include "tests/unit/unit_test.h"

enum { DEFAULT_SEEDS = CASES(120, 40) };
enum { MIN_TRACES = 50, MAX_SHOWN_LINES = 12 };

/// What a user may ask for. Costs of machine files are in tests/cli/whatif_out.bats.
static void choose(struct scenario_settings *settings, struct random *random,
                   struct region_scale *scale)
{
    *settings = SCENARIO_UNCHANGED;
    if (random_chance(random, 60))
        settings->n_nodes = 1 + random_below(random, 3);
    settings->is_cyclic = random_chance(random, 50);
    if (random_chance(random, 50))
        settings->n_cores = 1 + random_below(random, 3);
    if (random_chance(random, 50))
        settings->speed = 300000 + random_below(random, 2000000);
    settings->spins = random_chance(random, 30);
    settings->is_sticky = random_chance(random, 30);
    if (random_chance(random, 30))
        settings->hand_over_ns = random_below(random, 20);
    *scale = (struct region_scale){.pattern = "?*", .factor = random_below(random, 4) * 700000};
}

static const char *const all_messages[] = {"size>=0"};
static const char *const some_messages[] = {"size>=200", "from==0&&tag==0-1=0.3"};
static const char *const all_calls[] = {"MPI_*"};
static const char *const everywhere[] = {"(program)"};

/// Calls that are left out or waited for later, beside what choose() did.
static void choose_calls(struct scenario_settings *settings, struct random *random)
{
    uint32_t cut = random_below(random, 4), drop = random_below(random, 4);
    if (cut < 2) {
        settings->cuts = cut == 0 ? all_messages : some_messages;
        settings->n_cuts = cut == 0 ? 1 : 2;
    }
    settings->drops = drop == 0 ? all_calls : everywhere;
    settings->n_drops = drop < 2;
    settings->overlaps = everywhere;
    settings->n_overlaps = random_chance(random, 50);
}

/// Forgets where calls are.
static void leave_out_paths(struct findings *findings)
{
    for (size_t i = 0; i < findings->n_items; i++) {
        struct finding *finding = &findings->items[i];
        if (strcmp(finding->fact, "visits") == 0 || strcmp(finding->fact, "inclusive") == 0)
            finding->count = finding->ns = 0;
        finding->path[0] = '\0';
    }
    findings_sort(findings);
}

/// Regions the program entered itself; their shares of the time between two calls are rounded.
static bool is_rounded(const struct finding *finding)
{
    const char *name = strrchr(finding->path, '/');
    name = name ? name + 1 : finding->path;
    return (strcmp(finding->fact, "exclusive") == 0 || strcmp(finding->fact, "inclusive") == 0) &&
           strncmp(name, "MPI_", 4) != 0;
}

static void leave_out_rounded(struct findings *findings)
{
    for (size_t i = 0; i < findings->n_items; i++)
        if (is_rounded(&findings->items[i]))
            findings->items[i].ns = 0;
    findings_sort(findings);
}

struct rewritten {
    const struct scenario_settings *settings;
    bool is_ambiguous; // the trace does not say for what all receives were posted
    bool is_forced;    // somebody would have waited for ever and went on without his partner
};

/// Either of two lineages is right where things happen at the same time (test_whatif_identity.c);
/// the shares of regions are rounded there, too.
static bool is_ignored(const char *fact, const void *context)
{
    const struct rewritten *comparison = context;
    const struct scenario_settings *settings = comparison->settings;
    // A prediction has none where some starts of epochs went on without a post.
    if (strncmp(fact, "late-post", 9) == 0)
        return true;
    bool changes_messages = settings->n_cuts > 0 || settings->n_overlaps > 0;
    // What is left out is in the predicted run, too, but takes no time there.
    if ((settings->n_cuts > 0 && strcmp(fact, "messages") == 0) ||
        (settings->n_drops > 0 && strcmp(fact, "collectives") == 0) ||
        (changes_messages && strcmp(fact, "ambiguous-receives") == 0))
        return true;
    // Who receives which message is a guess then, which is another one among fewer receives.
    if (changes_messages && comparison->is_ambiguous)
        return strcmp(fact, "time") != 0 && strcmp(fact, "last") != 0;
    // Who goes on without his partner receives what is sent later.
    if (comparison->is_forced && strcmp(fact, "clock-violations") == 0)
        return true;
    return strstr(fact, "cause/") || strstr(fact, "explained/") || strstr(fact, "direct/") ||
           strcmp(fact, "critical-path") == 0;
}

/// Predicts the archive RECORDED under SETTINGS, writes the run to PREDICTED and finds FINDINGS in
/// it; *IS_FORCED: as of struct rewritten.
static int predict(const char *recorded, const char *predicted,
                   const struct scenario_settings *settings, struct findings *findings,
                   bool *is_forced, struct error *err)
{
    struct replay_run measured = {0}, run = {0};
    struct scenario scenario = {0};
    struct prediction prediction = {0};
    int status = -1;
    if (replay_run_open(&measured, recorded, err) != 0 ||
        replay_run(&measured, NULL, NULL, true, "replaying", err) != 0 ||
        replay_run_open(&run, recorded, err) != 0 || whatif_out_prepare(predicted, &run, err) != 0)
        goto out;
    const struct definitions *definitions = trace_definitions(run.trace);
    if (scenario_init(&scenario, definitions, settings, err) != 0)
        goto out;
    prediction_init(&prediction, definitions, &scenario, measured.recorded);
    status = replay_run(&run, shipped_catalogue, &prediction, false, "predicting", err);
    if (status == 0) {
        *is_forced = run.replay.simulated->n_forced > 0;
        engine_findings_convert(run.trace, shipped_catalogue, run.matcher, &run.replay, findings);
        status = whatif_out_write(predicted, &run, &scenario, "a test", err);
    }
    prediction_release(&prediction);
out:
    scenario_release(&scenario);
    replay_run_release(&run);
    replay_run_release(&measured);
    return status;
}

/// Further threads are no part of the predicted time; in an archive those
/// that outlast the ranks end the run.
static void let_threads_end(struct findings *predicted)
{
    struct finding *time = NULL;
    int64_t last_ns = 0;
    for (size_t i = 0; i < predicted->n_items; i++) {
        struct finding *finding = &predicted->items[i];
        if (strcmp(finding->fact, "time") == 0)
            time = finding;
        if (strcmp(finding->fact, "last") == 0 && finding->ns > last_ns)
            last_ns = finding->ns;
    }
    if (time && last_ns > time->ns)
        time->ns = last_ns;
}

/// Whether the predicted run of TEXT comes back; what differs goes to STREAM.
static bool comes_back(const char *text, const struct scenario_settings *settings, FILE *stream)
{
    struct error err = {{0}};
    struct findings predicted = {0}, replayed = {0};
    char *scratch = scratch_directory();
    SCOPED char *recorded_path = memory_format("%s/recorded", scratch);
    SCOPED char *predicted_path = memory_format("%s/predicted", scratch);
    bool is_equal = false, is_forced = false;
    if (text_trace_write(text, recorded_path, &err) != 0 ||
        predict(recorded_path, predicted_path, settings, &predicted, &is_forced, &err) != 0 ||
        engine_findings(predicted_path, shipped_catalogue, &replayed, &err) != 0) {
        fprintf(stream, "  %s\n", err.text);
    } else {
        let_threads_end(&predicted);
        leave_out_rounded(&predicted);
        leave_out_rounded(&replayed);
        if (settings->n_overlaps > 0) {
            leave_out_paths(&predicted);
            leave_out_paths(&replayed);
        }
        const struct rewritten comparison = {
            settings,
            findings_sum(&predicted, "ambiguous-receives", FINDING_NO_RANK, 0, NULL).count > 0,
            is_forced};
        is_equal = findings_equal(&predicted, "predicted", &replayed, "replayed", is_ignored,
                                  &comparison, stream, MAX_SHOWN_LINES);
    }
    findings_release(&predicted);
    findings_release(&replayed);
    scratch_remove(scratch);
    return is_equal;
}

static bool seed_comes_back(uint64_t seed, const void *changes_calls, char **text, FILE *stream)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = false;
    limits.allow_locks = false; // a prediction grants them in the recorded order
    *text = scenario_trace_text(seed, &limits);
    struct random random = {seed};
    struct scenario_settings settings;
    struct region_scale scale;
    choose(&settings, &random, &scale);
    if (random_chance(&random, 50) && strstr(*text, " enter ")) {
        settings.scales = &scale;
        settings.n_scales = 1;
    }
    if (changes_calls)
        choose_calls(&settings, &random);
    return comes_back(*text, &settings, stream);
}

static size_t check_text(const char *path, char *text)
{
    const struct scenario_settings unchanged = SCENARIO_UNCHANGED;
    struct scenario_settings slow = SCENARIO_UNCHANGED;
    slow.speed = 300000;
    // Records outside calls have one time in a trace, though it may now take some to handle them.
    return !strstr(path, "outside-calls") &&
           (!comes_back(text, &unchanged, stderr) || !comes_back(text, &slow, stderr));
}

TEST(test_traces_computed_by_hand)
{
    traces_check("{engine,patterns,threads}/*.txt", MIN_TRACES, check_text);
}

TEST(test_random_programs)
{
    seeds_check(DEFAULT_SEEDS, seed_comes_back, NULL);
}

TEST(test_changed_calls)
{
    seeds_check(DEFAULT_SEEDS, seed_comes_back, "calls are changed");
}

AROUND_ALL(shipped_catalogue_load, shipped_catalogue_unload)
