// SPDX-License-Identifier: BSD-3-Clause
// Random runs by clocks with known errors. Once the clocks are corrected, no message or collective
// comes before its cause, what happens on one location keeps its order and nearly its durations,
// clocks are no further from the truth than they were, and waits are as far from those of the true
// run as that allows. That and all else the engine finds is what the brute-force reference finds in
// the corrected times.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/trace/definitions/local_definitions.h"
#include "tests/reference/engine_findings.h"
#include "tests/reference/program.h"
#include "tests/reference/reference.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/seeds.h"
#include "tests/unit/unit_test.h"

enum { DEFAULT_SEEDS = CASES(400, 40) };
enum { MAX_SHOWN_LINES = 12, MOST_DRIFT = 20000 }; // millionths

/// How the clock of each rank goes: it shows TIME + offset + TIME * drift / 10^6.
struct clocks {
    int64_t offset[PROGRAM_MAX_RANKS], drift[PROGRAM_MAX_RANKS];
    bool has_drift;
};

/// The ranks' clocks are up to LENGTH / 8 ahead.
static struct clocks choose_clocks(uint64_t seed, int64_t length)
{
    struct random random = {.state = seed * 977 + 5};
    struct clocks clocks = {.has_drift = seed % 2 == 1};
    for (uint32_t rank = 0; rank < PROGRAM_MAX_RANKS; rank++) {
        clocks.offset[rank] = random_below(&random, (uint32_t)(length / 8 + 10));
        if (clocks.has_drift)
            clocks.drift[rank] = (int64_t)random_below(&random, 2 * MOST_DRIFT) - MOST_DRIFT;
    }
    return clocks;
}

typedef int64_t changed_time(void *context, uint32_t rank, bool is_thread, int64_t time);

/// TEXT with other times. The caller frees.
static char *change_times(const char *text, changed_time *change, void *context)
{
    char *changed = NULL;
    size_t size_bytes;
    FILE *stream = open_memstream(&changed, &size_bytes);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        unsigned rank, thread;
        long long time;
        int length = 0;
        bool is_thread = sscanf(line, "%u.%u %lld%n", &rank, &thread, &time, &length) == 3;
        if (!is_thread && sscanf(line, "%u %lld%n", &rank, &time, &length) != 2)
            length = 0;
        else
            fprintf(stream, "%.*s %lld", (int)strcspn(line, " "), line,
                    (long long)change(context, rank, is_thread, time));
        fprintf(stream, "%.*s\n", (int)strcspn(line + length, "\n"), line + length);
    }
    fclose(stream);
    return changed;
}

static int64_t note_last(void *context, uint32_t rank, bool is_thread, int64_t time)
{
    int64_t *last = context;
    *last = time > *last ? time : *last;
    return time;
}

static int64_t stretch(void *context, uint32_t rank, bool is_thread, int64_t time)
{
    return time * 1000;
}

static int64_t show(void *context, uint32_t rank, bool is_thread, int64_t time)
{
    const struct clocks *clocks = context;
    (void)is_thread;
    return time + clocks->offset[rank] + time * clocks->drift[rank] / 1000000;
}

static int64_t correct(void *context, uint32_t rank, bool is_thread, int64_t time)
{
    const struct trace *trace = context;
    const struct definitions *definitions = trace_definitions(trace);
    size_t location = definitions->ranks[rank].master, interval = 0;
    for (size_t i = 0; is_thread && i < definitions->n_locations; i++)
        if (definitions->locations[i].rank == rank && !definitions->locations[i].is_master)
            location = i;
    return (int64_t)local_definitions_ticks(trace_local_definitions(trace, location), &interval,
                                            (uint64_t)time);
}

/// Times of the lines of a text, in their order.
struct times {
    int64_t *items;
    uint32_t *locations;
    size_t n, capacity, location_capacity;
};

static int64_t gather(void *context, uint32_t rank, bool is_thread, int64_t time)
{
    struct times *times = context;
    times->locations = array_reserve(times->locations, &times->location_capacity, times->n + 1,
                                     sizeof *times->locations);
    times->locations[times->n] = 2 * rank + is_thread;
    *ARRAY_NEXT(times->items, times->n, times->capacity) = time;
    return time;
}

static struct times times_of(const char *text)
{
    struct times times = {0};
    free(change_times(text, gather, &times));
    return times;
}

static void times_release(struct times *times)
{
    FREE_ALL(times->items, times->locations);
}

/// How far apart the errors of the clocks are at most.
static int64_t spread(const struct times *times, const struct times *true_times)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < times->n; i++) {
        int64_t error = times->items[i] - true_times->items[i];
        least = error < least ? error : least;
        most = error > most ? error : most;
    }
    return most - least;
}

/// Whether each location's times keep their order, and their distances: those of recorded clocks,
/// or where these drift nearly so.
static bool keep_durations(const struct times *times, const struct times *recorded, bool drifts,
                           FILE *stream)
{
    bool is_kept = true;
    for (size_t i = 1; i < times->n && is_kept; i++) {
        int64_t now = times->items[i] - times->items[i - 1];
        int64_t before = recorded->items[i] - recorded->items[i - 1];
        int64_t most = drifts ? before / 10 + 2 : 0;
        if (times->locations[i] == times->locations[i - 1])
            is_kept = now >= 0 && llabs(now - before) <= most;
        if (!is_kept)
            fprintf(stream, "  line %zu: %lld after the one before, recorded %lld\n", i,
                    (long long)now, (long long)before);
    }
    return is_kept;
}

