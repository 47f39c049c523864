// SPDX-License-Identifier: BSD-3-Clause
// `pagoda align TRACE [TRACE...] -o DIR`: a copy of an archive in which nothing is received before
// it was sent: what corrects the clocks of a replay (rewrite/clock_fit.h) is written as clock
// offsets (rewrite/shift_clocks.c). Several archives become one (rewrite/merge/).
#include "analyzer/cmd/commands.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/base/threads.h"
#include "analyzer/rewrite/clock_fit.h"
#include "analyzer/rewrite/merge/merge.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/rewrite/rewrite.h"
#include "analyzer/trace/reader.h"

/// By how much a rank's records are moved; how fast its clock is, where corrections drift.
static bool print_rank(const struct clock_correction *correction, size_t rank)
{
    size_t n_knots = correction->n_knots, last = n_knots - 1;
    const int64_t *at_ns = &correction->at_ns[rank * n_knots];
    const int64_t *later_ns = &correction->later_ns[rank * n_knots];
    int64_t grown_ns = later_ns[last] - later_ns[0];
    if (later_ns[0] == 0 && grown_ns == 0)
        return false;
    printf("rank %zu %s later", rank, quantity_time((uint64_t)later_ns[0]).text);
    if (grown_ns != 0)
        printf(" at the begin, %s at the end: its clock is %.3g ppm %s%s",
               quantity_time((uint64_t)later_ns[last]).text,
               fabs((double)grown_ns) * 1e6 / (double)(at_ns[last] - at_ns[0]),
               grown_ns > 0 ? "slow" : "fast", n_knots > 2 ? " on average" : "");
    printf("\n");
    return true;
}

static void print(const struct clock_report *report, const char *no_clock_is_off)
{
    const struct clock_correction *correction = &report->correction;
    bool is_any = false;
    for (size_t i = 0; i < correction->n_ranks; i++)
        is_any |= print_rank(correction, i);
    if (!is_any)
        printf("%s\n", no_clock_is_off);
    if (correction->n_knots > 2)
        printf("the clocks change their speed: each of %zu parts of the run has its own\n",
               correction->n_knots - 1);
    if (report->jumping.text[0])
        log_warning("%s: it is not aligned, all others are", report->jumping.text);
    printf("%s before, %" PRIu64 " now\n",
           quantity_count(report->n_violations, "clock violation").text, report->n_left);
}

static int align(const char *path, const char *directory, struct error *err)
{
    struct clock_report report = {0};
    struct trace *trace = rewrite_check(directory, err) == 0 ? trace_open(path, err) : NULL;
    int status = trace ? correct_clocks(trace, &report, err) : -1;
    if (status == 0)
        status = shift_clocks(directory, trace, err);
    if (status == 0)
        print(&report, "no clock is off: the copy is what the trace is");
    clock_correction_release(&report.correction);
    trace_close(trace);
    return status == 0 ? 0 : -1;
}

/// Where each world is in the new archive.
static void print_worlds(const struct merge *merge)
{
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        const struct merged_world *world = &merge->worlds[i];
        double later_ns =
            ((double)world->new_begin_ticks - (double)merge->worlds[0].new_begin_ticks) * 1e9 /
            (double)merge->ticks_per_second;
        printf("world %" PRIu32 " is %s", i + 1, world->path);
        if (world->n_launched > 1)
            printf(": ranks %" PRIu32 " to %" PRIu32, world->first_launched,
                   world->first_launched + world->n_launched - 1);
        else if (world->n_launched == 1)
            printf(": rank %" PRIu32, world->first_launched);
        if (world->n_spawned > 0)
            printf(", spawned ones from %" PRIu32 " on", world->first_spawned);
        if (i > 0)
            printf("; it begins %s %s world 1, by %s", quantity_time((uint64_t)fabs(later_ns)).text,
                   later_ns < 0 ? "before" : "after",
                   world->clock == 0 ? "the same clock" : "the time of day");
        printf("\n");
    }
    printf("%s of worlds matched\n", quantity_count(merge->n_connections, "connection").text);
}

static int join(char *const *paths, size_t n, const char *directory, struct error *err)
{
    struct clock_report report = {0};
    SCOPED_BY(merge_release) struct merge merge = {0};
    int status = rewrite_check(directory, err);
    if (status == 0)
        status = merge_open(&merge, paths, n, err);
    if (status == 0)
        status = merge_write(&merge, directory, &report, err);
    if (status == 0) {
        print_worlds(&merge);
        print(&report, "no message corrects a clock");
    }
    clock_correction_release(&report.correction);
    return status;
}

int cmd_align(int argc, char **argv)
{
    const char *directory = NULL;
    const struct option_row rows[] = {
        OPTION_TEXT_ROW("output", 'o', "DIR", &directory,
                        "write the copy to DIR, which must be new or empty", NULL),
        THREADS_ROW,
    };
    const struct option_usage usage = {
        .command = "align",
        .operands = "TRACE... -o DIR",
        .summary = "Copies a trace and corrects the clocks of ranks that disagree",
        .details = "TRACE is an OTF2 archive: its anchor file (*.otf2) or its directory. Several\n"
                   "traces, of launches that are one application, become one.\n",
        OPTIONS_OF(rows),
    };
    struct error err = {{0}};
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    if (!directory)
        return options_usage_error(&usage, "-o DIR is missing: where the copy goes");
    size_t n = (size_t)(argc - first);
    return log_outcome(n == 1 ? align(argv[first], directory, &err)
                              : join(argv + first, n, directory, &err),
                       false, &err);
}
