// SPDX-License-Identifier: BSD-3-Clause
/*
 * Output number by number: each rank writes each of its numbers by a call of MPI_File_write_at of
 * its own. Repaired: all of a rank's numbers by one.
 */
#include "cause.h"

#include <unistd.h>

enum { STEPS = 20, N = 3000 };

static double mine[N];

static uint64_t simulate(uint64_t x)
{
    for (int i = 0; i < N; i++)
        mine[i] += (double)(x % 10) * i;
    return compute(8000, x);
}

static void write_field(MPI_File file, int step)
{
    MPI_Offset at = ((MPI_Offset)step * n_ranks + rank) * (MPI_Offset)sizeof mine;
    int count = repaired ? N : 1;

    for (int i = 0; i < N; i += count)
        MPI_File_write_at(file, at + i * (MPI_Offset)sizeof mine[0], &mine[i], count, // cause
                          MPI_DOUBLE, MPI_STATUS_IGNORE);                             // cause
}

static double largest(void)
{
    double all;

    MPI_Allreduce(&mine[N - 1], &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    char name[] = "/var/tmp/field-XXXXXX";

    begin(argc, argv);
    uint64_t x = (uint64_t)rank;
    double sum = 0;
    MPI_File file;

    if (rank == 0)
        close(mkstemp(name));
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    for (int step = 0; step < STEPS; step++) {
        x = simulate(x);
        write_field(file, step); // cause
        sum += largest();
    }
    MPI_File_close(&file);
    return end(x + (uint64_t)sum);
}
