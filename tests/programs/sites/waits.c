// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 waits for rank 0 in calls from several places, by far the longest in those of one of them.
// tests/mpi/sites_report.bats compares what the report says with the lines that carry the word
// "site:" here.
#include <stdint.h>
#include <time.h>

#include "sites.h"

enum { N_BLOCKS = 8 };

// CPU time: a rank that sleeps does not compute.
static void work(int time_ms)
{
    struct timespec now;
    int64_t end_ns;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    end_ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec + time_ms * INT64_C(1000000);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec * INT64_C(1000000000) + now.tv_nsec < end_ns);
}

static void produce(void)
{
    int block;

    work(10);
    MPI_Send(&block, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    for (block = 0; block < N_BLOCKS; block++) {
        work(50);
        MPI_Send(&block, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); // site: late-send
    }
    work(10);
    MPI_Send(&block, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    work(20);
}

static void consume(void)
{
    int i, block;
    MPI_Request request;

    MPI_Recv(&block, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // site: short-wait
    for (i = 0; i < N_BLOCKS; i++)
        MPI_Recv( // site: long-wait
            &block, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&block, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); // site: completion
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD); // site: first-barrier
    if (rank == 0)
        produce();
    else
        consume();
    MPI_Barrier(MPI_COMM_WORLD); // site: barrier
    MPI_Finalize();
    return 0;
}
