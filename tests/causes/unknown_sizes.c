// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tables of a size that receivers find out by MPI_Probe, as C++ and Python libraries do that send
 * objects. Rank 0 packs them for a long time, and the others wait in the probe. Repaired: packing
 * takes next to no time.
 */
#include "cause.h"

enum { TABLES = 100, MAX_ROWS = 400 };

static uint64_t rows[MAX_ROWS];

static void pack_table(int table)
{
    if (!repaired)
        compute(3000, (uint64_t)table); // cause
    for (int i = 0; i < MAX_ROWS; i++)
        rows[i] = (uint64_t)(table * i);
}

static void send_table(int table)
{
    int n_rows = MAX_ROWS / 2 + table % (MAX_ROWS / 2);

    pack_table(table); // cause
    for (int other = 1; other < n_ranks; other++)
        MPI_Send(rows, n_rows, MPI_UINT64_T, other, 0, MPI_COMM_WORLD); // cause
}

static int receive_table(void)
{
    MPI_Status status;
    int n_rows;

    MPI_Probe(0, 0, MPI_COMM_WORLD, &status); // cause
    MPI_Get_count(&status, MPI_UINT64_T, &n_rows);
    MPI_Recv(rows, n_rows, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return n_rows;
}

static uint64_t use_table(int n_rows, uint64_t x)
{
    for (int i = 0; i < n_rows; i++)
        x ^= rows[i];
    return compute(300, x);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int table = 0; table < TABLES; table++) {
        if (rank == 0)
            send_table(table);
        else
            x = use_table(receive_table(), x);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return end(x);
}
