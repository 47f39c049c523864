// SPDX-License-Identifier: BSD-3-Clause
/*
 * trace_eager MS: rank 0 sends 16 KiB, then computes. Rank 1 computes until that send is over, but
 * no longer than MS, and receives then. Prints how many of the sends were over before their receive
 * began: none if they wait for their receiver, all if the MPI library buffers messages of this
 * size, however slow the machine is.
 */
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 16, BYTES = 16384, WORK_MS = 20 };

static char data[BYTES];

static uint64_t random_number = 88172645463325252ULL;

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Computes for so long, or until *n_over is above N. Whether it is. */
static int compute(int ms, const atomic_int *n_over, int n)
{
    double end = seconds() + ms * 1e-3;

    while (seconds() < end && atomic_load(n_over) <= n)
        for (int i = 0; i < 1000; i++) {
            random_number ^= random_number << 13;
            random_number ^= random_number >> 7;
            random_number ^= random_number << 17;
        }
    return atomic_load(n_over) > n;
}

int main(int argc, char **argv)
{
    int rank, n_early = 0, unit, late_ms = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Aint size;
    MPI_Win window;
    atomic_int *n_over; /* of rank 0's sends, in memory of both */

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *n_over : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                            &n_over, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &n_over);
    if (rank == 0)
        atomic_store(n_over, 0);
    for (int step = 0; step < STEPS; step++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Send(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            atomic_store(n_over, step + 1);
            compute(WORK_MS, n_over, STEPS);
        } else if (rank == 1) {
            n_early += compute(late_ms, n_over, step);
            MPI_Recv(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    if (rank == 1)
        printf("early %d of %d, %d\n", n_early, STEPS, random_number == 0);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
