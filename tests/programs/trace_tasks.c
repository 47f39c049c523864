// SPDX-License-Identifier: BSD-3-Clause
/*
 * Each of 2 ranks starts 300 threads one after the other (MPI_THREAD_MULTIPLE), each of which
 * exchanges a message with its twin and ends inside an annotated region. Prints "tasks ok". With an
 * argument recording is off for the second 100 of them. For the tests of the tracer.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#include "tracer/pagoda.h"

enum { N_TASKS = 300 };

static int rank;

static void *exchange(void *argument)
{
    int task = *(int *)argument, in = -1;

    pagoda_region_begin("task");
    MPI_Sendrecv(&task, 1, MPI_INT, 1 - rank, task, &in, 1, MPI_INT, 1 - rank, task, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (in != task)
        MPI_Abort(MPI_COMM_WORLD, 1);
    pthread_exit(NULL);
}

int main(int argc, char **argv)
{
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int task = 0; task < N_TASKS; task++) {
        pthread_t thread;

        if (argc > 1 && task == 100)
            pagoda_trace_off();
        if (argc > 1 && task == 200)
            pagoda_trace_on();
        pthread_create(&thread, NULL, exchange, &task);
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
    if (rank == 0)
        puts("tasks ok");
    return level == MPI_THREAD_MULTIPLE ? 0 : 1;
}
