// SPDX-License-Identifier: BSD-3-Clause
// read_events ARCHIVE: reads all events through the analyzer's reader, location after location, and
// prints their number: what decoding into cursors costs beyond bare_read.
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/trace/reader.h"

int main(int argc, char **argv)
{
    struct error err = {{0}};
    if (argc != 2) {
        fprintf(stderr, "usage: read_events ARCHIVE\n");
        return 2;
    }
    struct trace *trace = trace_open(argv[1], &err);
    if (!trace) {
        fprintf(stderr, "read_events: %s\n", err.text);
        return 1;
    }
    uint64_t n_events = 0, sum_ns = 0;
    for (size_t location = 0; location < trace_definitions(trace)->n_locations; location++) {
        struct cursor *cursor = trace_cursor(trace, location);
        const struct event *event;
        for (; (event = trace_peek(trace, location, cursor, 0)); cursor->position++) {
            sum_ns += event->time_ns; // as much as any use of an event needs
            n_events++;
        }
    }
    trace_close(trace);
    printf("%" PRIu64 "\n", n_events);
    return sum_ns == 1;
}
