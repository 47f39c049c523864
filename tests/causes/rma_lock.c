// SPDX-License-Identifier: BSD-3-Clause
/*
 * Contention for an RMA lock: both ranks keep the window of rank 0 locked while they compute what
 * they add to it. Repaired: they compute before they lock.
 */
#include "cause.h"

enum { STEPS = 80 };

static MPI_Win window;

static uint64_t contribution(int step)
{
    return compute(3000, (uint64_t)step); // cause
}

static void add_to_histogram(int step)
{
    uint64_t mine = repaired ? contribution(step) : 0;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); // cause
    if (!repaired)
        mine = contribution(step);                                                  // cause
    MPI_Accumulate(&mine, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, MPI_SUM, window); // cause
    MPI_Win_unlock(0, window);                                                      // cause
}

static uint64_t sample(int step)
{
    return compute(1500, (uint64_t)(step + rank));
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t *histogram, x = 0;

    MPI_Win_allocate(sizeof *histogram, sizeof *histogram, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &histogram, &window);
    *histogram = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
        x += sample(step);
        add_to_histogram(step);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    x += *histogram;
    MPI_Win_free(&window);
    return end(x);
}
