// SPDX-License-Identifier: BSD-3-Clause
/*
 * A shift along a row of ranks by blocking calls: each one sends to the right before it receives
 * from the left, so that a large message goes only when the right neighbour has sent its own.
 * Repaired: MPI_Sendrecv.
 */
#include "cause.h"

enum { STEPS = 40, N = 1 << 19 };

static double mine[N], theirs[N];

static uint64_t update(int step, uint64_t x)
{
    mine[step] = (double)step;
    return compute(500, x);
}

static void shift_right(void)
{
    int right = rank + 1 < n_ranks ? rank + 1 : MPI_PROC_NULL;
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;

    if (repaired) {
        MPI_Sendrecv(mine, N, MPI_DOUBLE, right, 0, theirs, N, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        return;
    }
    MPI_Send(mine, N, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);                     // cause
    MPI_Recv(theirs, N, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // cause
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int step = 0; step < STEPS; step++) {
        x = update(step, x);
        shift_right(); // cause
    }
    return end(x + (uint64_t)theirs[1]);
}
