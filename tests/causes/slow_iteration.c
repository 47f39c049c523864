// SPDX-License-Identifier: BSD-3-Clause
/*
 * A slow iteration: in step 37 of 60, rank 1 takes 40 times as long, because it orders its
 * particles anew. Repaired: the particles are kept in order.
 */
#include "cause.h"

enum { STEPS = 60, SLOW_STEP = 37 };

static uint64_t push_particles(uint64_t x)
{
    return compute(4000, x);
}

static void sort_particles(int step)
{
    if (step == SLOW_STEP && rank == 1 && !repaired)
        compute(160000, (uint64_t)step); // cause
}

static uint64_t step_forward(int step, uint64_t x)
{
    uint64_t energy, all;

    sort_particles(step); // cause
    x = push_particles(x);
    energy = x >> 40;
    MPI_Allreduce(&energy, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD); // cause
    return x;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int step = 0; step < STEPS; step++)
        x = step_forward(step, x);
    return end(x);
}
