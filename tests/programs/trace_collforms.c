// SPDX-License-Identifier: BSD-3-Clause
/*
 * Collective operations in their rarer forms, on 4 ranks: persistent ones, some started twice,
 * mixed with a persistent message; counts of which some are zero; MPI_IN_PLACE in all operations
 * that allow it; every operation on an intercommunicator of 1 and 3 ranks. Prints "collforms ok".
 * For the tests of the tracer.
 */
#include <mpi.h>
#include <stdio.h>

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name##_init
#else
#define PERSISTENT(name) MPI_##name##_init
#endif

/* MPICH's header calls MPI_STATUSES_IGNORE an array that is too short. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"

enum { N_RANKS = 4, N_PERSISTENT = 17, N_AGAIN = 4 };

static int rank, errors;
static int out[64], in[64];
static int ones[N_RANKS] = {1, 1, 1, 1}, places[N_RANKS] = {0, 1, 2, 3};
static int byte_places[N_RANKS] = {0, 4, 8, 12};
static MPI_Datatype types[N_RANKS];

static void expect(int value, int wanted, const char *what)
{
    if (value != wanted) {
        fprintf(stderr, "rank %d: %s is %d, not %d\n", rank, what, value, wanted);
        errors++;
    }
}

static void persistent(MPI_Comm c)
{
    MPI_Request r[N_PERSISTENT + 2];
    MPI_Info none = MPI_INFO_NULL;
    MPI_Datatype t = MPI_INT;
    int n = 0, sum = -1;

    PERSISTENT(Barrier)(c, none, &r[n++]);
    PERSISTENT(Bcast)(out, 1, t, 1, c, none, &r[n++]);
    PERSISTENT(Gather)(out, 1, t, in, 1, t, 0, c, none, &r[n++]);
    PERSISTENT(Gatherv)(out, 1, t, in, ones, places, t, 0, c, none, &r[n++]);
    PERSISTENT(Scatter)(out, 1, t, in, 1, t, 0, c, none, &r[n++]);
    PERSISTENT(Scatterv)(out, ones, places, t, in, 1, t, 0, c, none, &r[n++]);
    PERSISTENT(Allgather)(out, 1, t, in, 1, t, c, none, &r[n++]);
    PERSISTENT(Allgatherv)(out, 1, t, in, ones, places, t, c, none, &r[n++]);
    PERSISTENT(Alltoall)(out, 1, t, in, 1, t, c, none, &r[n++]);
    PERSISTENT(Alltoallv)(out, ones, places, t, in, ones, places, t, c, none, &r[n++]);
    PERSISTENT(Alltoallw)
    (out, ones, byte_places, types, in, ones, byte_places, types, c, none, &r[n++]);
    PERSISTENT(Allreduce)(&rank, &sum, 1, t, MPI_SUM, c, none, &r[n++]);
    PERSISTENT(Reduce)(out, in, 1, t, MPI_SUM, 0, c, none, &r[n++]);
    PERSISTENT(Reduce_scatter)(out, in, ones, t, MPI_SUM, c, none, &r[n++]);
    PERSISTENT(Reduce_scatter_block)(out, in, 1, t, MPI_SUM, c, none, &r[n++]);
    PERSISTENT(Scan)(out, in, 1, t, MPI_SUM, c, none, &r[n++]);
    PERSISTENT(Exscan)(out, in, 1, t, MPI_SUM, c, none, &r[n++]);
    for (int k = 0; k < 2; k++) {
        /* MPICH 4.0 fails where some of them are started again. */
        for (int i = 0; i < (k == 0 ? N_PERSISTENT : N_AGAIN); i++) {
            MPI_Start(&r[i]);
            MPI_Wait(&r[i], MPI_STATUS_IGNORE);
        }
    }
    expect(sum, 6, "persistent sum");
    /* One call starts an operation and a message in each direction. */
    MPI_Recv_init(&in[0], 1, t, (rank + 3) % 4, 1, c, &r[1]);
    MPI_Send_init(&rank, 1, t, (rank + 1) % 4, 1, c, &r[2]);
    MPI_Startall(3, r);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    expect(in[0], (rank + 3) % 4, "persistent message");
    for (int i = 0; i < N_PERSISTENT; i++)
        if (i != 1)
            MPI_Request_free(&r[i]);
}

