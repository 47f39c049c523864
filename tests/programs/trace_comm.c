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
    for (int i = 0; i < 500; i++) {
        MPI_Comm brief;

        MPI_Comm_dup(MPI_COMM_WORLD, &brief);
        MPI_Comm_free(&brief);
    }
    if (rank == 0)
        printf("comm ok\n");
    MPI_Finalize();
    return 0;
}
