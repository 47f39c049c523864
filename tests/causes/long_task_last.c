// SPDX-License-Identifier: BSD-3-Clause
/*
 * Master and workers with tasks of different length: the longest are given out last, so that in the
 * end all wait for one worker. Repaired: the longest first.
 */
#include "cause.h"

enum { TASKS = 40, ROUNDS = 2, TAG_STOP = 1 };

static uint64_t render_tile(int tile)
{
    return compute(tile == TASKS - 1 ? 160000 : 3000 + tile * 20, (uint64_t)tile); // cause
}

static uint64_t give_out(void)
{
    uint64_t sum = 0;
    int next = 0, n_out = 0;

    for (int worker = 1; worker < n_ranks; worker++, next++, n_out++) {
        int tile = repaired ? TASKS - 1 - next : next;

        MPI_Send(&tile, 1, MPI_INT, worker, 0, MPI_COMM_WORLD); // cause
    }
    for (; n_out > 0; next++) {
        int tile = repaired ? TASKS - 1 - next : next, tag = next < TASKS ? 0 : TAG_STOP;
        uint64_t answer;
        MPI_Status status;

        MPI_Recv(&answer, 1, MPI_UINT64_T, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status); // cause
        sum += answer;
        n_out -= tag;
        MPI_Send(&tile, 1, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD); // cause
    }
    return sum;
}

static void render_tiles(void)
{
    for (;;) {
        uint64_t answer;
        int tile;
        MPI_Status status;

        MPI_Recv(&tile, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status); // cause
        if (status.MPI_TAG == TAG_STOP)
            return;
        answer = render_tile(tile);                               // cause
        MPI_Send(&answer, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD); // cause
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t sum = 0;

    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0)
            sum += give_out();
        else
            render_tiles();
        MPI_Barrier(MPI_COMM_WORLD); // cause
    }
    return end(sum);
}
