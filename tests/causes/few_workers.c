// SPDX-License-Identifier: BSD-3-Clause
/*
 * A task farm with too few workers: one worker, and a master that does nothing but give it tasks.
 * Repaired: another rank. (The same program, started with 3 ranks.)
 */
#include "cause.h"

enum { TASKS = 150, TAG_STOP = 1 };

static uint64_t run_task(uint64_t task)
{
    return compute(4000 + (long)(program_random(1, task) % 3000), task); // cause
}

static uint64_t farm_out(void)
{
    uint64_t sum = 0, task = 0;
    int n_out = 0;

    for (int worker = 1; worker < n_ranks; worker++, task++, n_out++)
        MPI_Send(&task, 1, MPI_UINT64_T, worker, 0, MPI_COMM_WORLD); // cause
    while (n_out > 0) {
        uint64_t answer;
        MPI_Status status;

        MPI_Recv(&answer, 1, MPI_UINT64_T, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status); // cause
        sum += answer;
        int tag = task < TASKS ? 0 : TAG_STOP;
        n_out -= tag;
        MPI_Send(&task, 1, MPI_UINT64_T, status.MPI_SOURCE, tag, MPI_COMM_WORLD); // cause
        task++;
    }
    return sum;
}

static uint64_t work_off(void)
{
    for (;;) {
        uint64_t task;
        MPI_Status status;

        MPI_Recv(&task, 1, MPI_UINT64_T, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status); // cause
        if (status.MPI_TAG == TAG_STOP)
            return 0;
        task = run_task(task);                                  // cause
        MPI_Send(&task, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD); // cause
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    return end(rank == 0 ? farm_out() : work_off());
}
