// SPDX-License-Identifier: BSD-3-Clause
/*
 * Steps over a square field that is distributed by rows: work along the rows, then the field is
 * transposed. For a study of two versions, pagoda-experiments(7):
 *
 *   VERSION 1   each rank packs a strip for each other one and sends it, all in the same order
 *   VERSION 2   one MPI_Alltoall
 *
 * Prints the sum of the field, which is the same for both and any number of ranks that divides
 * SIZE.
 */
#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 120, STEPS = 6, TAG = 100 * VERSION };

static int rank, n_ranks, n_rows; /* n_rows of the field are ours */
static uint64_t *field, *packed, *received;

/* What a transform would do: every element of a row depends on all before it. */
static void dfft(void)
{
    for (int row = 0; row < n_rows; row++)
        for (int round = 0; round < 20; round++)
            for (int i = 1; i < SIZE; i++)
                field[row * SIZE + i] = field[row * SIZE + i] * 31 + field[row * SIZE + i - 1];
}

static void pack(void)
{
    for (int to = 0; to < n_ranks; to++)
        for (int row = 0; row < n_rows; row++)
            memcpy(packed + (to * n_rows + row) * n_rows, field + row * SIZE + to * n_rows,
                   (size_t)n_rows * sizeof *field);
}

static void unpack(void)
{
    for (int from = 0; from < n_ranks; from++)
        for (int row = 0; row < n_rows; row++)
            for (int i = 0; i < n_rows; i++)
                field[i * SIZE + from * n_rows + row] =
                    received[(from * n_rows + row) * n_rows + i];
}

#if VERSION == 1
static void strip_send(int to)
{
    MPI_Send(packed + to * n_rows * n_rows, n_rows * n_rows, MPI_UINT64_T, to, TAG, MPI_COMM_WORLD);
}

static void strip_receive(int from)
{
    MPI_Recv(received + from * n_rows * n_rows, n_rows * n_rows, MPI_UINT64_T, from, TAG,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Pairs of ranks one after the other, the lower one first. */
static void strip(void)
{
    for (int other = 0; other < n_ranks; other++) {
        if (other == rank)
            memcpy(received + rank * n_rows * n_rows, packed + rank * n_rows * n_rows,
                   (size_t)n_rows * (size_t)n_rows * sizeof *packed);
        if (rank < other)
            strip_send(other);
        if (rank != other)
            strip_receive(other);
        if (rank > other)
            strip_send(other);
    }
}
#else
static void exchange(void)
{
    MPI_Alltoall(packed, n_rows * n_rows, MPI_UINT64_T, received, n_rows * n_rows, MPI_UINT64_T,
                 MPI_COMM_WORLD);
}
#endif

static void transpose(void)
{
    pack();
#if VERSION == 1
    strip();
#else
    exchange();
#endif
    unpack();
}

static void ns3d(void)
{
    for (int step = 0; step < STEPS; step++) {
        dfft();
        transpose();
    }
}

int main(int argc, char **argv)
{
    uint64_t sum = 0, total = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (SIZE % n_ranks != 0) {
        fprintf(stderr, "ns: %d rows cannot be dealt out to %d ranks\n", SIZE, n_ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    n_rows = SIZE / n_ranks;
    field = calloc(3 * (size_t)n_rows * SIZE, sizeof *field);
    packed = field + n_rows * SIZE;
    received = packed + n_rows * SIZE;
    for (int i = 0; i < n_rows * SIZE; i++)
        field[i] = (uint64_t)(rank * n_rows * SIZE + i);
    ns3d();
    for (int i = 0; i < n_rows * SIZE; i++)
        sum += field[i] >> 8;
    MPI_Reduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("ns: %" PRIu64 "\n", total);
    free(field);
    MPI_Finalize();
    return 0;
}
