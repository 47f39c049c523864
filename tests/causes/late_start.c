// SPDX-License-Identifier: BSD-3-Clause
/*
 * A long beginning on one rank: rank 1 reads and checks its part of the mesh for a long time, once,
 * while rank 0 waits in the first exchange. Repaired: the mesh was checked before the run.
 */
#include "cause.h"

enum { STEPS = 60 };

static uint64_t read_mesh(void)
{
    uint64_t x = compute(5000, (uint64_t)rank);

    if (rank == 1 && !repaired)
        compute(300000, x); // cause
    return x;
}

static uint64_t march(uint64_t x)
{
    return compute(6000, x);
}

static void exchange(double *flux)
{
    double other;

    MPI_Sendrecv(flux, 1, MPI_DOUBLE, 1 - rank, 0, &other, 1, MPI_DOUBLE, 1 - rank, 0, // cause
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                   // cause
    *flux = (*flux + other) / 2;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = read_mesh(); // cause
    double flux = rank;

    for (int step = 0; step < STEPS; step++) {
        exchange(&flux); // cause
        x = march(x);
    }
    return end(x);
}
