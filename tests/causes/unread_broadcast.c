// SPDX-License-Identifier: BSD-3-Clause
/*
 * A charge density that one function sums up on rank 0 and another one broadcasts right after that,
 * although the other ranks look at it only in the diagnostics of every 20th step. Repaired: it is
 * broadcast in these steps only.
 */
#include "cause.h"

enum { STEPS = 200, EVERY = 20, N = 1 << 19 };

static double mine[N], density[N];

static void deposit_charges(int step)
{
    compute(400, (uint64_t)step);
    mine[step] = rank + step;
}

static void sum_density(void)
{
    MPI_Reduce(mine, density, N, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void publish_density(void)
{
    MPI_Bcast(density, N, MPI_DOUBLE, 0, MPI_COMM_WORLD); // cause
}

static uint64_t diagnose(int step)
{
    return (uint64_t)density[step];
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t sum = 0;

    for (int step = 0; step < STEPS; step++) {
        bool is_diagnosed = step % EVERY == EVERY - 1;

        deposit_charges(step);
        sum_density();
        if (!repaired || is_diagnosed)
            publish_density(); // cause
        if (is_diagnosed)
            sum += diagnose(step);
    }
    return end(sum);
}
