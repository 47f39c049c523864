// SPDX-License-Identifier: BSD-3-Clause
/*
 * Four threads of each of 2 ranks exchange messages at the same time (MPI_THREAD_MULTIPLE), each
 * in a communicator of its own; then one thread starts what another one completes. Prints "threads
 * ok". For the tests of the tracer.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

/* MPICH's header calls MPI_STATUSES_IGNORE an array that is too short. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"

enum { N_THREADS = 4, N_MESSAGES = 200 };

static int rank;
static MPI_Comm comms[N_THREADS];
static pthread_barrier_t all_record; /* none has ended before the last one has begun */

static void *exchange(void *argument)
{
    int thread = *(int *)argument, other = 1 - rank, in = -1;
    MPI_Request requests[2];
    MPI_Comm copy;

    MPI_Iprobe(other, 99, comms[thread], &(int){0}, MPI_STATUS_IGNORE);
    pthread_barrier_wait(&all_record);
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

/* What one thread starts another one completes: a queue of pairs of requests. */
enum { N_HANDED = 500, DEPTH = 8 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    MPI_Request requests[DEPTH][2];
    int in[DEPTH], out[DEPTH];
    int n_started, n_completed;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *complete(void *unused)
{
    for (int i = 0; i < N_HANDED; i++) {
        int at = i % DEPTH;

        pthread_mutex_lock(&queue.lock);
        while (queue.n_started == i)
            pthread_cond_wait(&queue.changed, &queue.lock);
        pthread_mutex_unlock(&queue.lock);
        if (i % 2 == 0) {
            MPI_Waitall(2, queue.requests[at], MPI_STATUSES_IGNORE);
        } else {
            MPI_Wait(&queue.requests[at][1], MPI_STATUS_IGNORE);
            MPI_Wait(&queue.requests[at][0], MPI_STATUS_IGNORE);
        }
        if (queue.in[at] != i)
            MPI_Abort(MPI_COMM_WORLD, 1);
        pthread_mutex_lock(&queue.lock);
        queue.n_completed++;
        pthread_cond_signal(&queue.changed);
        pthread_mutex_unlock(&queue.lock);
    }
    return unused;
}

static void hand_over(void)
{
    pthread_t completer;

    pthread_create(&completer, NULL, complete, NULL);
    for (int i = 0; i < N_HANDED; i++) {
        int at = i % DEPTH;

        pthread_mutex_lock(&queue.lock);
        while (queue.n_completed + DEPTH <= i)
            pthread_cond_wait(&queue.changed, &queue.lock);
        pthread_mutex_unlock(&queue.lock);
        queue.out[at] = i;
        MPI_Irecv(&queue.in[at], 1, MPI_INT, 1 - rank, 100, MPI_COMM_WORLD, &queue.requests[at][0]);
        MPI_Isend(&queue.out[at], 1, MPI_INT, 1 - rank, 100, MPI_COMM_WORLD,
                  &queue.requests[at][1]);
        pthread_mutex_lock(&queue.lock);
        queue.n_started++;
        pthread_cond_signal(&queue.changed);
        pthread_mutex_unlock(&queue.lock);
    }
    pthread_join(completer, NULL);
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
    pthread_barrier_init(&all_record, NULL, N_THREADS);
    for (int i = 0; i < N_THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, exchange, &numbers[i]);
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N_THREADS; i++)
        MPI_Comm_free(&comms[i]);
    hand_over();
    if (rank == 0)
        printf("threads ok\n");
    MPI_Finalize();
    return 0;
}
