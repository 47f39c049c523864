// SPDX-License-Identifier: BSD-3-Clause
/*
 * Communicators of every origin on 4 ranks, a message or barrier in each; prints "comm ok". For the
 * tests of the tracer.
 */
#include <mpi.h>
#include <stdio.h>

static int rank, n_ranks;

/* Rank 0 of the communicator sends 1 to its last rank. */
static void message(MPI_Comm comm, int tag)
{
    int own, n, value = 1;

    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &n);
    if (n > 1 && own == 0)
        MPI_Send(&value, 1, MPI_INT, n - 1, tag, comm);
    if (n > 1 && own == n - 1)
        MPI_Recv(&value, 1, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
}

static void split(void)
{
    MPI_Comm half, reversed, none;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_set_name(half, rank % 2 ? "odd" : "even");
    message(half, 1);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    message(reversed, 2);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &none);
    if (none != MPI_COMM_NULL) {
        message(none, 3);
        MPI_Comm_free(&none);
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&reversed);
}

static void duplicates(void)
{
    MPI_Comm first, second, own;

    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    message(second, 4);
    message(first, 5);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    MPI_Barrier(own);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Comm_free(&own);
}

static void groups(void)
{
    int members[] = {3, 1};
    MPI_Group world, pair;
    MPI_Comm comm, grid, row;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &pair);
    MPI_Comm_create(MPI_COMM_WORLD, pair, &comm);
    if (comm != MPI_COMM_NULL) {
        message(comm, 6);
        MPI_Comm_free(&comm);
    }
    if (rank == 1 || rank == 3) {
        MPI_Comm_create_group(MPI_COMM_WORLD, pair, 7, &comm);
        message(comm, 7);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&pair);
    MPI_Group_free(&world);
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){1, 1}, 0, &grid);
    MPI_Cart_sub(grid, (int[]){0, 1}, &row);
    message(row, 8);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
}

static void intercommunicator(void)
{
    MPI_Comm half, inter, merged;
    int value = 0;

    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 9, &inter);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 9, inter); /* to rank 3 */
    if (rank == 3)
        MPI_Recv(&value, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE);
    MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 0, inter);
    MPI_Intercomm_merge(inter, rank >= 2, &merged);
    message(merged, 10);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* Two duplicates at once, completed in one order by even ranks and in the other by odd ones. */
static void duplicates_in_flight(void)
{
    MPI_Comm comms[2];
    MPI_Request requests[2];

    MPI_Comm_idup(MPI_COMM_WORLD, &comms[0], &requests[0]);
#if MPI_VERSION >= 4
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comms[1], &requests[1]);
#else
    MPI_Comm_idup(MPI_COMM_WORLD, &comms[1], &requests[1]);
#endif
    MPI_Wait(&requests[rank % 2], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1 - rank % 2], MPI_STATUS_IGNORE);
    MPI_Comm_set_name(comms[0], "idup-first");
    MPI_Comm_set_name(comms[1], "idup-second");
    message(comms[1], 21);
    message(comms[0], 20);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
}

/* The other ways: 4 communicators, with MPI 4 one more. */
static void other_ways(void)
{
    MPI_Comm comm;
    int index[] = {1, 2, 3, 4}, edges[] = {1, 2, 3, 0};
    int from = (rank + 3) % 4, to = (rank + 1) % 4, weight = 1;

    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    MPI_Comm_set_name(comm, "dup-info");
    message(comm, 22);
    MPI_Comm_free(&comm);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    MPI_Comm_set_name(comm, "node");
    message(comm, 23);
    MPI_Comm_free(&comm);
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &comm);
    MPI_Comm_set_name(comm, "graph");
    message(comm, 24);
    MPI_Comm_free(&comm);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, &weight, 1, &to, &weight,
                                   MPI_INFO_NULL, 0, &comm);
    MPI_Comm_set_name(comm, "dist-graph");
    message(comm, 25);
    MPI_Comm_free(&comm);
#if MPI_VERSION >= 4
    MPI_Group world, group;
    int members[] = {2, 0};

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &group);
    if (rank == 0 || rank == 2) {
        MPI_Comm_create_from_group(group, "tag", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Comm_set_name(comm, "from-group");
        message(comm, 26);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
#endif
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (n_ranks != 4) {
        if (rank == 0)
            fprintf(stderr, "trace_comm: needs 4 ranks\n");
        MPI_Finalize();
        return 2;
    }
    split();
    duplicates();
    groups();
    intercommunicator();
    duplicates_in_flight();
    other_ways();
    for (int i = 0; i < 10; i++) {
        MPI_Comm brief;

        MPI_Comm_dup(MPI_COMM_WORLD, &brief);
        MPI_Comm_free(&brief);
    }
    if (rank == 0)
        printf("comm ok\n");
    MPI_Finalize();
    return 0;
}
