// SPDX-License-Identifier: BSD-3-Clause
/*
 * Missed overlap: rank 1 receives a large field before it computes the interior, which does not
 * need the field. Rank 0 has to compute the field first. Repaired: the receive is posted, the
 * interior computed, and only then is the field waited for.
 */
#include "cause.h"

enum { STEPS = 50, N = 1 << 16 };

static double field[N];

static uint64_t compute_field(uint64_t x)
{
    x = compute(4000, x);
    field[x % N] += 1;
    return x;
}

static uint64_t compute_interior(uint64_t x)
{
    return compute(4000, x);
}

static uint64_t compute_boundary(uint64_t x)
{
    return compute(1000, x + (uint64_t)field[0]);
}

static uint64_t produce_step(uint64_t x)
{
    x = compute_field(x);
    MPI_Send(field, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    return x;
}

static uint64_t consume_step(uint64_t x)
{
    MPI_Request request;

    if (!repaired)
        MPI_Recv(field, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // cause
    else
        MPI_Irecv(field, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
    x = compute_interior(x); // cause
    if (repaired)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return compute_boundary(x);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;
    double limit = 0, all;

    for (int step = 0; step < STEPS; step++) {
        x = rank == 0 ? produce_step(x) : consume_step(x);
        MPI_Allreduce(&limit, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    return end(rank == 0 ? x : 0);
}
