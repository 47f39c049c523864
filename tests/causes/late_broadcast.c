// SPDX-License-Identifier: BSD-3-Clause
/*
 * A late root of a broadcast: rank 2 parses the boundary conditions in each step before it
 * broadcasts them. Repaired: they are parsed once.
 */
#include "cause.h"

enum { STEPS = 60, N = 100, ROOT = 2 };

static void parse_conditions(double *conditions)
{
    compute(7000, 3); // cause
    for (int i = 0; i < N; i++)
        conditions[i] = i;
}

static void next_conditions(double *conditions, int step)
{
    if (rank == ROOT && (!repaired || step == 0))
        parse_conditions(conditions);                           // cause
    MPI_Bcast(conditions, N, MPI_DOUBLE, ROOT, MPI_COMM_WORLD); // cause
}

static uint64_t apply(const double *conditions, uint64_t x)
{
    return compute(1500, x + (uint64_t)conditions[1]);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;
    double conditions[N] = {0};

    for (int step = 0; step < STEPS; step++) {
        next_conditions(conditions, step);
        x = apply(conditions, x);
        MPI_Barrier(MPI_COMM_WORLD); // cause
    }
    return end(x);
}
