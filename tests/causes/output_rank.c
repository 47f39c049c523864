// SPDX-License-Identifier: BSD-3-Clause
/*
 * A rank for the output: rank 0 simulates and gives every fifth field to rank 1, which compresses
 * it. Rank 0 has two buffers, but compressing takes longer than the five steps, so that before each
 * output rank 0 waits until a buffer is free. Repaired: compressing takes half as long.
 */
#include "cause.h"

enum { STEPS = 100, EVERY = 5, BUFFERS = 2, N = 1 << 17, STEP_US = 3000, COMPRESS_US = 24000 };

static double fields[BUFFERS][N];
static MPI_Request pending[BUFFERS] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

static uint64_t simulate_step(uint64_t x)
{
    return compute(STEP_US, x);
}

static void put_field(int output, uint64_t x)
{
    int buffer = output % BUFFERS;

    MPI_Wait(&pending[buffer], MPI_STATUS_IGNORE); // cause
    for (int i = 0; i < N; i++)
        fields[buffer][i] = (double)(x >> 32) + i;
    MPI_Isend(fields[buffer], N, MPI_DOUBLE, 1, output, MPI_COMM_WORLD, &pending[buffer]); // cause
}

static uint64_t simulate(void)
{
    uint64_t x = 3;

    for (int step = 0; step < STEPS; step++) {
        x = simulate_step(x);
        if (step % EVERY == EVERY - 1)
            put_field(step / EVERY, x); // cause
    }
    MPI_Waitall(BUFFERS, pending, MPI_STATUSES_IGNORE); // cause
    return x;
}

static uint64_t compress_field(const double *field)
{
    compute(repaired ? COMPRESS_US / 2 : COMPRESS_US, (uint64_t)field[0]); // cause
    return (uint64_t)field[N - 1];
}

static uint64_t write_fields(void)
{
    uint64_t sum = 0;

    for (int output = 0; output < STEPS / EVERY; output++) {
        MPI_Recv(fields[0], N, MPI_DOUBLE, 0, output, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // cause
        sum += compress_field(fields[0]);                                                 // cause
    }
    return sum;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    return end(rank == 0 ? simulate() : write_fields());
}
