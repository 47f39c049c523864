// SPDX-License-Identifier: BSD-3-Clause
/*
 * A nonblocking halo exchange that is completed at once: the ranks inject particles by turns and
 * are late with their edges, and the other one waits for them before its interior. Repaired: the
 * interior first.
 */
#include "cause.h"

enum { STEPS = 80, N = 20 };

static double mine[N], theirs[N];

static uint64_t inject(uint64_t x)
{
    return compute(3000, x);
}

static uint64_t update_interior(uint64_t x)
{
    return compute(3500, x); // cause
}

static uint64_t update_edge(uint64_t x)
{
    return compute(300, x + (uint64_t)theirs[0]);
}

static void start_exchange(MPI_Request *requests)
{
    MPI_Irecv(theirs, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(mine, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]); // cause
}

static void finish_exchange(MPI_Request *requests)
{
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // cause
}

static uint64_t time_step(int step, uint64_t x)
{
    MPI_Request requests[2];

    if (step % 2 == rank)
        x = inject(x);
    start_exchange(requests);
    if (!repaired)
        finish_exchange(requests); // cause
    x = update_interior(x);        // cause
    if (repaired)
        finish_exchange(requests);
    return update_edge(x);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int step = 0; step < STEPS; step++)
        x = time_step(step, x);
    return end(x);
}
