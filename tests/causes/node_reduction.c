// SPDX-License-Identifier: BSD-3-Clause
/*
 * A reduction in two levels: within each node to its first rank, between these by messages, and
 * back by a broadcast. Rank 3 has a costly boundary condition, and all others wait for it through
 * that. Repaired: the boundary condition is tabulated.
 */
#include "cause.h"

enum { STEPS = 60, NODE_RANKS = 2 };

static MPI_Comm node;

static uint64_t advance(uint64_t x)
{
    return compute(1200, x);
}

static void boundary_condition(int step)
{
    compute(repaired ? 100 : 5000, (uint64_t)step); // cause
}

static double exchange_leaders(double sum)
{
    double other;
    int to = (rank + NODE_RANKS) % n_ranks, from = (rank + n_ranks - NODE_RANKS) % n_ranks;
    MPI_Request request;

    MPI_Isend(&sum, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(&other, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return sum + other;
}

static double reduce_all(double mine)
{
    double sum = 0;

    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, node); // cause
    if (rank % NODE_RANKS == 0)
        sum = exchange_leaders(sum);
    MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, node);
    return sum;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;
    double sum = 0;

    MPI_Comm_split(MPI_COMM_WORLD, rank / NODE_RANKS, rank, &node);
    for (int step = 0; step < STEPS; step++) {
        x = advance(x); // cause
        if (rank == n_ranks - 1)
            boundary_condition(step); // cause
        sum += reduce_all(rank);
    }
    MPI_Comm_free(&node);
    return end(x + (uint64_t)sum);
}
