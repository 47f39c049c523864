// SPDX-License-Identifier: BSD-3-Clause
/*
 * A trend: from step 40 on, the list of rank 1 grows in each step, because nothing is ever removed
 * from it, and searching it takes longer and longer. Repaired: old entries are removed.
 */
#include "cause.h"

enum { STEPS = 100, GROWS_FROM = 40 };

static uint64_t search_neighbours(int step)
{
    long length = 2000;

    if (rank == 1 && step > GROWS_FROM && !repaired)
        length += 150 * (step - GROWS_FROM);
    compute(length, (uint64_t)step); // cause
    return (uint64_t)step;
}

static uint64_t forces(uint64_t x)
{
    return compute(2000, x);
}

static double exchange_ghosts(double mine)
{
    double other;

    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, 1 - rank, 0, &other, 1, MPI_DOUBLE, 1 - rank, 0, // cause
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                    // cause
    return other;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 0;
    double ghost = rank;

    for (int step = 0; step < STEPS; step++) {
        x += forces(search_neighbours(step)); // cause
        ghost = exchange_ghosts(ghost);
    }
    return end(x + (uint64_t)ghost);
}
