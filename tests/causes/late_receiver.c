// SPDX-License-Identifier: BSD-3-Clause
/*
 * A late receiver: rank 0 sends synchronously and cannot go on until rank 1, which computes first,
 * receives. Repaired: rank 0 does not wait for that but computes.
 */
#include "cause.h"

enum { STEPS = 50, N = 200 };

static double forces[N];

static uint64_t near_forces(uint64_t x)
{
    return compute(1500, x);
}

static uint64_t far_forces(uint64_t x)
{
    return compute(7000, x);
}

static uint64_t move_atoms(uint64_t x)
{
    return compute(5000, x);
}

static uint64_t sender(uint64_t x)
{
    MPI_Request request;

    x = near_forces(x);
    if (!repaired)
        MPI_Ssend(forces, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); // cause
    else
        MPI_Isend(forces, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    x = move_atoms(x);
    if (repaired)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return x;
}

static uint64_t receiver(uint64_t x)
{
    x = far_forces(x);                                                        // cause
    MPI_Recv(forces, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // cause
    return x + (uint64_t)forces[0];
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank, all;

    for (int step = 0; step < STEPS; step++) {
        x = rank == 0 ? sender(x) : receiver(x);
        MPI_Allreduce(&x, &all, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    }
    return end(x);
}
