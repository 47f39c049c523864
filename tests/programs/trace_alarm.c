// SPDX-License-Identifier: BSD-3-Clause
// MPI calls and functions interrupted all the time by a signal handler that calls functions
// itself: whatever the tracer is doing, it must not mix up its records. With an argument both the
// program and the handler switch recording all the time, too.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "tracer/pagoda.h"

#define N_CALLS 300000

static volatile sig_atomic_t n_ticks;
static int switches;

static void tick(void)
{
    n_ticks++;
}

static void on_alarm(int number)
{
    (void)number;
    tick();
    if (switches && n_ticks % 2)
        pagoda_trace_off();
    else if (switches)
        pagoda_trace_on();
}

static int ask_rank(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 50}, {0, 50}};
    struct itimerval never = {{0, 0}, {0, 0}};
    int rank = 0;

    switches = argc > 1;
    MPI_Init(&argc, &argv);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < N_CALLS; i++) {
        if (switches)
            pagoda_trace_off();
        rank |= ask_rank();
        if (switches)
            pagoda_trace_on();
    }
    setitimer(ITIMER_REAL, &never, NULL);
    MPI_Finalize();
    printf("%s\n", rank == 0 && n_ticks > 0 ? "ok" : "wrong");
    return 0;
}
