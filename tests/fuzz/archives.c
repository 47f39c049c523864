// SPDX-License-Identifier: BSD-3-Clause
// Reads spoiled archives, with what the reader promises of them: each event is in order and of what
// is defined, and further passes find what the first one found.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/pag/pag.h"
#include "analyzer/trace/reader.h"
#include "tests/fuzz/fuzz.h"
#include "tests/tools/lib/text_trace.h"

enum { N_PASSES = 2 };

// A run with every kind of record, so that every callback meets spoiled ones.
static const char seed_text[] =
    "context c0 main run.c:9\ncontext c1 work run.c:10 c0\ncontext c2 work - c1\n"
    "nodes a b\ncomm pair ranks 1 0\nintercomm inter ranks 0 | 1\noffset 1 0 5\noffset 1 900 9\n"
    "0 0 enter MPI_Init\n0 5 leave MPI_Init\n1 0 enter MPI_Init\n1 5 leave MPI_Init\n"
    "0 10 enter main\n1 10 enter main\n0 11 cpu 5\n1 11 cpu 5\n"
    "0 20 enter MPI_Isend at c1\n0 21 isend pair 0 3 100 1\n0 22 leave MPI_Isend\n"
    "1 20 enter MPI_Irecv at c2\n1 21 irecv-request 1 pair any any\n1 22 leave MPI_Irecv\n"
    "0 30 enter MPI_Wait at-line b.c:7\n0 31 isend-complete 1\n0 32 leave MPI_Wait\n"
    "1 30 context-enter c1\n1 30 enter MPI_Wait at c1\n1 31 irecv pair 1 3 100 1\n1 32 leave "
    "MPI_Wait\n1 33 context-leave c1\n"
    "1 40 enter MPI_Test 7\n1 41 test 1\n1 42 cancel 1\n1 43 leave MPI_Test\n"
    "0 50 enter MPI_Bcast\n0 51 coll-begin\n0 52 coll-end bcast inter self 8 8\n0 53 leave "
    "MPI_Bcast\n"
    "1 50 enter MPI_Bcast\n1 51 coll-begin\n1 52 coll-end bcast inter 0 8 8\n1 53 leave MPI_Bcast\n"
    "0 60 coll-request 9 world\n0 61 coll-complete allreduce world - 8 8 9\n"
    "1 60 coll-request 9\n1 61 coll-complete allreduce world - 8 8 9\n"
    "0 70 fork 2\n0 71 team-begin world\n0 72 team-end world\n0 73 join\n0 74 flush 80\n"
    "0 81 measurement off\n0 82 measurement on\n"
    "0 90 send world 1 1 8\n1 90 recv world 0 1 8\n0 95 leave main\n1 95 leave main\n"
    "0 96 enter MPI_Finalize\n0 99 leave MPI_Finalize\n"
    "1 96 enter MPI_Finalize\n1 99 leave MPI_Finalize\n";

void fuzz_archive_write(const char *path)
{
    struct error err = {{0}};
    if (text_trace_write(seed_text, path, &err) != 0) {
        fprintf(stderr, "fuzz: %s\n", err.text);
        exit(1);
    }
}

// What the reader promises of each event of each archive; 0 when it is kept.
static int check_events(struct trace *trace)
{
    const struct definitions *definitions = trace_definitions(trace);
    for (size_t location = 0; location < definitions->n_locations; location++) {
        struct cursor *cursor = trace_cursor(trace, location);
        uint64_t last_ns = 0;
        const struct event *event;
        for (; (event = trace_peek(trace, location, cursor, 0)); cursor->position++) {
            bool has_region = event->kind == EVENT_ENTER || event->kind == EVENT_LEAVE;
            bool has_comm = event->kind == EVENT_SEND || event->kind == EVENT_RECV ||
                            event->kind == EVENT_ISEND || event->kind == EVENT_IRECV ||
                            event->kind == EVENT_COLLECTIVE_END;
            if (event->kind >= EVENT_KINDS || event->time_ns < last_ns ||
                (has_region && event->index >= definitions->n_regions) ||
                (has_comm && event->index >= definitions->n_communicators))
                return 1;
            last_ns = event->time_ns;
        }
        const struct location_report *report = trace_location_report(trace, location);
        if ((report->is_cut || report->is_skipped) != (report->reason != NULL))
            return 1;
    }
    return 0;
}

static uint64_t n_read_of(const struct trace *trace)
{
    uint64_t n_read = 0;
    for (size_t i = 0; i < trace_definitions(trace)->n_locations; i++)
        n_read += trace_location_report(trace, i)->n_read;
    return n_read;
}

static void replay(struct trace *trace)
{
    const struct pag_options options = PAG_OPTIONS_DEFAULT;
    const struct pag_listener listener = {0};
    struct pag_result replay = {0};
    struct error err;
    pag_run(trace, &options, &listener, &replay, &err);
    pag_result_release(&replay);
}

// Further passes, of which two go at once, find what the first one found.
static int read_again(struct trace *trace)
{
    struct error err;
    int result = 0;
    uint64_t n_read = n_read_of(trace);
    for (int i = 0; i < N_PASSES && result == 0; i++) {
        struct trace *again = trace_again(trace, &err), *other = trace_again(trace, &err);
        result = !again || !other || check_events(again) != 0;
        if (result == 0)
            replay(other);
        result = result || n_read_of(again) != n_read || n_read_of(other) != n_read;
        trace_give_back(trace, other);
        trace_give_back(trace, again);
    }
    return result;
}

int fuzz_archive(const char *path, char *text, struct error *err)
{
    int lowest = dup(STDIN_FILENO);
    close(lowest);
    struct trace *trace = trace_open(path, err);
    if (!trace) {
        close(lowest); // OTF2 leaves an anchor open that it does not understand
        return -1;
    }
    int result = check_events(trace);
    trace_close(trace);
    trace = trace_open(path, err);
    if (!trace)
        return -1;
    replay(trace);
    result = result || read_again(trace) != 0;
    trace_close(trace);
    return result;
}
