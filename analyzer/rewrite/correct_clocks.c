// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/rewrite/clock_fit.h"

#include <stdbool.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/clock.h"

enum { MOST_CORRECTIONS = 3 };

struct pass {
    struct progress progress;
    struct clock_bounds bounds;
};

/// Gathers what the messages and collectives of TRACE say.
static int replay(struct pass *pass, struct trace *trace, uint64_t *n_violations, struct error *err)
{
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    options.explains = false;
    const struct pag_listener listener = {.caused = {clock_bounds_cause, &pass->bounds},
                                          .reached = {progress_update, &pass->progress}};
    SCOPED_BY(pag_result_release) struct pag_result result = {0};
    progress_begin(&pass->progress, "correcting clocks", trace_definitions(trace)->length_ns);
    int status = pag_run(trace, &options, &listener, &result, err);
    progress_end(&pass->progress);
    *n_violations = result.n_clock_violations;
    return status;
}

/// One replay, which finds what REPORT has left, and a CORRECTION if there are any; but none after
/// one that left out ranks whose clocks jump: what is left is of those. As correct_clocks().
static int find_correction(struct trace *trace, struct clock_report *report,
                           struct clock_correction *correction, struct error *err)
{
    const struct definitions *definitions = trace_definitions(trace);
    struct pass pass = {0};
    clock_bounds_init(&pass.bounds, definitions->n_ranks, definitions->length_ns);
    struct trace *again = trace_again(trace, err);
    int status = again ? replay(&pass, again, &report->n_left, err) : -1;
    trace_give_back(trace, again);
    uint64_t tick_ns = clock_duration_ns(trace_source(trace).clock, 1);
    if (status == 0 && report->n_left > 0 && report->jumping.text[0] == '\0' &&
        clock_fit(&pass.bounds, tick_ns + 1, correction, &report->jumping, err) != 0)
        status = 1;
    clock_bounds_release(&pass.bounds);
    return status;
}

/// Corrects the clocks by FOUND, and adds it to TOTAL.
static int apply(struct trace *trace, struct clock_correction *total,
                 const struct clock_correction *found, struct error *err)
{
    int status = trace_correct_clocks(trace, found, err);
    if (status == 0)
        clock_correction_sum(total, found);
    return status;
}

int correct_clocks(struct trace *trace, struct clock_report *report, struct error *err)
{
    *report = (struct clock_report){.correction =
                                        clock_correction_none(trace_definitions(trace)->n_ranks)};
    int status = 0, n_corrections = 0;
    for (bool goes_on = true; goes_on; n_corrections += goes_on) {
        SCOPED_BY(clock_correction_release) struct clock_correction found = {0};
        status = find_correction(trace, report, &found, err);
        if (n_corrections == 0)
            report->n_violations = report->n_left;
        goes_on = status == 0 && found.n_knots > 0 && n_corrections < MOST_CORRECTIONS;
        if (goes_on)
            status = apply(trace, &report->correction, &found, err);
        goes_on &= status == 0;
    }
    return status == 1 && n_corrections > 0 ? 0 : status; // some of it is done
}
