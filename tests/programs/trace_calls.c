// SPDX-License-Identifier: BSD-3-Clause
/*
 * Time of MPI calls as the program sees it, for tests and tests/bench/bench.
 *
 *     trace_calls             for each kind of call a line KIND NS CPU_NS
 *     trace_calls run N NS    N steps of a computation of about NS ns each, followed by an
 *                             MPI_Sendrecv with itself; prints the seconds they took and the CPU
 *                             seconds
 *     trace_calls fill BYTES  makes calls that record about so much, and prints by how many KiB the
 *                             resident memory, its peak and the heap grew meanwhile, and the
 *                             resident memory before
 *
 * NS is the time of a call in the fastest of some batches (what the machine does beside only adds),
 * CPU_NS the CPU time of a call over all of them, system calls included. Kinds of one rank need no
 * partner; the others are played by ranks 0 and 1.
 */
#include <malloc.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define BATCHES 41
#define SMAPS   "/proc/self/smaps_rollup"
#define STATUS  "/proc/self/status"

static int rank, n_ranks;

static uint64_t read_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void ask_rank(void)
{
    int unused;

    MPI_Comm_rank(MPI_COMM_WORLD, &unused);
}

static void send_to_self(void)
{
    int out = 1;
    int in;

    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void probe(void)
{
    int flag;

    MPI_Iprobe(0, 2, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static MPI_Request pending = MPI_REQUEST_NULL;

static void test(void)
{
    int flag;

    MPI_Test(&pending, &flag, MPI_STATUS_IGNORE);
}

static void start_and_wait(void)
{
    int out = 1;
    int in;
    MPI_Request requests[2];

    MPI_Irecv(&in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void ping_pong(void)
{
    int ball = 1;

    if (rank == 0) {
        MPI_Send(&ball, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
        MPI_Recv(&ball, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&ball, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&ball, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    }
}

static void all_reduce(void)
{
    double mine = rank;
    double sum;

    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*step)(void);
    int calls; // of a rank in a step
    int ranks;
    int steps; // in a batch
} kinds[] = {
    {"Comm_rank", ask_rank, 1, 1, 20000},
    {"Sendrecv-self", send_to_self, 1, 1, 5000},
    {"Iprobe-nothing", probe, 1, 1, 20000},
    {"Test-nothing", test, 1, 1, 20000},
    {"Isend-Irecv-Waitall", start_and_wait, 3, 1, 3000},
    {"Send-Recv", ping_pong, 2, 2, 2000},
    {"Allreduce", all_reduce, 1, 2, 2000},
};

static void measure(size_t kind)
{
    double best_ns = 1e300;
    double cpu_ns = 0;
    double n_calls = (double)kinds[kind].steps * kinds[kind].calls;

    for (int batch = -2; batch < BATCHES; batch++) { // the first ones warm up
        uint64_t cpu_begin = read_ns(CLOCK_PROCESS_CPUTIME_ID);
        uint64_t begin = read_ns(CLOCK_MONOTONIC);
        double ns;

        for (int i = 0; i < kinds[kind].steps; i++)
            kinds[kind].step();
        ns = (double)(read_ns(CLOCK_MONOTONIC) - begin) / n_calls;
        if (batch < 0)
            continue;
        best_ns = ns < best_ns ? ns : best_ns;
        cpu_ns += (double)(read_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin) / n_calls;
    }
    if (rank == 0)
        printf("%s %.1f %.1f\n", kinds[kind].name, best_ns, cpu_ns / BATCHES);
}

static void measure_all(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (n_ranks >= kinds[i].ranks && (kinds[i].ranks == 2 || rank == 0))
            measure(i);
    }
}

static volatile double sink;

static double compute(long rounds)
{
    double x = 1.0;

    for (long i = 0; i < rounds; i++)
        x = x * 1.0000001 + 1e-9;
    return x;
}

// Fixed work: NS is nominal (4 cycles a round at 2 GHz), so that every run does the same.
static void run(long n, long ns)
{
    uint64_t begin;
    uint64_t cpu_begin;

    send_to_self();
    cpu_begin = read_ns(CLOCK_PROCESS_CPUTIME_ID);
    begin = read_ns(CLOCK_MONOTONIC);
    for (long i = 0; i < n; i++) {
        sink = compute(ns / 2);
        send_to_self();
    }
    if (rank == 0)
        printf("%.6f %.6f\n", (double)(read_ns(CLOCK_MONOTONIC) - begin) * 1e-9,
               (double)(read_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin) * 1e-9);
}

// The entry NAME of a file of /proc; some kernels count in `status` up to some MiB wrong where a
// process has run on many cores, but never in `smaps_rollup`.
static long entry_kib(const char *path, const char *name)
{
    FILE *file = fopen(path, "r");
    char line[256];
    long kib = -1;

    while (file != NULL && kib < 0 && fgets(line, sizeof line, file) != NULL)
        if (!strncmp(line, name, strlen(name)))
            kib = atol(line + strlen(name));
    if (file != NULL)
        fclose(file);
    return kib;
}

static void fill(long n_bytes)
{
    long resident;
    long peak;
    size_t heap;

    for (int i = 0; i < 20000; i++) // every table and the first windows
        i % 2 == 0 ? start_and_wait() : ask_rank();
    resident = entry_kib(SMAPS, "Rss:");
    peak = entry_kib(STATUS, "VmHWM:");
    heap = mallinfo2().uordblks;
    for (long i = 0; i < n_bytes / 300; i++) {
        start_and_wait();
        ask_rank();
    }
    if (rank == 0)
        printf("%ld %ld %ld %ld\n", entry_kib(SMAPS, "Rss:") - resident,
               entry_kib(STATUS, "VmHWM:") - peak, (long)(mallinfo2().uordblks - heap) / 1024,
               resident);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    long n = argc > 2 ? atol(argv[2]) : 0;
    int never;

    if (!strcmp(what, "fill")) // a huge page may come at any time and counts as growth
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    MPI_Irecv(&never, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &pending);
    if (!strcmp(what, "run"))
        run(n, argc > 3 ? atol(argv[3]) : 100000);
    else if (!strcmp(what, "fill"))
        fill(n);
    else
        measure_all();
    MPI_Cancel(&pending);
    MPI_Request_free(&pending);
    MPI_Finalize();
    return 0;
}
