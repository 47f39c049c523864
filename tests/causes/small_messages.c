// SPDX-License-Identifier: BSD-3-Clause
/*
 * Small messages: a column of a matrix is sent element by element. Repaired: as one message.
 */
#include "cause.h"

enum { STEPS = 60, N = 8000 };

static double column[N];

static uint64_t stencil(uint64_t x)
{
    return compute(500, x);
}

static void send_column(int to)
{
    if (repaired) {
        MPI_Send(column, N, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
        return;
    }
    for (int i = 0; i < N; i++)
        MPI_Send(&column[i], 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD); // cause
}

static void receive_column(int from)
{
    if (repaired) {
        MPI_Recv(column, N, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    for (int i = 0; i < N; i++)
        MPI_Recv(&column[i], 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // cause
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 1;

    for (int step = 0; step < STEPS; step++) {
        x = stencil(x);
        for (int i = 0; i < N; i++)
            column[i] += 1;
        if (rank == 0)
            send_column(1);
        receive_column(1 - rank);
        if (rank == 1)
            send_column(0);
    }
    return end(x + (uint64_t)column[N - 1]);
}
