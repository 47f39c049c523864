// SPDX-License-Identifier: BSD-3-Clause
/*
 * Uneven threads: two threads divide the rows of a triangular matrix by their number, so the second
 * one has three quarters of the elements. Repaired: each thread takes the next row when it has done
 * one.
 */
#include "cause.h"

#include <omp.h>

enum { STEPS = 40, ROWS = 64, US_PER_ROW = 4 };

static uint64_t row(int i, uint64_t x)
{
    return compute((long)US_PER_ROW * i, x + (uint64_t)i) & 0xffff; // cause
}

static uint64_t multiply(uint64_t x)
{
    uint64_t sum = 0;

    omp_set_schedule(repaired ? omp_sched_dynamic : omp_sched_static, 0);
#pragma omp parallel for num_threads(2) schedule(runtime) reduction(+ : sum) // cause
    for (int i = 0; i < ROWS; i++)
        sum += row(i, x); // cause
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    begin(argc, argv);
    for (int step = 0; step < STEPS; step++) {
        uint64_t mine = multiply((uint64_t)step);

        MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
    return end(sum);
}
