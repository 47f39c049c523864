// SPDX-License-Identifier: BSD-3-Clause
/*
 * One slow iteration in a hundred: in iteration 57 rank 2 rebuilds its tables. Ranks exchange
 * with both neighbours in a ring. Repaired: the tables are kept.
 */
#include "cause.h"

enum { STEPS = 100 };

static void rebuild_tables(void)
{
    compute(repaired ? 10 : 300000, 1); // cause
}

static uint64_t advance(uint64_t x)
{
    return compute(1500, x);
}

static void exchange_ring(uint64_t x)
{
    uint64_t left, right;
    int before = (rank + n_ranks - 1) % n_ranks, after = (rank + 1) % n_ranks;
    MPI_Request requests[4];

    MPI_Irecv(&left, 1, MPI_UINT64_T, before, 0, MPI_COMM_WORLD, &requests[0]); // cause
    MPI_Irecv(&right, 1, MPI_UINT64_T, after, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&x, 1, MPI_UINT64_T, after, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&x, 1, MPI_UINT64_T, before, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int step = 0; step < STEPS; step++) {
        x = advance(x);
        if (rank == 2 && step == 57)
            rebuild_tables(); // cause
        exchange_ring(x);     // cause
    }
    return end(x);
}
