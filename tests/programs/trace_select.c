// SPDX-License-Identifier: BSD-3-Clause
/*
 * What selective recording chooses from: instrumented functions, annotations, markers, messages of
 * every kind between neighbours and collectives in twelve steps. For the tests of the tracer.
 *
 *     trace_select            nothing is switched
 *     trace_select together   all ranks record nothing in steps 4 to 7
 *     trace_select apart      each rank switches at another place around these steps, with messages
 *                             and collectives on their way
 */
#include "tracer/pagoda.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { N_STEPS = 12, FIRST_OFF = 4, FIRST_ON = 8 };

static int rank, n_ranks, left, right;
static int apart, together;

__attribute__((noinline)) int tiny(int x)
{
    return x + 1;
}

__attribute__((noinline)) int small_caller(int x)
{
    return tiny(x) + tiny(x + 1);
}

/* Long enough to be no short function on any machine: 300 us. */
__attribute__((noinline)) double compute(double x)
{
    struct timespec begin, now;

    MPI_Wtime();
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        x = 0.5 * (x + 2 / x);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 300000);
    return x;
}

static void fail(const char *what)
{
    fprintf(stderr, "rank %d: wrong %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

/* A rank switches before part `place` of a step if that is its own place. */
static void maybe_switch(int step, int place)
{
    int own = together ? 0 : rank % 4;

    if ((!together && !apart) || place != own)
        return;
    if (step == FIRST_OFF)
        pagoda_trace_off();
    if (step == FIRST_ON)
        pagoda_trace_on();
}

/* Messages of step N have N + 1 numbers: a message matched with another one's receive shows. */
__attribute__((noinline)) void exchange(int step, MPI_Request *late_send, MPI_Request *late_recv,
                                        int *late)
{
    static int own[N_STEPS], sent[N_STEPS];
    int got[N_STEPS] = {-1}, flag = 0;
    MPI_Request requests[2];
    MPI_Status statuses[2];

    for (int i = 0; i <= step; i++)
        own[i] = step;
    maybe_switch(step, 0);
    MPI_Sendrecv(own, step + 1, MPI_INT, right, 1, got, N_STEPS, MPI_INT, left, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (got[step] != step)
        fail("ring");
    maybe_switch(step, 1);
    MPI_Irecv(got, N_STEPS, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(own, step + 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[1]);
    maybe_switch(step, 2);
    while (!flag)
        MPI_Testall(2, requests, &flag, statuses);
    if (got[0] != step)
        fail("message from anybody");
    /* Requests of the step before complete now, those of this step in the next one. */
    if (step > 0) {
        MPI_Wait(late_recv, MPI_STATUS_IGNORE);
        MPI_Wait(late_send, MPI_STATUS_IGNORE);
        if (late[step - 1] != step - 1)
            fail("late message");
    }
    memcpy(sent, own, sizeof sent);
    MPI_Irecv(late, N_STEPS, MPI_INT, left, 3, MPI_COMM_WORLD, late_recv);
    MPI_Isend(sent, step + 1, MPI_INT, right, 3, MPI_COMM_WORLD, late_send);
    maybe_switch(step, 3);
}

__attribute__((noinline)) double reduce(int step, double x, MPI_Comm comm)
{
    double sum = 0;
    MPI_Request request;

    pagoda_region_begin("reduction");
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (step % 3 == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    pagoda_region_end("reduction");
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Request late_send = MPI_REQUEST_NULL, late_recv = MPI_REQUEST_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    double x = 1;
    int late[N_STEPS] = {-1}, n = 0;
    char name[32];

    apart = argc > 1 && !strcmp(argv[1], "apart");
    together = argc > 1 && !strcmp(argv[1], "together");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    left = (rank + n_ranks - 1) % n_ranks;
    right = (rank + 1) % n_ranks;
    for (int step = 0; step < N_STEPS; step++) {
        snprintf(name, sizeof name, "step %d", step);
        pagoda_marker(name, 0, NULL, NULL);
        pagoda_region_begin("step");
        if (step % 5 == 0) { /* a communicator made while recording is off, too */
            if (comm != MPI_COMM_NULL)
                MPI_Comm_free(&comm);
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        }
        for (int i = 0; i < 10; i++)
            n = small_caller(n) % 1000;
        x = compute(x);
        exchange(step, &late_send, &late_recv, late);
        x = reduce(step, x, comm) / n_ranks;
        pagoda_region_end("step");
    }
    MPI_Wait(&late_recv, MPI_STATUS_IGNORE);
    MPI_Wait(&late_send, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    if (rank == 0)
        printf("done %d\n", n);
    MPI_Finalize();
    return 0;
}
