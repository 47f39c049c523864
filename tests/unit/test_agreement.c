// SPDX-License-Identifier: BSD-3-Clause
// Engine and patterns against the brute-force reference, on random MPI programs: everything both
// compute must be equal to the nanosecond. Properties that need no reference are checked as well.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds. The trace of a disagreement is left as text
// in the folder the message names.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/engine_findings.h"
#include "tests/reference/program.h"
#include "tests/reference/reference.h"
#include "tests/unit/seeds.h"
#include "tests/unit/unit_test.h"

enum { DEFAULT_SEEDS = CASES(4000, 500) };
enum { MAX_SHOWN_LINES = 12 };

/// What of a trace the engine does not promise to the nanosecond.
struct limits {
    bool is_skewed, is_cut, is_unmatched;
    bool has_overlap; // one call may complete several operations, each of which it waited for
    bool has_team, has_synchronous_sends, has_windows;
};

static struct limits limits_of(const char *text)
{
    char first_line[64];
    snprintf(first_line, sizeof first_line, "%.*s", (int)strcspn(text, "\n"), text);
    struct limits limits = {
        .is_skewed = strstr(first_line, "skewed") != NULL,
        .is_cut = strstr(first_line, "cut") != NULL,
        .is_unmatched = strstr(first_line, "unmatched") != NULL,
        .has_overlap = strstr(text, "coll-request") != NULL,
        .has_team = strstr(text, "fork") != NULL,
        .has_windows = strstr(text, " lock w") || strstr(text, " sync w"),
        .has_synchronous_sends = strstr(text, "MPI_Ssend") || strstr(text, "MPI_Issend"),
    };
    return limits;
}

/// Facts only one of the two knows, or that LIMITS leave open. On a damaged trace a rank may be
/// stuck for a partner that never comes, and others run ahead of it: the window, what lay
/// queued, and the causes of waits are not exact then. With two damages at once only the properties
/// are checked.
static bool is_ignored(const char *fact, const void *context)
{
    const struct limits *limits = context;
    int n_damages = limits->is_skewed + limits->is_cut + limits->is_unmatched;
    if (strcmp(fact, "size-mismatches") == 0 || strcmp(fact, "lost-calls") == 0 || n_damages > 1)
        return true;
    if (strstr(fact, "/window") || strcmp(fact, "useful") == 0 || strcmp(fact, "mpi") == 0 ||
        strcmp(fact, "ended") == 0)
        return n_damages > 0;
    if (strstr(fact, "wrong-order") || strstr(fact, "lock-contention") ||
        strstr(fact, "late-post") || strstr(fact, "early-wait") || strstr(fact, "late-complete") ||
        strstr(fact, "cause/") || strstr(fact, "explained/") || strstr(fact, "direct/"))
        return n_damages > 0;
    if (strcmp(fact, "clock-violations") == 0)
        return limits->is_cut;
    if (strcmp(fact, "critical-path") == 0 || strcmp(fact, "clock-repair") == 0)
        return n_damages > 0 &&
               (limits->has_team || limits->has_synchronous_sends || limits->has_windows);
    return false;
}

/// What is explained of the waits of PATTERN, in the window (WHERE: "") or outside; -1 if its parts
/// do not sum to it, or more than that is direct.
static int64_t explained_in(const struct findings *found, const char *where, const char *pattern)
{
    SCOPED char *cause = memory_format("%scause/%s", where, pattern);
    SCOPED char *explained = memory_format("%sexplained/%s", where, pattern);
    SCOPED char *direct = memory_format("%sdirect/%s", where, pattern);
    int64_t parts_ns = findings_sum(found, cause, FINDING_NO_RANK, 0, NULL).ns;
    int64_t explained_ns = findings_sum(found, explained, FINDING_NO_RANK, 0, NULL).ns;
    int64_t direct_ns = findings_sum(found, direct, FINDING_NO_RANK, 0, NULL).ns;
    bool is_right = parts_ns == explained_ns && direct_ns >= 0 && direct_ns <= explained_ns;
    return is_right ? explained_ns : -1;
}

