// SPDX-License-Identifier: BSD-3-Clause
/*
 * A serial part: rank 0 alone factors the coarse problem while the others wait for its solution.
 * Repaired: all ranks factor a part of it.
 */
#include "cause.h"

enum { STEPS = 50, BLOCKS = 8 };

static uint64_t smooth_fine(uint64_t x)
{
    return compute(4000, x);
}

static uint64_t factor_coarse(int first, int stride)
{
    uint64_t x = 0;

    for (int block = first; block < BLOCKS; block += stride)
        x += compute(1000, (uint64_t)block); // cause
    return x;
}

static uint64_t solve_coarse(void)
{
    uint64_t x = 0, sum = 0;

    if (repaired) {
        x = factor_coarse(rank, n_ranks);
        MPI_Allreduce(&x, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        return sum;
    }
    if (rank == 0)
        x = factor_coarse(0, 1);                       // cause
    MPI_Bcast(&x, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD); // cause
    return x;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 0, norm = 0, all;

    for (int step = 0; step < STEPS; step++) {
        x += smooth_fine(solve_coarse());
        norm = x >> 32;
        MPI_Allreduce(&norm, &all, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD); // cause
    }
    return end(x + all);
}
