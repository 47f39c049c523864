// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 sleeps 20 times for 10 ms while the others compute and wait for it.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static volatile double sum;

static void work(void)
{
    for (int i = 0; i < 300000; i++)
        sum += i;
}

static void write_checkpoint(void)
{
    struct timespec left = {0, 10000000};
    while (nanosleep(&left, &left) != 0)
        continue;
}

int main(int argc, char **argv)
{
    int rank, n_ranks, n_done = 0, one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    for (int i = 0; i < 20; i++) {
        int n_ready;
        work();
        if (rank == 1)
            write_checkpoint();
        MPI_Allreduce(&one, &n_ready, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        n_done += n_ready == n_ranks;
    }
    MPI_Finalize();
    if (n_done != 20)
        fprintf(stderr, "trace_blocked: %d of 20 sums are right\n", n_done);
    return n_done == 20 ? 0 : 1;
}
