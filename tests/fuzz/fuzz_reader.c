// SPDX-License-Identifier: BSD-3-Clause
// fuzz_reader [-s SEED] [-n CASES] [-k DIRECTORY]: spoils the files of a small archive at random
// and reads and replays each spoiled one, several times. Each case runs in a process of its own
// with a time limit; a signal, a limit that was hit or a broken promise of the reader counts as a
// failure, and with -k the archive that caused it is kept. The same seed makes the same cases. Exit
// status 1 when a case failed.
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/reader.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/spoil.h"
#include "tests/tools/lib/text_trace.h"

// A case may take CPU_SECONDS of the processor, and HANG_SECONDS in all on a busy machine.
enum { CPU_SECONDS = 10, HANG_SECONDS = 120, N_FILES = 6, N_PASSES = 2 };

static const char *const file_names[N_FILES] = {
    "traces.otf2", "traces.def", "traces/0.def", "traces/1.def", "traces/0.evt", "traces/1.evt",
};

// OTF2 asks for as much memory as a spoiled count says; sanitizers are to refuse, not to give up.
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

struct input_file {
    char *path;
    char *content;
    size_t size_bytes;
};

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

static void write_case(struct input_file *files)
{
    for (size_t i = 0; i < N_FILES; i++)
        scratch_write(files[i].path, files[i].content, files[i].size_bytes);
    struct input_file *file = &files[spoil_random(N_FILES)];
    size_t size_bytes = file->size_bytes;
    char *content = spoil(file->content, &size_bytes);
    scratch_write(file->path, content, size_bytes);
    free(content);
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

static int read_and_replay(const char *archive)
{
    struct error err = {{0}};
    struct trace *trace = trace_open(archive, &err);
    if (!trace)
        return *err.text ? 0 : 1;
    int result = check_events(trace);
    trace_close(trace);
    trace = trace_open(archive, &err);
    if (!trace)
        return 1;
    replay(trace);
    result = result || read_again(trace) != 0;
    trace_close(trace);
    return result;
}

// Runs one case; its wait status.
static int run_case(const char *archive)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        struct rlimit cpu_time = {CPU_SECONDS, CPU_SECONDS};
        setrlimit(RLIMIT_CPU, &cpu_time);
        alarm(HANG_SECONDS);
        _exit(read_and_replay(archive));
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        perror("fuzz_reader");
    return status;
}

static void keep_case(const char *archive, const char *kept, unsigned number)
{
    char *command = memory_format("cp -r '%s' '%s/case-%u'", archive, kept, number);
    if (system(command) != 0)
        fprintf(stderr, "fuzz_reader: cannot keep case %u\n", number);
    free(command);
}

static unsigned run_cases(const char *archive, struct input_file *files, unsigned n_cases,
                          const char *kept)
{
    unsigned n_failed = 0;
    for (unsigned i = 0; i < n_cases; i++) {
        write_case(files);
        int status = run_case(archive);
        if (status == 0)
            continue;
        n_failed++;
        if (WIFSIGNALED(status))
            printf("case %u: signal %d (%s)\n", i, WTERMSIG(status), strsignal(WTERMSIG(status)));
        else
            printf("case %u: exit status %d\n", i, WEXITSTATUS(status));
        if (kept)
            keep_case(archive, kept, i);
    }
    return n_failed;
}

int main(int argc, char **argv)
{
    unsigned n_cases = 1000;
    const char *kept = NULL;
    for (int option; (option = getopt(argc, argv, "s:n:k:")) != -1;) {
        if (option == 's')
            spoil_begin(strtoull(optarg, NULL, 10));
        else if (option == 'n')
            n_cases = (unsigned)strtoul(optarg, NULL, 10);
        else if (option == 'k')
            kept = optarg;
        else
            return 2;
    }
    struct error err = {{0}};
    char *directory = scratch_directory();
    char *archive = memory_format("%s/run", directory);
    if (text_trace_write(seed_text, archive, &err) != 0) {
        fprintf(stderr, "fuzz_reader: %s\n", err.text);
        return 1;
    }
    struct input_file files[N_FILES];
    for (size_t i = 0; i < N_FILES; i++) {
        files[i].path = memory_format("%s/%s", archive, file_names[i]);
        files[i].content = scratch_read(files[i].path, &files[i].size_bytes);
    }
    unsigned n_failed = run_cases(archive, files, n_cases, kept);
    for (size_t i = 0; i < N_FILES; i++) {
        free(files[i].path);
        free(files[i].content);
    }
    free(archive);
    scratch_remove(directory);
    printf("%u cases, %u failed\n", n_cases, n_failed);
    return n_failed ? 1 : 0;
}
