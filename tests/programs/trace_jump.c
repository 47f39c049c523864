// SPDX-License-Identifier: BSD-3-Clause
/*
 * Error handlers that never return: they jump out of the MPI call, as a C++ exception would. Each
 * rank fails three times, then the ranks meet in a barrier. For the tests of the tracer.
 */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf before;
static volatile int n_errors;

static void jump(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    n_errors++;
    longjmp(before, 1);
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    int rank, n_ranks, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (setjmp(before) == 0 || n_errors < 3)
        MPI_Send(&value, 1, MPI_INT, n_ranks, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d errors\n", n_errors);
    MPI_Finalize();
    return 0;
}
