// SPDX-License-Identifier: BSD-3-Clause
/*
 * Blocking file I/O on one rank: rank 0 writes the state and waits until it is on the disk, in each
 * step, while the others wait for rank 0. Repaired: the state is written at the end.
 */
#include "cause.h"

#include <fcntl.h>
#include <unistd.h>

enum { STEPS = 40, BYTES = 4 << 20 };

static char state[BYTES];

static void write_state(void)
{
    char name[] = "/var/tmp/state-XXXXXX";
    int file = mkstemp(name);

    if (file < 0 || write(file, state, BYTES) != BYTES || fsync(file) != 0) // cause
        perror(name);
    close(file);
    unlink(name);
}

static uint64_t integrate(uint64_t x)
{
    return compute(6000, x);
}

static void synchronise(int step)
{
    double time = step;

    MPI_Bcast(&time, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); // cause
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank, all;

    for (int step = 0; step < STEPS; step++) {
        x = integrate(x);
        MPI_Allreduce(&x, &all, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD); // cause
        if (rank == 0 && (!repaired || step == STEPS - 1))
            write_state(); // cause
        synchronise(step); // cause
    }
    return end(x);
}
