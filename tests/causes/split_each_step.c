// SPDX-License-Identifier: BSD-3-Clause
/*
 * A communicator of the active ranks that is made anew in every reduction. Repaired: it is made
 * once.
 */
#include "cause.h"

enum { STEPS = 30, REDUCTIONS = 80 };

static MPI_Comm active;

static void make_active(void)
{
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &active); // cause
}

static uint64_t reduce_active(uint64_t x)
{
    uint64_t sum;

    if (!repaired)
        make_active(); // cause
    MPI_Allreduce(&x, &sum, 1, MPI_UINT64_T, MPI_BXOR, active);
    if (!repaired)
        MPI_Comm_free(&active); // cause
    return sum;
}

static uint64_t relax(uint64_t x)
{
    return compute(1500, x);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    if (repaired)
        make_active();
    for (int step = 0; step < STEPS; step++) {
        x = relax(x);
        for (int i = 0; i < REDUCTIONS; i++)
            reduce_active(x);
    }
    return end(x);
}
