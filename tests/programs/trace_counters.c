// SPDX-License-Identifier: BSD-3-Clause
/*
 * Regions whose counters are known: "touch" touches 4096 pages for the first time, "block" blocks
 * 20 times, and so do two threads, "thread"; "burn" adds 5 J to the energy counter in file argv[1],
 * which begins anew at argv[2]. Each prints rank, region, and what getrusage() says of the thread
 * inside: page faults without input, and how often it blocked. For the tests of the tracer.
 */
#define _GNU_SOURCE
#include "tracer/pagoda.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { N_PAGES = 4096, PAGE = 4096, N_SLEEPS = 20 };

static int rank;

static void touch(void)
{
    char *memory =
        mmap(NULL, N_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    madvise(memory, N_PAGES * PAGE, MADV_NOHUGEPAGE);
    for (int i = 0; i < N_PAGES; i++)
        memory[i * PAGE] = 1;
}

static void block(void)
{
    for (int i = 0; i < N_SLEEPS; i++)
        usleep(200);
}

static void touch_and_block(void)
{
    touch();
    block();
}

static void in_region(const char *name, void (*what)(void))
{
    struct rusage before, after;

    pagoda_region_begin(name);
    getrusage(RUSAGE_THREAD, &before);
    what();
    getrusage(RUSAGE_THREAD, &after);
    pagoda_region_end(name);
    printf("%d %s %ld %ld\n", rank, name, after.ru_minflt - before.ru_minflt,
           after.ru_nvcsw - before.ru_nvcsw);
}

static void *thread(void *unused)
{
    in_region("thread", touch_and_block);
    return unused;
}

/* As the hardware does: never a file that is only half there. The value holds for a while before.
 */
static void burn(const char *path, long long range)
{
    char new_path[256];
    long long value = 0;
    FILE *file = fopen(path, "r");

    if (!file || fscanf(file, "%lld", &value) != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fclose(file);
    snprintf(new_path, sizeof new_path, "%s.new", path);
    usleep(2000);
    pagoda_region_begin("burn");
    file = fopen(new_path, "w");
    if (!file)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fprintf(file, "%lld\n", (value + 5000000) % range);
    fclose(file);
    rename(new_path, path);
    usleep(2000);
    pagoda_region_end("burn");
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    in_region("touch", touch);
    in_region("block", block);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (argc == 3 && rank == 0)
        burn(argv[1], atoll(argv[2]));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
