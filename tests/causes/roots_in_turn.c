// SPDX-License-Identifier: BSD-3-Clause
/*
 * A loop over files, each of which another rank in turn reads and broadcasts, while the others wait
 * for it. Repaired: each rank reads its files before the loop, all at the same time.
 */
#include "cause.h"

enum { FILES = 90, RECORDS = 512 };

struct table {
    uint64_t records[RECORDS];
};

static struct table tables[FILES];

static void parse_file(int file)
{
    uint64_t x = compute(6000, (uint64_t)file); // cause

    for (int i = 0; i < RECORDS; i++)
        tables[file].records[i] = x ^ (uint64_t)i;
}

static uint64_t apply_table(int file, uint64_t x)
{
    for (int i = 0; i < RECORDS; i++)
        x = x * 31 + tables[file].records[i];
    return compute(300, x);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int file = rank; file < FILES && repaired; file += n_ranks)
        parse_file(file);
    for (int file = 0; file < FILES; file++) {
        int owner = file % n_ranks;

        if (owner == rank && !repaired)
            parse_file(file);                                                           // cause
        MPI_Bcast(&tables[file], sizeof tables[file], MPI_BYTE, owner, MPI_COMM_WORLD); // cause
        x = apply_table(file, x);
    }
    return end(x);
}
