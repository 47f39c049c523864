// SPDX-License-Identifier: BSD-3-Clause
// A simulated run in which nothing is changed is the recorded run, to the nanosecond and in all
// that is found in it: on the traces computed by hand and on random MPI programs.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds.
#include <stdbool.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/engine_findings.h"
#include "tests/reference/program.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/seeds.h"
#include "tests/unit/text_fixture.h"
#include "tests/unit/unit_test.h"

enum { DEFAULT_SEEDS = CASES(2000, 300) };
enum { MIN_TRACES = 50, MAX_SHOWN_LINES = 12 };

/// Whether nobody promises that a simulated run repeats it: clocks that disagree, partners that are
/// missing.
static bool is_damaged(const struct findings *measured)
{
    static const char *const damages[] = {"clock-violations", "unmatched-sends",
                                          "unmatched-receives", "incomplete-collectives"};
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++)
        if (findings_sum(measured, damages[i], FINDING_NO_RANK, 0, NULL).count > 0)
            return true;
    return false;
}

struct subject {
    bool is_random, polls;
    bool
        keeps_posts; // some starts of epochs went on without a post: those that waited last as long
};

/// Where several things happen in the same nanosecond either of two lineages is right, and what
/// they say about the causes of waits (outside the window, too) differs, in random programs also
/// the critical path. What is done between polls is done a little earlier
/// (simulation/read_ahead.c), which matters where the window ends or begins in such a loop: there
/// only MPI and the rest together are the same.
static bool is_ignored(const char *fact, const void *context)
{
    const struct subject *subject = context;
    return strstr(fact, "cause/") || strstr(fact, "explained/") || strstr(fact, "direct/") ||
           ((subject->is_random || subject->keeps_posts) && strcmp(fact, "critical-path") == 0) ||
           (subject->keeps_posts && strncmp(fact, "late-post", 9) == 0) ||
           (subject->polls && (strcmp(fact, "mpi") == 0 || strcmp(fact, "useful") == 0));
}

static int64_t in_window_ns(const struct findings *findings, uint32_t rank)
{
    return findings_sum(findings, "mpi", rank, 0, NULL).ns +
           findings_sum(findings, "useful", rank, 0, NULL).ns;
}

static bool has_same_windows(const struct findings *measured, const struct findings *simulated,
                             FILE *stream)
{
    bool is_same = true;
    for (uint32_t rank = 0; rank < PROGRAM_MAX_RANKS; rank++) {
        if (in_window_ns(measured, rank) == in_window_ns(simulated, rank))
            continue;
        fprintf(stream, "  rank %u is in its window for another time\n", rank);
        is_same = false;
    }
    return is_same;
}

static int64_t n_late_posts(const struct findings *findings)
{
    return findings_sum(findings, "late-post", FINDING_NO_RANK, 0, NULL).count;
}

/// Whether measured and simulated replay of TEXT find the same; what differs goes to STREAM.
static bool is_identical(const char *text, bool is_random, FILE *stream)
{
    struct error err = {{0}};
    struct subject subject = {is_random, strstr(text, " enter MPI_Test") != NULL, false};
    struct findings measured = {0}, simulated = {0};
    bool is_equal = false;
    char *scratch = scratch_directory(), *archive = memory_format("%s/archive", scratch);
    if (text_trace_write(text, archive, &err) != 0 ||
        engine_findings(archive, shipped_catalogue, &measured, &err) != 0 ||
        simulated_findings(archive, shipped_catalogue, &simulated, &err) != 0)
        fprintf(stream, "  %s\n", err.text);
    subject.keeps_posts = n_late_posts(&simulated) < n_late_posts(&measured);
    if (!*err.text)
        is_equal = is_damaged(&measured) ||
                   (findings_equal(&measured, "measured", &simulated, "simulated", is_ignored,
                                   &subject, stream, MAX_SHOWN_LINES) &&
                    has_same_windows(&measured, &simulated, stream));
    findings_release(&measured);
    findings_release(&simulated);
    scratch_remove(scratch);
    free(archive);
    return is_equal;
}

static size_t check_text(const char *path, char *text)
{
    return !is_identical(text, false, stderr);
}

TEST(test_traces_computed_by_hand)
{
    traces_check("{engine,patterns,threads}/*.txt", MIN_TRACES, check_text);
}

static bool check_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = false;
    *text = sim_program_trace_text(seed, &limits);
    return is_identical(*text, true, stream);
}

TEST(test_random_programs)
{
    seeds_check(DEFAULT_SEEDS, check_seed, NULL);
}

AROUND_ALL(shipped_catalogue_load, shipped_catalogue_unload)
