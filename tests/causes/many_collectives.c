// SPDX-License-Identifier: BSD-3-Clause
/*
 * Too many collectives: the norm of each row is summed up over the ranks on its own. Repaired: all
 * norms of a step are summed up at once.
 */
#include "cause.h"

enum { STEPS = 60, N_ROWS = 3000 };

static uint64_t row_norm(int row, uint64_t x)
{
    return compute(1, x + (uint64_t)row) & 0xff;
}

static uint64_t update(uint64_t x)
{
    return compute(1000, x);
}

static uint64_t norms(uint64_t x)
{
    uint64_t mine[N_ROWS], all[N_ROWS], sum = 0;

    for (int row = 0; row < N_ROWS; row++) {
        mine[row] = row_norm(row, x);
        if (!repaired)
            MPI_Allreduce(&mine[row], &all[row], 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD); // cause
    }
    if (repaired)
        MPI_Allreduce(mine, all, N_ROWS, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int row = 0; row < N_ROWS; row++)
        sum += all[row];
    return sum;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 1, sum = 0;

    for (int step = 0; step < STEPS; step++) {
        x = update(x);
        sum += norms(x);
    }
    return end(sum);
}
