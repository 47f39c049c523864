// SPDX-License-Identifier: BSD-3-Clause
/*
 * A gather whose root waits: ranks 1 and 2 compress their results thoroughly before rank 0 collects
 * them. Repaired: they compress them quickly.
 */
#include "cause.h"

enum { STEPS = 60, N = 1000 };

static uint64_t simulate(uint64_t x)
{
    return compute(1000, x);
}

static void compress_results(double *results, uint64_t x)
{
    compute(repaired ? 500 : 7000, x); // cause
    results[0] = (double)(x >> 60);
}

static double collect(const double *mine, double *all)
{
    MPI_Gather(mine, N, MPI_DOUBLE, all, N, MPI_DOUBLE, 0, MPI_COMM_WORLD); // cause
    return rank == 0 ? all[N] : 0;
}

static uint64_t store_results(double sum)
{
    return compute(1000, (uint64_t)sum);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;
    double mine[N] = {0}, all[4 * N], sum = 0;

    for (int step = 0; step < STEPS; step++) {
        x = simulate(x);
        if (rank > 0)
            compress_results(mine, x); // cause
        sum += collect(mine, all);
        if (rank == 0)
            store_results(sum);
        MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    return end(x);
}
