// SPDX-License-Identifier: BSD-3-Clause
/*
 * A rank that gets no more than half a core, as in a container with a quota: every 10 ms the
 * operating system stops it for a while, whatever it does. Repaired: no quota.
 */
#include "cause.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

enum { STEPS = 80 };

PROGRAM_INNER void stop_for_a_while(int signal)
{
    struct timespec left = {.tv_nsec = 6000000};

    (void)signal;
    nanosleep(&left, NULL); // cause
}

static void set_quota(void)
{
    struct sigaction action = {.sa_handler = stop_for_a_while, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 12000}, {0, 12000}};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

static uint64_t fluxes(uint64_t x)
{
    return compute(2500, x); // cause
}

static uint64_t sources(uint64_t x)
{
    return compute(1500, x); // cause
}

static void exchange_halo(double *mine, double *theirs)
{
    MPI_Sendrecv(mine, 1, MPI_DOUBLE, 1 - rank, 0, theirs, 1, MPI_DOUBLE, 1 - rank, 0, // cause
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                   // cause
}

static double time_step(double mine)
{
    double least;

    MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD); // cause
    return least;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;
    double edge = 1, halo = 1, least = 1;

    if (rank == 1 && !repaired)
        set_quota();
    for (int step = 0; step < STEPS; step++) {
        exchange_halo(&edge, &halo); // cause
        x = fluxes(x);               // cause
        least = time_step(least);    // cause
        x = sources(x);              // cause
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    return end(x);
}
