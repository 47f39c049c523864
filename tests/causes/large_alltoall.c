// SPDX-License-Identifier: BSD-3-Clause
/*
 * A large collective: each step transposes a matrix of doubles by an Alltoall, which takes longer
 * than the computing. Repaired: its small whole numbers are sent as bytes.
 */
#include "cause.h"

enum { STEPS = 60, N = 1 << 20 };

static double from_d[N], to_d[N];
static unsigned char from_c[N], to_c[N];

static uint64_t transform(uint64_t x)
{
    return compute(1000, x);
}

static double transpose(int step)
{
    int part = N / n_ranks;

    if (repaired) {
        memset(from_c, step + rank, N);
        MPI_Alltoall(from_c, part, MPI_BYTE, to_c, part, MPI_BYTE, MPI_COMM_WORLD);
        return to_c[step];
    }
    for (int i = 0; i < N; i++)
        from_d[i] = step + rank;
    MPI_Alltoall(from_d, part, MPI_DOUBLE, to_d, part, MPI_DOUBLE, MPI_COMM_WORLD); // cause
    return to_d[step];
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 1;
    double sum = 0;

    for (int step = 0; step < STEPS; step++) {
        x = transform(x);
        sum += transpose(step);
    }
    return end(x + (uint64_t)sum);
}
