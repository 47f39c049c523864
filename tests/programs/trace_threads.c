// SPDX-License-Identifier: BSD-3-Clause
/*
 * Four threads of each of 2 ranks exchange messages at the same time (MPI_THREAD_MULTIPLE), each
 * in a communicator of its own; prints "threads ok". For the tests of the tracer.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { N_THREADS = 4, N_MESSAGES = 200 };

static int rank;
static MPI_Comm comms[N_THREADS];

static void *exchange(void *argument)
{
    int thread = *(int *)argument, other = 1 - rank, in = -1;
    MPI_Request requests[2];
    MPI_Comm copy;

    for (int i = 0; i < N_MESSAGES; i++) {
        MPI_Irecv(&in, 1, MPI_INT, other, thread, comms[thread], &requests[0]);
        MPI_Isend(&i, 1, MPI_INT, other, thread, comms[thread], &requests[1]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        if (in != i)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_dup(comms[thread], &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[N_THREADS];
    int numbers[N_THREADS], n_ranks, provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (provided != MPI_THREAD_MULTIPLE || n_ranks != 2) {
        fprintf(stderr, "trace_threads: needs 2 ranks and MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < N_THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < N_THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, exchange, &numbers[i]);
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N_THREADS; i++)
        MPI_Comm_free(&comms[i]);
    if (rank == 0)
        printf("threads ok\n");
    MPI_Finalize();
    return 0;
}
