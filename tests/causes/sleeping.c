// SPDX-License-Identifier: BSD-3-Clause
/*
 * A sleeping rank: rank 1 asks for a licence in each step and sleeps until it is there. Repaired:
 * it asks once.
 */
#include "cause.h"

#include <time.h>

enum { STEPS = 50 };

static void acquire_licence(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 9000000}, NULL); // cause
}

static uint64_t mesh_part(uint64_t x)
{
    return compute(5000, x);
}

static uint64_t step_forward(uint64_t x, int step)
{
    uint64_t all;

    if (rank == 1 && (!repaired || step == 0))
        acquire_licence(); // cause
    x = mesh_part(x);
    MPI_Allreduce(&x, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD); // cause
    return x + (all & 1);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int step = 0; step < STEPS; step++)
        x = step_forward(x, step);
    return end(x);
}
