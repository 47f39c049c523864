// SPDX-License-Identifier: BSD-3-Clause
/*
 * Lock contention among threads: both threads of rank 0 compute their contributions while they hold
 * the lock of the sum; rank 1 only draws pictures. Repaired: the lock is held for the addition
 * alone.
 */
#include "cause.h"

#include <pthread.h>

enum { STEPS = 40, PARTS = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t sum;

static uint64_t contribution(int part)
{
    return compute(300, (uint64_t)part); // cause
}

static void add_contribution(int part)
{
    uint64_t mine = repaired ? contribution(part) : 0;

    pthread_mutex_lock(&lock);                   // cause
    sum += repaired ? mine : contribution(part); // cause
    pthread_mutex_unlock(&lock);
}

static void *add_all(void *unused)
{
    for (int part = 0; part < PARTS; part++)
        add_contribution(part);
    return unused;
}

static void simulate(void)
{
    for (int step = 0; step < STEPS; step++) {
        pthread_t second;

        pthread_create(&second, NULL, add_all, NULL);
        add_all(NULL);
        pthread_join(second, NULL);
        MPI_Send(&sum, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD); // cause
    }
}

static void draw(void)
{
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
    return end(sum);
}
