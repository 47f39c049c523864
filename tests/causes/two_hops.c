// SPDX-License-Identifier: BSD-3-Clause
/*
 * A delay two hops away: an assembly line 2 -> 1 -> 0 -> 2. Rank 2 builds its coefficient table
 * anew in each step, rank 1 passes on what it gets, and rank 0 waits. Repaired: the table is built
 * once.
 */
#include "cause.h"

enum { STEPS = 80 };

static uint64_t build_coefficients(void)
{
    return compute(5000, 7); // cause
}

static uint64_t relax(uint64_t x)
{
    return compute(700, x);
}

static uint64_t first_stage(void)
{
    uint64_t x = 0, token = 0, table = repaired ? build_coefficients() : 0;

    for (int step = 0; step < STEPS; step++) {
        if (!repaired)
            table = build_coefficients(); // cause
        x = relax(table + x);
        MPI_Send(&x, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);                        // cause
        MPI_Recv(&token, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // cause
    }
    return x + token;
}

static uint64_t later_stage(void)
{
    uint64_t x = 0;

    for (int step = 0; step < STEPS; step++) {
        MPI_Recv(&x, 1, MPI_UINT64_T, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        x = relax(x);
        MPI_Send(&x, 1, MPI_UINT64_T, (rank + 2) % 3, 0, MPI_COMM_WORLD);
    }
    return x;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    return end(rank == 2 ? first_stage() : later_stage());
}
