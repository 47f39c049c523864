// SPDX-License-Identifier: BSD-3-Clause
/*
 * A pipeline with too large blocks: a sweep whose ranks pass on two blocks, so that half of the
 * time is filling and draining. Repaired: 16 blocks.
 */
#include "cause.h"

enum { SWEEPS = 50, CELLS = 32 };

static double edge[CELLS];

static uint64_t sweep_block(int first, int count)
{
    uint64_t x = 0;

    for (int cell = first; cell < first + count; cell++)
        x += compute(250, (uint64_t)cell); // cause
    return x;
}

static uint64_t sweep(int n_blocks)
{
    uint64_t x = 0;
    int count = CELLS / n_blocks;

    for (int block = 0; block < n_blocks; block++) {
        double *part = &edge[block * count];

        if (rank > 0)
            MPI_Recv(part, count, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);        // cause
        x += sweep_block(block * count, count); // cause
        if (rank < n_ranks - 1)
            MPI_Send(part, count, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD); // cause
    }
    return x;
}

static double converged(double residual)
{
    double all;

    MPI_Allreduce(&residual, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); // cause
    return all;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 0;

    for (int i = 0; i < SWEEPS && converged(i) < SWEEPS; i++)
        x += sweep(repaired ? 16 : 2);
    return end(x);
}
