// SPDX-License-Identifier: BSD-3-Clause
/*
 * Currents on a square grid that is cut into rows of blocks: relaxation with a halo exchange a
 * step, and every tenth step a look at how much has changed. For a study of a growing problem on a
 * growing number of ranks, pagoda-experiments(7):
 *
 *     ocean SIZE [STEPS]
 *
 * Prints the sum of the grid, the same for any number of ranks up to SIZE.
 */
#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, n_ranks, size, n_rows;
static uint32_t *grid, *next; /* n_rows of ours between one above and one below */

/* Row -1 and row n_rows are the neighbours'. */
static uint32_t *row_of(uint32_t *rows, int row)
{
    return rows + (size_t)(row + 1) * (size_t)size;
}

static void exchange_halo(void)
{
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int below = rank + 1 < n_ranks ? rank + 1 : MPI_PROC_NULL;

    MPI_Sendrecv(row_of(grid, 0), size, MPI_UINT32_T, above, 0, row_of(grid, n_rows), size,
                 MPI_UINT32_T, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row_of(grid, n_rows - 1), size, MPI_UINT32_T, below, 1, row_of(grid, -1), size,
                 MPI_UINT32_T, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static uint64_t relax(void)
{
    uint64_t change = 0;

    for (int row = 0; row < n_rows; row++) {
        const uint32_t *own = grid + (size_t)(row + 1) * (size_t)size;

        for (int i = 0; i < size; i++) {
            uint32_t value =
                (own[i - size] + own[i + size] + own[(i + 1) % size] + own[(i + size - 1) % size]) /
                4;

            change += value > own[i] ? value - own[i] : own[i] - value;
            next[(size_t)(row + 1) * (size_t)size + (size_t)i] = value;
        }
    }
    memcpy(grid + size, next + size, (size_t)n_rows * (size_t)size * sizeof *grid);
    return change;
}

static uint64_t residual(uint64_t change)
{
    uint64_t total;

    MPI_Allreduce(&change, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

static void ocean(int n_steps)
{
    for (int step = 1; step <= n_steps; step++) {
        exchange_halo();
        uint64_t change = relax();
        if (step % 10 == 0 && residual(change) == 0)
            return;
    }
}

int main(int argc, char **argv)
{
    uint64_t sum = 0, total = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    size = argc > 1 ? atoi(argv[1]) : 64;
    if (size < n_ranks || size > 20000) {
        fprintf(stderr, "usage: ocean SIZE [STEPS], SIZE from the number of ranks to 20000\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int first = size * rank / n_ranks;
    n_rows = size * (rank + 1) / n_ranks - first;
    grid = calloc((size_t)(n_rows + 2) * (size_t)size, sizeof *grid);
    next = calloc((size_t)(n_rows + 2) * (size_t)size, sizeof *next);
    for (int row = 0; row < n_rows; row++)
        for (int i = 0; i < size; i++)
            row_of(grid, row)[i] = (uint32_t)((first + row) * 7919 + i * 104729) % 1000000;
    ocean(argc > 2 ? atoi(argv[2]) : 40);
    for (size_t i = 0; i < (size_t)n_rows * (size_t)size; i++)
        sum += row_of(grid, 0)[i];
    MPI_Reduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("ocean: %" PRIu64 "\n", total);
    free(grid);
    free(next);
    MPI_Finalize();
    return 0;
}
