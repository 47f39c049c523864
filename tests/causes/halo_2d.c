// SPDX-License-Identifier: BSD-3-Clause
/*
 * A halo exchange on a grid of 2 x 2 ranks: rank 3 has the obstacle, whose cells need a costly
 * treatment in each step. Repaired: the treatment is interpolated from a table.
 */
#include "cause.h"

enum { STEPS = 70, N = 200 };

static double halo[4][N];

static uint64_t update_cells(uint64_t x)
{
    return compute(1000, x);
}

static void treat_obstacle(int step)
{
    compute(repaired ? 300 : 5000, (uint64_t)step); // cause
}

static void shift(int direction, int distance)
{
    int to = rank ^ distance;

    MPI_Sendrecv(halo[direction], N, MPI_DOUBLE, to, 0, halo[direction + 1], N, // cause
                 MPI_DOUBLE, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);         // cause
}

static void exchange_halo(void)
{
    shift(0, 1); // cause
    shift(2, 2);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int step = 0; step < STEPS; step++) {
        x = update_cells(x);
        if (rank == 3)
            treat_obstacle(step); // cause
        exchange_halo();
    }
    return end(x);
}
