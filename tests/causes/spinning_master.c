// SPDX-License-Identifier: BSD-3-Clause
/*
 * A master that polls by MPI_Iprobe without a pause until results come; the one worker has a
 * costly correction in each task. Repaired: the correction is tabulated.
 */
#include "cause.h"

enum { TASKS = 100 };

static uint64_t correct_energy(int task)
{
    return compute(repaired ? 100 : 5000, (uint64_t)task) & 0; // cause
}

static uint64_t evaluate_task(uint64_t x)
{
    return compute(1000, x);
}

static void await_result(void)
{
    int is_there = 0;

    while (!is_there)
        MPI_Iprobe(1, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 5;

    for (int task = 0; task < TASKS; task++) {
        if (rank == 0) {
            MPI_Send(&x, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
            await_result();
            MPI_Recv(&x, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            x = compute(500, x);
        } else {
            MPI_Recv(&x, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            x = evaluate_task(x) + correct_energy(task);         // cause
            MPI_Send(&x, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD); // cause
        }
    }
    return end(x);
}
