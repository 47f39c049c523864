// SPDX-License-Identifier: BSD-3-Clause
/*
 * An iterative solver: two dot products an iteration, and a preconditioner that gathers the
 * residual on rank 0, which applies it alone. Repaired: each rank applies it to its own block.
 */
#include "cause.h"

enum { ITERATIONS = 60, N = 500 };

static uint64_t multiply(uint64_t x)
{
    return compute(3500, x);
}

static double dot(double mine)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void apply_blocks(double *residual, int n_blocks)
{
    for (int block = 0; block < n_blocks; block++) {
        compute(2500, (uint64_t)block); // cause
        residual[block * N] /= 2;
    }
}

static void precondition(double *mine)
{
    double all[8 * N];

    if (repaired) {
        apply_blocks(mine, 1);
        return;
    }
    MPI_Gather(mine, N, MPI_DOUBLE, all, N, MPI_DOUBLE, 0, MPI_COMM_WORLD); // cause
    if (rank == 0)
        apply_blocks(all, n_ranks);                                          // cause
    MPI_Scatter(all, N, MPI_DOUBLE, mine, N, MPI_DOUBLE, 0, MPI_COMM_WORLD); // cause
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    double residual[N] = {1e9}, sum = 0;
    uint64_t x = (uint64_t)rank;

    for (int i = 0; i < ITERATIONS; i++) {
        x = multiply(x);
        sum += dot(residual[0]);
        precondition(residual);
        sum += dot(residual[0]);
    }
    return end(x + (uint64_t)sum);
}
