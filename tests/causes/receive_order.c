// SPDX-License-Identifier: BSD-3-Clause
/*
 * A wrong order of receives: rank 0 receives from the slow rank 1 first and treats what rank 2 sent
 * long ago only then. Repaired: it receives from rank 2 first.
 */
#include "cause.h"

enum { STEPS = 60 };

static uint64_t analyse(uint64_t x)
{
    return compute(3000, x);
}

static uint64_t collect_from(int source)
{
    uint64_t x;

    MPI_Recv(&x, 1, MPI_UINT64_T, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // cause
    return analyse(x);                                                           // cause
}

static uint64_t collect(void)
{
    int first = repaired ? 2 : 1;

    return collect_from(first) + collect_from(3 - first); // cause
}

static uint64_t produce(uint64_t x)
{
    x = compute(rank == 1 ? 6000 : 1500, x);
    MPI_Send(&x, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
    return x;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;
    int more = 1;

    for (int step = 0; step < STEPS; step++) {
        x = rank == 0 ? x + collect() : produce(x);
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return end(x);
}
