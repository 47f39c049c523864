// SPDX-License-Identifier: BSD-3-Clause
/*
 * A gather whose root waits: rank 2 formats its results at length before it takes part, and the
 * root answers all by messages. Repaired: plain results.
 */
#include "cause.h"

enum { STEPS = 60, N = 100 };

static double results[3 * N], mine[N];

static uint64_t simulate(uint64_t x)
{
    return compute(1500, x);
}

static void format_results(void)
{
    compute(rank == 2 && !repaired ? 6000 : 100, 1); // cause
}

static void collect(void)
{
    static const int counts[] = {N, N, N}, at[] = {0, N, 2 * N};

    format_results();                                                                     // cause
    MPI_Gatherv(mine, N, MPI_DOUBLE, results, counts, at, MPI_DOUBLE, 0, MPI_COMM_WORLD); // cause
}

static void answer(void)
{
    double go = 1;

    for (int to = 1; to < n_ranks && rank == 0; to++)
        MPI_Send(&go, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Recv(&go, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int step = 0; step < STEPS; step++) {
        x = simulate(x); // cause
        collect();       // cause
        answer();
    }
    return end(x);
}
