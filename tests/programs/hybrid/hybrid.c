// SPDX-License-Identifier: BSD-3-Clause
/*
 * MPI with OpenMP: each construct that the tracer records, three times. "Work" is sleeping, so that
 * times do not depend on the cores that are free. Of T threads, thread i works i + 1 times as long
 * as thread 0 before the barrier. All other threads are idle or wait while thread 0 of rank 0 works
 * alone. Prints a sum that is right only if every construct did what it should.
 *
 * alone: no parallel regions; early: also some before MPI_Init; nested: also some within others;
 * off: none is recorded in the second of three rounds.
 *
 * hybrid [alone|early|nested|off]
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tracer/pagoda.h"

enum { N_ROUNDS = 3, UNIT_MS = 4, ALONE_MS = 100, N_ITERATIONS = 40 };

static void work(int ms)
{
    struct timespec rest = {.tv_sec = 0, .tv_nsec = ms * 1000000L};
    nanosleep(&rest, NULL);
}

static long sum;

static void add(long n)
{
#pragma omp critical
    {
        work(1);
        sum += n;
    }
}

static void work_alone(void)
{
    pagoda_region_begin("alone");
    work(ALONE_MS);
    pagoda_region_end("alone");
}

static void unbalanced(void)
{
#pragma omp parallel
    {
        work(UNIT_MS * (omp_get_thread_num() + 1));
#pragma omp barrier
        add(1);
    }
}

static void loops(void)
{
    long total = 0;
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : total)
    for (int i = 0; i < N_ITERATIONS; i++)
        total += i;
#pragma omp parallel reduction(+ : total)
    {
#pragma omp for schedule(guided)
        for (int i = 0; i < N_ITERATIONS; i++)
            total += i;
#pragma omp for schedule(static)
        for (int i = 0; i < N_ITERATIONS; i++)
            total += i;
#pragma omp for ordered schedule(runtime)
        for (int i = 0; i < N_ITERATIONS; i++) {
#pragma omp ordered
            total += i;
        }
    }
    sum += total;
}

static void sections_and_single(void)
{
    int a = 0, b = 0, c = 0;
#pragma omp parallel sections
    {
#pragma omp section
        a = 1;
#pragma omp section
        b = 2;
    }
#pragma omp parallel
    {
#pragma omp single
        c = 3;
#pragma omp sections
        {
#pragma omp section
            a += 1;
#pragma omp section
            b += 1;
        }
    }
    sum += a + b + c;
}

static void locks(void)
{
    omp_lock_t lock;
    long count = 0;
    omp_init_lock(&lock);
#pragma omp parallel
    {
        omp_set_lock(&lock);
        count++;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    sum += count;
}

/// The thread that makes the tasks waits for them with the others.
static void tasks(void)
{
    char text[5] = "task";
    long count = 0, loop = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 8; i++)
#pragma omp task firstprivate(i, text)
        {
            work(2);
#pragma omp atomic
            count += i + (strcmp(text, "task") == 0);
        }
#pragma omp taskwait
#pragma omp taskloop
        for (int i = 0; i < 8; i++)
#pragma omp atomic
            loop += i;
    }
    sum += count + loop;
}

static void nested(void)
{
    long count = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp atomic
        count++;
    }
    sum += count;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int level, rank;
    long all = 0;

    if (strcmp(mode, "early") == 0)
        loops();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < N_ROUNDS; round++) {
        if (rank == 0)
            work_alone();
        if (strcmp(mode, "off") == 0 && round == 1)
            pagoda_trace_off();
        if (strcmp(mode, "alone") != 0) {
            unbalanced();
            loops();
            sections_and_single();
            locks();
            tasks();
        }
        if (strcmp(mode, "off") == 0 && round == 1)
            pagoda_trace_on();
        if (strcmp(mode, "nested") == 0)
            nested();
        MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("sum %ld\n", all);
    MPI_Finalize();
    return 0;
}
