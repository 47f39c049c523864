// SPDX-License-Identifier: BSD-3-Clause
/*
 * Static imbalance: the rows of a triangular matrix, divided by number and not by length, so that
 * rank 1 has three times the work of rank 0 in each step. Repaired: rows are dealt like cards.
 */
#include "cause.h"

enum { STEPS = 50, N_ROWS = 128 };

static double update_row(int row, uint64_t *x)
{
    *x += compute(row, (uint64_t)row);
    return row;
}

static double update_rows(uint64_t *x)
{
    double norm = 0;

    for (int row = 0; row < N_ROWS; row++)
        if (repaired ? row % n_ranks == rank : row * n_ranks / N_ROWS == rank)
            norm += update_row(row, x); // cause
    return norm;
}

static double global_norm(double mine)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // cause
    return all;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 0;
    double norm = 0;

    for (int step = 0; step < STEPS; step++)
        norm += global_norm(update_rows(&x));
    return end(x + (uint64_t)norm);
}
