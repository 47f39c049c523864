// SPDX-License-Identifier: BSD-3-Clause
/*
 * A ring with a token: the ranks write their records one after the other, and each formats them
 * only when it has the token. Repaired: they format them before.
 */
#include "cause.h"

enum { STEPS = 60 };

static uint64_t simulate(uint64_t x)
{
    return compute(1500, x);
}

static uint64_t format_records(uint64_t x)
{
    return compute(3500, x); // cause
}

static void write_records(void)
{
    compute(100, 1);
}

static uint64_t write_in_turn(uint64_t x)
{
    char token = 0;

    if (repaired)
        x = format_records(x);
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // cause
    if (!repaired)
        x = format_records(x); // cause
    write_records();
    MPI_Send(&token, 1, MPI_CHAR, (rank + 1) % n_ranks, 0, MPI_COMM_WORLD); // cause
    if (rank == 0)
        MPI_Recv(&token, 1, MPI_CHAR, n_ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // cause
    return x;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int step = 0; step < STEPS; step++)
        x = write_in_turn(simulate(x));
    return end(x);
}
