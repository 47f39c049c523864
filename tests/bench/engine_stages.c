// SPDX-License-Identifier: BSD-3-Clause
// engine_stages STAGE ARCHIVE: a replay up to a stage in one thread, without a report. STAGE is
//   open      reads the definitions and opens the locations
//   decode    reads the events, a location after the other
//   profile   the engine: order, call trees, messages and collectives matched
//   path      and lineages, with the critical path
//   patterns  and the wait states of the catalogue
//   causes    and what delayed them, which is all that `pagoda replay` finds in one pass
// Prints the peaks of what grows with the state of the run: nodes of the lineage, messages in
// flight.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/threads.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/trace/reader.h"

enum { OPEN, DECODE, PROFILE, PATH, PATTERNS, CAUSES, N_STAGES };
static const char *const stages[N_STAGES] = {"open", "decode",   "profile",
                                             "path", "patterns", "causes"};

static uint64_t decode(struct trace *trace)
{
    uint64_t sum_ns = 0;
    for (size_t location = 0; location < trace_definitions(trace)->n_locations; location++) {
        struct cursor *cursor = trace_cursor(trace, location);
        const struct event *event;
        for (; (event = trace_peek(trace, location, cursor, 0)); cursor->position++)
            sum_ns += event->time_ns; // as much as any use of an event needs
    }
    return sum_ns;
}

static int replay(struct trace *trace, int stage, struct error *err)
{
    struct catalogue *catalogue = catalogue_load("patterns", NULL, 0, err);
    if (!catalogue)
        return -1;
    struct matcher *matcher = matcher_new(catalogue, trace_definitions(trace));
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    options.only_times = stage == PROFILE;
    options.explains = stage == CAUSES;
    struct pag_listener listener = {0};
    if (stage >= PATTERNS)
        listener = (struct pag_listener){.trigger = {matcher_trigger, matcher},
                                         .window_moved = {matcher_window_moved, matcher}};
    struct pag_result result;
    int status = pag_run(trace, &options, &listener, &result, err);
    if (status == 0)
        printf("%" PRIu64 " lineage nodes, %" PRIu64 " messages\n", result.max_lineage_nodes,
               result.max_messages);
    pag_result_release(&result);
    matcher_free(matcher);
    catalogue_free(catalogue);
    return status;
}

int main(int argc, char **argv)
{
    struct error err = {{0}};
    int stage = 0;
    while (argc == 3 && stage < N_STAGES && strcmp(argv[1], stages[stage]) != 0)
        stage++;
    if (argc != 3 || stage == N_STAGES) {
        fprintf(stderr, "usage: engine_stages open|decode|profile|path|patterns|causes ARCHIVE\n");
        return 2;
    }
    threads_limit = 1;
    struct trace *trace = trace_open(argv[2], &err);
    int status = trace ? 0 : -1;
    if (trace && stage == DECODE)
        printf("%" PRIu64 "\n", decode(trace));
    else if (trace && stage != OPEN)
        status = replay(trace, stage, &err);
    trace_close(trace);
    if (status)
        fprintf(stderr, "engine_stages: %s\n", err.text);
    return status != 0;
}