/// The parts of an explanation must sum to what it explains: at most the waits of its pattern, and
/// in a sound trace all waits for messages and epochs.
static bool is_explained(const struct findings *found, const struct limits *limits, FILE *stream)
{
    static const char *const patterns[] = {"late-sender",     "late-receiver",  "wait-at-barrier",
                                           "wait-at-nxn",     "late-broadcast", "early-reduce",
                                           "wait-at-nx1",     "early-scan",     "wait-at-finalize",
                                           "lock-contention", "late-post",      "early-wait"};
    bool is_sound = true;
    bool is_whole = !limits->is_skewed && !limits->is_cut && !limits->is_unmatched;
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        SCOPED char *window = memory_format("%s/window", patterns[p]);
        int64_t wait_ns = findings_sum(found, patterns[p], FINDING_NO_RANK, 0, NULL).ns;
        int64_t window_ns = findings_sum(found, window, FINDING_NO_RANK, 0, NULL).ns;
        int64_t inside_ns = explained_in(found, "", patterns[p]);
        int64_t outside_ns = explained_in(found, "outside/", patterns[p]);
        // Other waits may end without a release: sends need not be synchronous, and members of an
        // operation may leave it before the last one comes.
        bool is_certain = is_whole && (strcmp(patterns[p], "late-sender") == 0 ||
                                       strcmp(patterns[p], "late-post") == 0 ||
                                       strcmp(patterns[p], "early-wait") == 0);
        bool is_right = inside_ns >= 0 && outside_ns >= 0 && inside_ns + outside_ns <= wait_ns &&
                        (inside_ns <= window_ns || !is_whole) &&
                        (inside_ns + outside_ns == wait_ns || !is_certain);
        if (!is_right)
            fprintf(stream, "  %s: waits %lld, in the window %lld, explained %lld + %lld\n",
                    patterns[p], (long long)wait_ns, (long long)window_ns, (long long)inside_ns,
                    (long long)outside_ns);
        is_sound = is_sound && is_right;
    }
    return is_sound;
}

/// What must hold for any run: prints what does not.
static bool is_plausible(const struct findings *found, const struct limits *limits, FILE *stream)
{
    int64_t time_ns = findings_sum(found, "time", FINDING_NO_RANK, 0, NULL).ns;
    int64_t path_ns = findings_sum(found, "critical-path", FINDING_NO_RANK, 0, NULL).ns;
    int64_t window_ns = findings_sum(found, "window-end", FINDING_NO_RANK, 0, NULL).ns -
                        findings_sum(found, "window-begin", FINDING_NO_RANK, 0, NULL).ns;
    bool is_sound = path_ns == time_ns;
    if (!is_sound)
        fprintf(stream, "  the critical path sums to %lld, not %lld\n", (long long)path_ns,
                (long long)time_ns);
    for (uint32_t rank = 0; rank < PROGRAM_MAX_RANKS; rank++) {
        int64_t wait_ns = 0;
        for (size_t p = 0; p < shipped_catalogue->n_patterns; p++)
            if (shipped_catalogue->patterns[p].is_counted)
                wait_ns += findings_sum(found, shipped_catalogue->patterns[p].id, rank, 0, NULL).ns;
        int64_t run_ns = findings_sum(found, "exclusive", rank, 0, NULL).ns;
        int64_t useful_ns = findings_sum(found, "useful", rank, 0, NULL).ns;
        bool is_too_useful = useful_ns > window_ns && useful_ns > 0 && !limits->is_skewed &&
                             !limits->is_cut && !limits->is_unmatched;
        bool is_too_long = wait_ns > run_ns && !limits->has_overlap;
        if (is_too_long)
            fprintf(stream, "  rank %u waits %lld of %lld\n", rank, (long long)wait_ns,
                    (long long)run_ns);
        if (is_too_useful)
            fprintf(stream, "  rank %u is useful for %lld of %lld\n", rank, (long long)useful_ns,
                    (long long)window_ns);
        is_sound = is_sound && !is_too_long && !is_too_useful;
    }
    return is_sound;
}

/// Compares the two on one trace; what differs goes to STREAM.
static bool agrees(const char *text, FILE *stream)
{
    struct error err = {{0}};
    struct findings expected = {0}, found = {0};
    bool is_equal = false;
    if (engine_findings_of_text(text, shipped_catalogue, &found, &err) != 0) {
        fprintf(stream, "  %s\n", err.text);
    } else {
        reference_analyse_text(text, &expected);
        struct limits limits = limits_of(text);
        is_equal = findings_equal(&expected, "reference", &found, "engine", is_ignored, &limits,
                                  stream, MAX_SHOWN_LINES) &&
                   is_plausible(&found, &limits, stream) && is_explained(&found, &limits, stream);
    }
    findings_release(&expected);
    findings_release(&found);
    return is_equal;
}

static bool check_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_probes = limits.allow_files = true;
    *text = sim_program_trace_text(seed, &limits);
    return agrees(*text, stream);
}

TEST(test_engine_agrees_with_the_reference)
{
    seeds_check(DEFAULT_SEEDS, check_seed, NULL);
}

AROUND_ALL(shipped_catalogue_load, shipped_catalogue_unload)
