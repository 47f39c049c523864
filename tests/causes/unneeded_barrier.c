// SPDX-License-Identifier: BSD-3-Clause
/*
 * An unneeded barrier: the ranks work on samples of their own, of random length, and meet after
 * each one although they exchange data only at the end. Repaired: without the barriers.
 */
#include "cause.h"

enum { SAMPLES = 120 };

static uint64_t run_sample(int sample)
{
    long us = (long)(program_random((uint64_t)rank, (uint64_t)sample) % 9000);

    return compute(us, (uint64_t)sample);
}

static void next_sample(void)
{
    if (!repaired)
        MPI_Barrier(MPI_COMM_WORLD); // cause
}

static uint64_t all_samples(void)
{
    uint64_t x = 0;

    for (int sample = 0; sample < SAMPLES; sample++) {
        x += run_sample(sample); // cause
        next_sample();           // cause
    }
    return x;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = all_samples(), sum = 0;

    MPI_Reduce(&x, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return end(sum);
}
