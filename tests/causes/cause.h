// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the programs with one cause of lost time share. Each prints per rank a part of its result;
 * the sum is the same with --repaired, which runs the program without its cause.
 *
 * A comment `// cause` marks the lines that a report may name as the place of the cause: the
 * work itself, or the MPI calls right before and after it.
 */
#pragma once

#include "tests/programs/program.h"

static int rank, n_ranks;
static bool repaired;

/* Begins MPI and reads the command line. */
PROGRAM_INNER void begin(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    repaired = argc > 1 && strcmp(argv[1], "--repaired") == 0;
}

/* Prints this rank's part of the result and ends MPI. Returns the exit status. */
PROGRAM_INNER int end(uint64_t result)
{
    char line[40];

    snprintf(line, sizeof line, "result %016" PRIx64 "\n", result);
    fputs(line, stdout);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}

/* About `us` microseconds of computing on x. */
PROGRAM_INNER uint64_t compute(long us, uint64_t x)
{
    x = program_work((uint64_t)us * 15 / 16, x);
    __asm__ volatile("" : "+r"(x)); /* also work whose result nobody uses */
    return x;
}
