// SPDX-License-Identifier: BSD-3-Clause
// `pagoda align TRACE -o DIR`: a copy of an archive in which nothing is received before it was
// sent. What the clocks are off by is found in one replay (rewrite/shift_clocks.h), written as
// clock offsets (rewrite/shift_clocks.h), and a replay of the copy says what is left.
#include "analyzer/cmd/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/base/threads.h"
#include "analyzer/pag/pag.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/rewrite/shift_clocks.h"
#include "analyzer/trace/reader.h"

/// One replay: what its listener calls.
struct pass {
    struct progress progress;
    struct clock_shift *shift; // NULL: only violations are counted
    uint64_t n_violations;
};

static void on_message(void *context, const struct pag_message *message)
{
    clock_shift_message(((struct pass *)context)->shift, message);
}

static void on_trigger(void *context, const struct trigger *trigger)
{
    clock_shift_trigger(((struct pass *)context)->shift, trigger);
}

static void on_reached(void *context, uint64_t time_ns)
{
    progress_update(&((struct pass *)context)->progress, time_ns);
}

static int replay(struct pass *pass, struct trace *trace, const char *what, struct error *err)
{
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    options.explains = false;
    const struct pag_listener listener = {.context = pass,
                                          .message = pass->shift ? on_message : NULL,
                                          .trigger = pass->shift ? on_trigger : NULL,
                                          .reached = on_reached};
    struct pag_result result = {0};
    progress_begin(&pass->progress, what, trace_definitions(trace)->length_ns);
    int status = pag_run(trace, &options, &listener, &result, err);
    progress_end(&pass->progress);
    pass->n_violations = result.n_clock_violations;
    pag_result_release(&result);
    return status;
}

/// What is left in the copy.
static int count_again(const char *directory, struct pass *pass, struct error *err)
{
    struct trace *trace = trace_open(directory, err);
    int status = trace ? replay(pass, trace, "checking", err) : -1;
    trace_close(trace);
    return status;
}

/// By rank to by location; the records of no rank stay where they are.
static uint64_t *of_locations(const struct definitions *definitions, const uint64_t *later_ns)
{
    uint64_t *result = memory_zeroed(definitions->n_locations, sizeof *result);
    for (size_t i = 0; i < definitions->n_locations; i++)
        if (definitions->locations[i].rank != EVENT_NO_INDEX)
            result[i] = later_ns[definitions->locations[i].rank];
    return result;
}

static void print(const struct definitions *definitions, const uint64_t *later_ns,
                  uint64_t n_before, uint64_t n_after)
{
    bool is_any = false;
    for (size_t i = 0; i < definitions->n_ranks; i++) {
        if (later_ns[i] > 0)
            printf("rank %zu %s later\n", i, quantity_time(later_ns[i]).text);
        is_any = is_any || later_ns[i] > 0;
    }
    if (!is_any)
        printf("no clock is off: the copy is what the trace is\n");
    printf("%s before, %" PRIu64 " now\n", quantity_count(n_before, "clock violation").text,
           n_after);
}

static int align(const char *path, const char *directory, struct error *err)
{
    struct pass pass = {0}, again = {0};
    uint64_t *later_ns = NULL, *of_location_ns = NULL;
    struct trace *trace = NULL;
    int status = rewrite_check(directory, err);
    if (status == 0)
        status = (trace = trace_open(path, err)) ? 0 : -1;
    if (status == 0) {
        size_t n_ranks = trace_definitions(trace)->n_ranks;
        pass.shift = clock_shift_new(n_ranks);
        later_ns = memory_zeroed(n_ranks, sizeof *later_ns);
        status = replay(&pass, trace, "replaying", err);
    }
    if (status == 0 && pass.n_violations > 0)
        status = clock_shift_solve(pass.shift, later_ns, err);
    if (status == 0) {
        of_location_ns = of_locations(trace_definitions(trace), later_ns);
        status = shift_clocks(directory, trace, of_location_ns, err);
    }
    if (status == 0)
        status = count_again(directory, &again, err);
    if (status == 0)
        print(trace_definitions(trace), later_ns, pass.n_violations, again.n_violations);
    clock_shift_free(pass.shift);
    free(later_ns);
    free(of_location_ns);
    trace_close(trace);
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
        .operands = "TRACE -o DIR",
        .summary = "Copies a trace and corrects the clocks of ranks that disagree by a constant",
        .details = "TRACE is an OTF2 archive: its anchor file (*.otf2) or its directory.\n",
        OPTIONS_OF(rows),
    };
    struct error err = {{0}};
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    if (!directory)
        return options_usage_error(&usage, "-o DIR is missing: where the copy goes");
    return log_outcome(align(argv[first], directory, &err), false, &err);
}
