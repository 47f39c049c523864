// SPDX-License-Identifier: BSD-3-Clause
// Short functions in others: rank 0 prints the CPU time it computes for, in seconds. It ends with 1
// if the values are wrong.
//
//     trace_cells [ITERATIONS]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N_CELLS = 1024, WORK = 600 };

static double cells[N_CELLS];

static __attribute__((no_instrument_function)) double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static __attribute__((noinline)) double flux(double value)
{
    for (int i = 0; i < WORK; i++)
        value = value * 0.999 + 0.001;
    return value;
}

/// From the cell before: a processor that runs ahead cannot begin one while it computes another.
static __attribute__((noinline)) void update(int cell)
{
    cells[cell] = flux(cells[(cell + N_CELLS - 1) % N_CELLS]);
}

static __attribute__((noinline)) void sweep(void)
{
    for (int cell = 0; cell < N_CELLS; cell++)
        update(cell);
}

int main(int argc, char **argv)
{
    int n_iterations = argc > 1 ? atoi(argv[1]) : 100, rank;
    double least;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double begin = cpu_seconds();
    for (int i = 0; i < n_iterations; i++)
        sweep();
    double seconds = cpu_seconds() - begin;
    MPI_Allreduce(&cells[N_CELLS - 1], &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.9f\n", seconds);
    MPI_Finalize();
    return !(least > 0 && least <= 1.001);
}
