// SPDX-License-Identifier: BSD-3-Clause
/*
 * Messages, requests, probes, collectives and communicators, between MPI_Init and MPI_Finalize;
 * tells a library that counts calls (tests/mpi/count_pmpi.c), if there is one, where it is.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <string.h>

/* MPICH's header calls MPI_STATUSES_IGNORE an array that is too short. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"

static void tell(int phase)
{
    void *symbol = dlsym(RTLD_DEFAULT, "count_pmpi_phase");
    void (*count_pmpi_phase)(int);

    memcpy(&count_pmpi_phase, &symbol, sizeof symbol);
    if (symbol != NULL)
        count_pmpi_phase(phase);
}

static void step(int rank, int n_ranks)
{
    int next = (rank + 1) % n_ranks, previous = (rank + n_ranks - 1) % n_ranks;
    int out = rank, in, flag;
    MPI_Request requests[3];
    MPI_Comm comm, half;

    MPI_Sendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, previous, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_split(comm, rank % 2, 0, &half);
    MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, half);
    MPI_Bcast(&in, 1, MPI_INT, 0, comm);
    MPI_Comm_free(&half);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int rank, n_ranks;

    tell(0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    tell(1);
    for (int i = 0; i < 100; i++)
        step(rank, n_ranks);
    tell(2);
    MPI_Finalize();
    return 0;
}
