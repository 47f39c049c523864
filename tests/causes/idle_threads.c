// SPDX-License-Identifier: BSD-3-Clause
/*
 * Idle threads: rank 0 has two threads, but its first thread alone builds the list of neighbours
 * while the other one waits at a barrier; rank 1 only draws pictures. Repaired: both threads build
 * the list.
 */
#include "cause.h"

#include <pthread.h>

enum { STEPS = 50 };

static pthread_barrier_t barrier;
static uint64_t sums[2];

static uint64_t build_list(int part, int n_parts)
{
    uint64_t x = 0;

    for (int i = part; i < 8; i += n_parts)
        x += compute(1000, (uint64_t)i); // cause
    return x;
}

static uint64_t forces(int part)
{
    return compute(2000, (uint64_t)part);
}

static void half_step(int thread)
{
    pthread_barrier_wait(&barrier);
    if (repaired)
        sums[thread] += build_list(thread, 2);
    else if (thread == 0)
        sums[thread] += build_list(0, 1); // cause
    pthread_barrier_wait(&barrier);
    sums[thread] += forces(thread);
    pthread_barrier_wait(&barrier);
}

static void *second_thread(void *unused)
{
    for (int step = 0; step < STEPS; step++)
        half_step(1);
    return unused;
}

static void simulate(void)
{
    pthread_t second;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&second, NULL, second_thread, NULL);
    for (int step = 0; step < STEPS; step++) {
        half_step(0);
        MPI_Send(sums, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD); // cause
    }
    pthread_join(second, NULL);
}

static void draw(void)
{
    uint64_t sum;

    for (int step = 0; step < STEPS; step++) {
        MPI_Recv(&sum, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(100, sum);
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    if (rank == 0)
        simulate();
    else
        draw();
    return end(sums[0] + sums[1]);
}
