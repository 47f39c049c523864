// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every collective operation once, with 2 doubles (16 bytes) from or for each rank; then some in
 * place and some nonblocking; prints "coll ok". For the tests of the tracer.
 */
#include <mpi.h>
#include <stdio.h>

/* MPICH's header calls MPI_STATUSES_IGNORE an array that is too short. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"

enum { MAX_RANKS = 64, N = 2 };

static int rank, n_ranks;
static double out[N * MAX_RANKS], in[N * MAX_RANKS];
static int counts[MAX_RANKS], places[MAX_RANKS], byte_places[MAX_RANKS];
static MPI_Datatype types[MAX_RANKS];

static void rooted(MPI_Comm comm)
{
    MPI_Bcast(out, N, MPI_DOUBLE, 1, comm);
    MPI_Gather(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, 0, comm);
    MPI_Gatherv(out, N, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, 0, comm);
    MPI_Scatter(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, 0, comm);
    MPI_Scatterv(out, counts, places, MPI_DOUBLE, in, N, MPI_DOUBLE, 0, comm);
    MPI_Reduce(out, in, N, MPI_DOUBLE, MPI_SUM, 0, comm);
}

static void symmetric(MPI_Comm comm)
{
    MPI_Barrier(comm);
    MPI_Allgather(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, comm);
    MPI_Allgatherv(out, N, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, comm);
    MPI_Alltoall(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, comm);
    MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, comm);
    MPI_Alltoallw(out, counts, byte_places, types, in, counts, byte_places, types, comm);
    MPI_Allreduce(out, in, N, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Reduce_scatter_block(out, in, N, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Scan(out, in, N, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Exscan(out, in, N, MPI_DOUBLE, MPI_SUM, comm);
}

static void in_place(MPI_Comm comm)
{
    MPI_Allreduce(MPI_IN_PLACE, in, N, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, N, MPI_DOUBLE, comm);
    if (rank == 0)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, N, MPI_DOUBLE, 0, comm);
    else
        MPI_Gather(out, N, MPI_DOUBLE, NULL, 0, MPI_DATATYPE_NULL, 0, comm);
    if (rank == 0)
        MPI_Scatter(out, N, MPI_DOUBLE, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, comm);
    else
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, in, N, MPI_DOUBLE, 0, comm);
}

static void nonblocking(MPI_Comm comm)
{
    MPI_Request requests[4];

    MPI_Ibarrier(comm, &requests[0]);
    MPI_Ibcast(out, N, MPI_DOUBLE, 1, comm, &requests[1]);
    MPI_Iallreduce(MPI_IN_PLACE, in, N, MPI_DOUBLE, MPI_MAX, comm, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    for (int i = 0; i < n_ranks; i++) {
        counts[i] = N;
        places[i] = N * i;
        byte_places[i] = N * i * (int)sizeof(double);
        types[i] = MPI_DOUBLE;
    }
    rooted(MPI_COMM_WORLD);
    symmetric(MPI_COMM_WORLD);
    in_place(MPI_COMM_WORLD);
    nonblocking(MPI_COMM_WORLD);
    if (rank == 0)
        printf("coll ok\n");
    MPI_Finalize();
    return 0;
}