/* Rank i gives i ints to everybody, so rank 0 none. */
static void some_zero(MPI_Comm c)
{
    int by_rank[N_RANKS] = {0, 1, 2, 3}, at[N_RANKS] = {0, 0, 1, 3}, own[N_RANKS], own_at[N_RANKS];
    int in_at[N_RANKS] = {0, 12, 16, 24}, zeros[N_RANKS] = {0, 0, 0, 0};
    MPI_Datatype t = MPI_INT;

    for (int i = 0; i < N_RANKS; i++) {
        own[i] = rank;
        own_at[i] = 0;
        in_at[i] = 4 * at[i];
    }
    MPI_Gatherv(out, rank, t, in, by_rank, at, t, 2, c);
    MPI_Scatterv(out, by_rank, at, t, in, rank, t, 2, c);
    MPI_Allgatherv(out, rank, t, in, by_rank, at, t, c);
    MPI_Alltoallv(out, own, own_at, t, in, by_rank, at, t, c);
    MPI_Alltoallw(out, own, own_at, types, in, by_rank, in_at, types, c);
    MPI_Reduce_scatter(out, in, by_rank, t, MPI_SUM, c);
    MPI_Alltoallv(out, zeros, at, t, in, zeros, at, t, c);
    MPI_Bcast(out, 0, t, 0, c);
}

static void in_place(MPI_Comm c)
{
    void *here = MPI_IN_PLACE;
    MPI_Datatype t = MPI_INT, none = MPI_DATATYPE_NULL;
    int is_root = rank == 0;

    MPI_Gatherv(is_root ? here : out, 1, t, in, ones, places, t, 0, c);
    MPI_Scatterv(out, ones, places, t, is_root ? here : in, 1, t, 0, c);
    MPI_Allgatherv(here, 0, none, in, ones, places, t, c);
    MPI_Alltoall(here, 0, none, in, 1, t, c);
    MPI_Alltoallv(here, NULL, NULL, none, in, ones, places, t, c);
    MPI_Alltoallw(here, NULL, NULL, NULL, in, ones, byte_places, types, c);
    MPI_Reduce(is_root ? here : out, in, 1, t, MPI_SUM, 0, c);
    MPI_Reduce_scatter(here, in, ones, t, MPI_SUM, c);
    MPI_Reduce_scatter_block(here, in, 1, t, MPI_SUM, c);
    MPI_Scan(here, in, 1, t, MPI_SUM, c);
    MPI_Exscan(here, in, 1, t, MPI_SUM, c);
}

/* Rank 0 on one side, 1 to 3 on the other; rank 2 of the world is the root where one is asked. */
static void between_groups(void)
{
    MPI_Comm side, c;
    MPI_Datatype t = MPI_INT;
    int n_others = rank == 0 ? 3 : 1;
    int root = rank == 0 ? 1 : rank == 2 ? MPI_ROOT : MPI_PROC_NULL;

    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 5, &c);
    MPI_Barrier(c);
    MPI_Bcast(out, 2, t, root, c);
    MPI_Gather(out, 2, t, in, 2, t, root, c);
    MPI_Gatherv(out, 1, t, in, ones, places, t, root, c);
    MPI_Scatter(out, 2, t, in, 2, t, root, c);
    MPI_Scatterv(out, ones, places, t, in, 1, t, root, c);
    MPI_Reduce(out, in, 2, t, MPI_SUM, root, c);
    MPI_Allgather(out, 2, t, in, 2, t, c);
    MPI_Allgatherv(out, 1, t, in, ones, places, t, c);
    MPI_Alltoall(out, 2, t, in, 2, t, c);
    MPI_Alltoallv(out, ones, places, t, in, ones, places, t, c);
    MPI_Alltoallw(out, ones, byte_places, types, in, ones, byte_places, types, c);
    MPI_Allreduce(&n_others, in, 1, t, MPI_SUM, c);
    expect(in[0], rank == 0 ? 3 : 3, "sum of the other group");
    MPI_Reduce_scatter_block(out, in, rank == 0 ? 3 : 1, t, MPI_SUM, c);
    MPI_Comm_free(&c);
    MPI_Comm_free(&side);
}

int main(int argc, char **argv)
{
    int all = 0, n_ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (n_ranks != N_RANKS) {
        if (rank == 0)
            fprintf(stderr, "trace_collforms: needs 4 ranks\n");
        MPI_Finalize();
        return 2;
    }
    for (int i = 0; i < N_RANKS; i++)
        types[i] = MPI_INT;
    persistent(MPI_COMM_WORLD);
    some_zero(MPI_COMM_WORLD);
    in_place(MPI_COMM_WORLD);
    between_groups();
    MPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("collforms %s\n", all == 0 ? "ok" : "wrong");
    MPI_Finalize();
    return errors > 0;
}
