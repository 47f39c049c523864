// SPDX-License-Identifier: BSD-3-Clause
/*
 * Uneven work before a collective write: rank 1 simulates three quarters of the cells, and the
 * ranks write their rows, which alternate in the file, together. Repaired: each rank simulates its
 * share.
 */
#include "cause.h"

#include <unistd.h>

enum { STEPS = 30, CELLS = 64, US = 16000, ROWS = 64, N = 512 };

static double mine[ROWS][N];

static uint64_t simulate(uint64_t x)
{
    for (int cell = 0; cell < CELLS; cell++)
        if ((repaired ? cell % n_ranks : cell >= CELLS / 4) == rank)
            x += compute(US / CELLS, (uint64_t)cell); // cause
    for (int i = 0; i < ROWS; i++)
        mine[i][x % N] += i;
    return x;
}

static void write_rows(MPI_File file, int step)
{
    MPI_Offset at = (MPI_Offset)step * (MPI_Offset)sizeof mine;

    MPI_File_write_at_all(file, at / (MPI_Offset)sizeof(double), mine, ROWS * N,
                          MPI_DOUBLE,         // cause
                          MPI_STATUS_IGNORE); // cause
}

int main(int argc, char **argv)
{
    char name[] = "/var/tmp/rows-XXXXXX";

    begin(argc, argv);
    uint64_t x = 0;
    MPI_Datatype rows;
    MPI_File file;

    if (rank == 0)
        close(mkstemp(name));
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_Type_vector(ROWS * STEPS, N, n_ranks * N, MPI_DOUBLE, &rows);
    MPI_Type_commit(&rows);
    MPI_File_set_view(file, (MPI_Offset)rank * N * (MPI_Offset)sizeof(double), MPI_DOUBLE, rows,
                      "native", MPI_INFO_NULL);
    for (int step = 0; step < STEPS; step++) {
        x = simulate(x);
        write_rows(file, step); // cause
    }
    MPI_Type_free(&rows);
    MPI_File_close(&file);
    return end(x);
}
