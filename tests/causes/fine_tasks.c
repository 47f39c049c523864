// SPDX-License-Identifier: BSD-3-Clause
/*
 * A task farm with too fine tasks: a task takes a few microseconds, about as long as giving it out.
 * Repaired: 100 tasks a message.
 */
#include "cause.h"

enum { TASKS = 60000, TAG_STOP = 1 };

static uint64_t run_task(uint64_t task)
{
    return compute(5, task);
}

static uint64_t run_tasks(uint64_t first, int count)
{
    uint64_t sum = 0;

    for (int i = 0; i < count; i++)
        sum += run_task(first + (uint64_t)i);
    return sum;
}

static uint64_t farm_out(int grain)
{
    uint64_t sum = 0, task = 0;
    int n_out = 0;

    for (int worker = 1; worker < n_ranks; worker++, task += (uint64_t)grain, n_out++)
        MPI_Send(&task, 1, MPI_UINT64_T, worker, 0, MPI_COMM_WORLD); // cause
    while (n_out > 0) {
        uint64_t answer;
        MPI_Status status;

        MPI_Recv(&answer, 1, MPI_UINT64_T, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status); // cause
        sum += answer;
        int tag = task < TASKS ? 0 : TAG_STOP;
        n_out -= tag;
        MPI_Send(&task, 1, MPI_UINT64_T, status.MPI_SOURCE, tag, MPI_COMM_WORLD); // cause
        task += (uint64_t)grain;
    }
    return sum;
}

static uint64_t work_off(int grain)
{
    for (;;) {
        uint64_t task;
        MPI_Status status;

        MPI_Recv(&task, 1, MPI_UINT64_T, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status); // cause
        if (status.MPI_TAG == TAG_STOP)
            return 0;
        task = run_tasks(task, grain);
        MPI_Send(&task, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD); // cause
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int grain = repaired ? 100 : 1;

    return end(rank == 0 ? farm_out(grain) : work_off(grain));
}
