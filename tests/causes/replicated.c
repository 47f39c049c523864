// SPDX-License-Identifier: BSD-3-Clause
/*
 * Replicated work: every rank computes the whole potential table itself in each step. Repaired:
 * each rank computes a part, and all exchange them.
 */
#include "cause.h"

enum { STEPS = 40, TABLE = 64 };

static void fill_table(uint64_t *table, int first, int count)
{
    for (int i = 0; i < count; i++)
        table[i] = compute(125, (uint64_t)(first + i)); // cause
}

static void potential(uint64_t *table)
{
    uint64_t mine[TABLE];
    int count = TABLE / n_ranks;

    if (!repaired) {
        fill_table(table, 0, TABLE); // cause
        return;
    }
    fill_table(mine, rank * count, count);
    MPI_Allgather(mine, count, MPI_UINT64_T, table, count, MPI_UINT64_T, MPI_COMM_WORLD);
}

static uint64_t move_particles(const uint64_t *table)
{
    return compute(4000, table[rank]);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t table[TABLE], x = 0, sum;

    for (int step = 0; step < STEPS; step++) {
        potential(table);
        x += move_particles(table);
        MPI_Allreduce(&x, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD); // cause
    }
    return end(rank == 0 ? sum : 0);
}
