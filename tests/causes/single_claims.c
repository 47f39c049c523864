// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tasks from a shared counter, claimed one by one: each rank adds one to the counter in the window
 * of rank 0, under a lock, for each task of a few microseconds, as programs with Global Arrays do.
 * Repaired: 100 tasks a claim.
 */
#include "cause.h"

enum { TASKS = 150000, TASK_US = 3, CHUNK = 100 };

static MPI_Win window;

static long claim_tasks(long n)
{
    long first;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);                // cause
    MPI_Fetch_and_op(&n, &first, MPI_LONG, 0, 0, MPI_SUM, window); // cause
    MPI_Win_unlock(0, window);                                     // cause
    return first;
}

PROGRAM_INNER uint64_t integral(long task)
{
    return compute(TASK_US, (uint64_t)task);
}

static uint64_t compute_integrals(long chunk)
{
    uint64_t sum = 0;

    for (long first; (first = claim_tasks(chunk)) < TASKS;) // cause
        for (long task = first; task < first + chunk && task < TASKS; task++)
            sum += integral(task);
    return sum;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    long counter = 0;

    MPI_Win_create(&counter, rank == 0 ? sizeof counter : 0, sizeof counter, MPI_INFO_NULL,
                   MPI_COMM_WORLD, &window);
    uint64_t x = compute_integrals(repaired ? CHUNK : 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    return end(x);
}
