// SPDX-License-Identifier: BSD-3-Clause
/*
 * A wavefront that is stopped after each sweep: an Allreduce looks for convergence each time, so
 * that the next sweep cannot begin while the last one runs out. Repaired: it is looked for every 20
 * sweeps.
 */
#include "cause.h"

enum { SWEEPS = 80, BLOCKS = 4, N = 100 };

static double front[N];

static uint64_t relax_block(uint64_t x)
{
    return compute(1500, x);
}

static uint64_t sweep_plane(uint64_t x)
{
    for (int block = 0; block < BLOCKS; block++) {
        if (rank > 0)
            MPI_Recv(front, N, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // cause
        x = relax_block(x);                                                                 // cause
        if (rank < n_ranks - 1)
            MPI_Send(front, N, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD); // cause
    }
    return x;
}

static bool has_converged(int i)
{
    double change = 1, all = 1;

    if (!repaired || i % 20 == 19)
        MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); // cause
    return all < 1;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int i = 0; i < SWEEPS; i++) {
        x = sweep_plane(x);
        if (has_converged(i))
            break;
    }
    return end(x);
}
