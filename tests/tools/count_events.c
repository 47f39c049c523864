// SPDX-License-Identifier: BSD-3-Clause
// count_events TRACE: how many records of each kind Pagoda's reader finds in an archive, under the
// names of otf2-print, with its events, locations and ranks. Records that no replay looks at one by
// one are OTHER; those of RMA collectives count as those of MPI. For tests/check-archives.
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/trace/reader.h"

static const char *const names[EVENT_KINDS] = {
    [EVENT_ENTER] = "ENTER",
    [EVENT_LEAVE] = "LEAVE",
    [EVENT_SEND] = "MPI_SEND",
    [EVENT_ISEND] = "MPI_ISEND",
    [EVENT_ISEND_COMPLETE] = "MPI_ISEND_COMPLETE",
    [EVENT_IRECV_REQUEST] = "MPI_IRECV_REQUEST",
    [EVENT_RECV] = "MPI_RECV",
    [EVENT_IRECV] = "MPI_IRECV",
    [EVENT_REQUEST_TEST] = "MPI_REQUEST_TEST",
    [EVENT_REQUEST_CANCELLED] = "MPI_REQUEST_CANCELLED",
    [EVENT_COLLECTIVE_BEGIN] = "MPI_COLLECTIVE_BEGIN",
    [EVENT_COLLECTIVE_END] = "MPI_COLLECTIVE_END",
    [EVENT_COLLECTIVE_REQUEST] = "NON_BLOCKING_COLLECTIVE_REQUEST",
    [EVENT_COLLECTIVE_COMPLETE] = "NON_BLOCKING_COLLECTIVE_COMPLETE",
    [EVENT_THREAD_FORK] = "THREAD_FORK",
    [EVENT_THREAD_JOIN] = "THREAD_JOIN",
    [EVENT_THREAD_TEAM_BEGIN] = "THREAD_TEAM_BEGIN",
    [EVENT_THREAD_TEAM_END] = "THREAD_TEAM_END",
    [EVENT_BUFFER_FLUSH] = "BUFFER_FLUSH",
    [EVENT_MEASUREMENT_OFF] = "MEASUREMENT_ON_OFF",
    [EVENT_MEASUREMENT_ON] = "MEASUREMENT_ON_OFF",
};

/// Counts by kind; kinds of one name are counted by the first of them. Records of single threads
/// are none of those that have names.
static void count(struct trace *trace, size_t location, uint64_t *counts)
{
    struct cursor *cursor = trace_cursor(trace, location);
    for (const struct event *event; (event = trace_peek(trace, location, cursor, 0));
         cursor->position++)
        if (!event_is_of_created(event))
            counts[event->kind == EVENT_MEASUREMENT_ON ? EVENT_MEASUREMENT_OFF : event->kind]++;
}

int main(int argc, char **argv)
{
    struct error err = {{0}};
    struct trace *trace = argc == 2 ? trace_open(argv[1], &err) : NULL;
    if (!trace) {
        fprintf(stderr, "count_events: %s\n", argc == 2 ? err.text : "one TRACE is needed");
        return 1;
    }
    const struct definitions *definitions = trace_definitions(trace);
    uint64_t counts[EVENT_KINDS] = {0}, n_events = 0, n_named = 0, n_defined = 0;
    bool is_whole = true;
    for (size_t i = 0; i < definitions->n_locations; i++) {
        count(trace, i, counts);
        const struct location_report *report = trace_location_report(trace, i);
        n_events += report->n_read;
        n_defined += definitions->locations[i].is_defined;
        is_whole = is_whole && !report->is_cut && !report->is_skipped;
    }
    for (size_t kind = 0; kind < EVENT_KINDS; kind++) {
        if (!names[kind] || counts[kind] == 0)
            continue;
        printf("%s %" PRIu64 "\n", names[kind], counts[kind]);
        n_named += counts[kind];
    }
    if (n_events > n_named)
        printf("OTHER %" PRIu64 "\n", n_events - n_named);
    printf("events %" PRIu64 "\nlocations %" PRIu64 "\nranks %zu\n", n_events, n_defined,
           definitions->n_ranks);
    trace_close(trace);
    return is_whole ? 0 : 3;
}
