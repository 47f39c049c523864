// SPDX-License-Identifier: BSD-3-Clause
/*
 * A delay through a collective: ranks 2 and 3 agree on a time step by an Allreduce of their own,
 * for which rank 3 is late; rank 2 sends the result to rank 1, which waits, and rank 0 waits for
 * rank 1. Repaired: rank 3 does not refine its whole mesh in each step.
 */
#include "cause.h"

enum { STEPS = 60 };

static MPI_Comm pair;

static uint64_t refine_mesh(uint64_t x)
{
    return compute(repaired ? 500 : 7500, x); // cause
}

static uint64_t smooth(uint64_t x)
{
    return compute(500, x);
}

static double time_step(uint64_t mine)
{
    double dt = 1 + (double)(mine & 1), least;

    MPI_Allreduce(&dt, &least, 1, MPI_DOUBLE, MPI_MIN, pair); // cause
    return least;
}

static double fine_part(uint64_t *x)
{
    *x = rank == 3 ? refine_mesh(*x) : smooth(*x); // cause
    double dt = time_step(0);

    if (rank == 2)
        MPI_Send(&dt, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    return dt;
}

static double coarse_part(uint64_t *x)
{
    double dt;

    MPI_Recv(&dt, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *x = smooth(*x);
    if (rank == 1)
        MPI_Send(&dt, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    return dt;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 1;
    double sum = 0;

    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    for (int step = 0; step < STEPS; step++)
        sum += rank >= 2 ? fine_part(&x) : coarse_part(&x);
    MPI_Comm_free(&pair);
    return end((uint64_t)sum);
}