static int64_t waits_of(const struct findings *found)
{
    static const char *const patterns[] = {"late-sender", "wait-at-barrier", "wait-at-nxn",
                                           "late-broadcast", "early-reduce"};
    int64_t sum_ns = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        sum_ns += findings_sum(found, patterns[i], FINDING_NO_RANK, 0, NULL).ns;
    return sum_ns;
}

static int64_t n_calls(const char *text)
{
    int64_t n = 0;
    for (const char *at = text; (at = strstr(at, "enter MPI_")) != NULL; at++)
        n++;
    return n;
}

static bool is_ignored(const char *fact, const void *context)
{
    return strcmp(fact, "size-mismatches") == 0 || strcmp(fact, "lost-calls") == 0;
}

/// What has been tried.
struct tally {
    size_t n_corrected, n_refused, n_unclean; // of the last violations remained
};

/// What RUN, replayed, has to do with the TRUE_TEXT of its run and the RECORDED one. Constants
/// remove all violations, and leave clocks no further from the truth.
static bool is_right(const char *true_text, const char *recorded, const struct replay_run *run,
                     bool drifts, struct tally *tally, FILE *stream)
{
    SCOPED char *text = change_times(recorded, correct, run->trace);
    struct times true_times = times_of(true_text), recorded_times = times_of(recorded);
    struct times times = times_of(text);
    struct findings expected = {0}, found = {0}, truth = {0};
    reference_analyse_text(text, &expected);
    reference_analyse_text(true_text, &truth);
    engine_findings_convert(run->trace, shipped_catalogue, run->matcher, &run->replay, &found);
    int64_t before = spread(&recorded_times, &true_times), after = spread(&times, &true_times);
    int64_t n_left = findings_sum(&expected, "clock-violations", FINDING_NO_RANK, 0, NULL).count;
    int64_t wait_error = llabs(waits_of(&expected) - waits_of(&truth));
    bool is_sound =
        (drifts || (n_left == 0 && after <= before)) && wait_error <= 2 * n_calls(text) * after;
    if (!is_sound)
        fprintf(stream, "  %lld violations left, clocks wrong by %lld, not %lld, waits by %lld\n",
                (long long)n_left, (long long)after, (long long)before, (long long)wait_error);
    is_sound &= keep_durations(&times, &recorded_times, drifts, stream);
    tally->n_corrected++;
    tally->n_unclean += n_left > 0;
    is_sound &= (uint64_t)n_left == run->replay.n_clock_violations;
    if (n_left == 0)
        is_sound &= findings_equal(&found, "engine", &expected, "reference", is_ignored, NULL,
                                   stream, MAX_SHOWN_LINES);
    findings_release(&expected);
    findings_release(&found);
    findings_release(&truth);
    times_release(&times);
    times_release(&recorded_times);
    times_release(&true_times);
    return is_sound;
}

/// Replays the run of TEXT by CLOCKS.
static bool check_clocks(const char *text, struct clocks *clocks, struct tally *tally, FILE *stream)
{
    SCOPED char *recorded = change_times(text, show, clocks);
    char *scratch = scratch_directory(), *archive = memory_format("%s/archive", scratch);
    struct error err = {{0}};
    struct replay_run run = {0};
    int status = text_trace_write(recorded, archive, &err);
    if (status == 0)
        status = replay_run_open(&run, archive, &err);
    if (status == 0)
        status = replay_run(&run, shipped_catalogue, NULL, false, NULL, &err);
    bool is_refused = run.clocks.why_not.text[0] != '\0';
    bool is_sound = status == 0 && (!is_refused || clocks->has_drift);
    if (!is_sound)
        fprintf(stream, "  %s%s\n", err.text, run.clocks.why_not.text);
    tally->n_refused += is_refused;
    if (is_sound && run.clocks.moved_ns > 0)
        is_sound = is_right(text, recorded, &run, clocks->has_drift, tally, stream);
    replay_run_release(&run);
    free(archive);
    scratch_remove(scratch);
    return is_sound;
}

static bool check_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_locks = false;
    SCOPED char *short_text = sim_program_trace_text(seed, &limits);
    *text = change_times(short_text, stretch, NULL); // rounding is small then
    int64_t last = 0;
    free(change_times(*text, note_last, &last));
    struct clocks clocks = choose_clocks(seed, last);
    return check_clocks(*text, &clocks, *(struct tally *const *)context, stream);
}

TEST(test_corrected_clocks_are_right)
{
    struct tally tally = {0}, *context = &tally;
    seeds_check(DEFAULT_SEEDS, check_seed, &context);
    // Of short runs with few messages no speeds may be found for drifting clocks.
    uint64_t first, last;
    seed_range(DEFAULT_SEEDS, &first, &last);
    size_t n = last - first + 1;
    assert_uint_in_range(tally.n_corrected, n > 10 ? n / 2 : 0, n);
    assert_uint_in_range(tally.n_refused + tally.n_unclean, 0, n / 10 + 1);
}

AROUND_ALL(shipped_catalogue_load, shipped_catalogue_unload)
