// SPDX-License-Identifier: BSD-3-Clause
// Two components, rank 0 and the others, that meet after each step: first rank 0 has most to do,
// then the others, who share their work. It prints the shortest times of a step of both kinds, in
// us: other programs can only make steps longer.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 15 };

static int rank, n_ranks, n_met;

/// A step in which rank 0 has OWN_MS of work, and the others SHARED_MS together; its time.
static double step(double own_ms, double shared_ms)
{
    double began = MPI_Wtime(), ms = rank == 0 ? own_ms : shared_ms / (n_ranks - 1);
    struct timespec left = {0, (long)(ms * 1e6)};
    int one = 1, n = 0;
    while (nanosleep(&left, &left) != 0)
        continue;
    MPI_Allreduce(&one, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    n_met += n == n_ranks;
    return MPI_Wtime() - began;
}

static void observe(double *times)
{
    for (int i = 0; i < STEPS; i++)
        times[i] = step(30, 50);
}

static void analyse(double *times)
{
    for (int i = 0; i < STEPS; i++)
        times[i] = step(10, 160);
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double first[STEPS], second[STEPS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    observe(first);
    analyse(second);
    MPI_Finalize();
    qsort(first, STEPS, sizeof *first, by_time);
    qsort(second, STEPS, sizeof *second, by_time);
    if (rank == 0)
        printf("%.0f %.0f\n", first[0] * 1e6, second[0] * 1e6);
    if (n_met != 2 * STEPS)
        fprintf(stderr, "trace_components: %d of %d steps are right\n", n_met, 2 * STEPS);
    return n_met == 2 * STEPS ? 0 : 1;
}
