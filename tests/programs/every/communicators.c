// SPDX-License-Identifier: BSD-3-Clause
/* Communicators of every origin, intercommunicators and collective operations on them. */
#include "every.h"

enum { MAX = 64 };

/* Its first rank sends to its last one. */
static void use(MPI_Comm comm, int wanted_size)
{
    int size = -1, own = -1, sum = 0, one = 1;

    TRY(MPI_Comm_size, comm, &size);
    TRY(MPI_Comm_rank, comm, &own);
    EQUAL(size, wanted_size);
    if (size > 1 && own == 0)
        TRY(MPI_Send, &one, 1, MPI_INT, size - 1, 2, comm);
    if (size > 1 && own == size - 1)
        TRY(MPI_Recv, &one, 1, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE);
    TRY(MPI_Allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, comm);
    EQUAL(sum, size);
    TRY(MPI_Comm_free, &comm);
    EQUAL(comm == MPI_COMM_NULL, true);
}

static void copies(void)
{
    MPI_Comm comm;
    int relation = -1;

    TRY(MPI_Comm_dup, MPI_COMM_WORLD, &comm);
    TRY(MPI_Comm_compare, comm, MPI_COMM_WORLD, &relation);
    EQUAL(relation, MPI_CONGRUENT);
    use(comm, n_ranks);
    TRY(MPI_Comm_dup_with_info, MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    use(comm, n_ranks);
    TRY(MPI_Comm_dup, MPI_COMM_SELF, &comm);
    TRY(MPI_Barrier, comm);
    TRY(MPI_Barrier, MPI_COMM_SELF);
    use(comm, 1);
}

/* Two duplicates at once, completed in one order by even ranks and in the other by odd ones. */
static void copies_in_flight(void)
{
    MPI_Comm comms[2];
    MPI_Request requests[2];

    TRY(MPI_Comm_idup, MPI_COMM_WORLD, &comms[0], &requests[0]);
#ifdef HAVE_MPI_Comm_idup_with_info
    TRY(MPI_Comm_idup_with_info, MPI_COMM_WORLD, MPI_INFO_NULL, &comms[1], &requests[1]);
#else
    TRY(MPI_Comm_idup, MPI_COMM_WORLD, &comms[1], &requests[1]);
#endif
    TRY(MPI_Wait, &requests[rank % 2], MPI_STATUS_IGNORE);
    TRY(MPI_Wait, &requests[1 - rank % 2], MPI_STATUS_IGNORE);
    TRY(MPI_Comm_set_name, comms[0], "idup-first");
    TRY(MPI_Comm_set_name, comms[1], "idup-second");
    use(comms[1], n_ranks);
    use(comms[0], n_ranks);
}

static void parts(void)
{
    MPI_Comm comm;
    MPI_Group world, group;
    const int members[1] = {0};

    TRY(MPI_Comm_split, MPI_COMM_WORLD, rank % 2, -rank, &comm);
    use(comm, (n_ranks + 1 - rank % 2) / 2);
    TRY(MPI_Comm_split, MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &comm);
    EQUAL(comm == MPI_COMM_NULL, rank == 0);
    if (rank > 0)
        use(comm, n_ranks - 1);
    TRY(MPI_Comm_split_type, MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    use(comm, n_ranks);
    TRY(MPI_Comm_group, MPI_COMM_WORLD, &world);
    TRY(MPI_Group_excl, world, 1, members, &group);
    TRY(MPI_Comm_create, MPI_COMM_WORLD, group, &comm);
    EQUAL(comm == MPI_COMM_NULL, rank == 0);
    if (rank > 0) {
        use(comm, n_ranks - 1);
        TRY(MPI_Comm_create_group, MPI_COMM_WORLD, group, 5, &comm);
        use(comm, n_ranks - 1);
    }
    TRY(MPI_Group_free, &group);
    TRY(MPI_Group_free, &world);
}

static void names_and_info(void)
{
    MPI_Comm comm;
    MPI_Info info;
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;

    TRY(MPI_Comm_get_name, MPI_COMM_WORLD, name, &length);
    EQUAL_TEXT(name, "MPI_COMM_WORLD");
    TRY(MPI_Comm_dup, MPI_COMM_WORLD, &comm);
    TRY(MPI_Comm_set_name, comm, "every's own");
    TRY(MPI_Comm_get_name, comm, name, &length);
    EQUAL_TEXT(name, "every's own");
    EQUAL(length, strlen(name));
    TRY(MPI_Info_create, &info);
    TRY(MPI_Info_set, info, "mpi_assert_no_any_tag", "false");
    TRY(MPI_Comm_set_info, comm, info);
    TRY(MPI_Info_free, &info);
    TRY(MPI_Comm_get_info, comm, &info);
    TRY(MPI_Info_free, &info);
    TRY(MPI_Comm_disconnect, &comm);
    EQUAL(comm == MPI_COMM_NULL, true);
}

/* Rank 0 against all others; of these rank 2 is the root, or 1. Each collective operation. */
static void between_groups(MPI_Comm inter)
{
    int root_of_others = n_ranks > 2, is_root = rank == root_of_others + 1;
    int n_remote = rank == 0 ? n_ranks - 1 : 1, remote_size = -1, is_inter = 0, value = -1;
    int root = rank == 0 ? root_of_others : is_root ? MPI_ROOT : MPI_PROC_NULL;
    int out[MAX], in[2 * MAX], counts[MAX], places[MAX], byte_places[MAX];
    MPI_Datatype t = MPI_INT, types[MAX];
    MPI_Group remote;
    MPI_Comm merged;

    for (int i = 0; i < MAX; i++) {
        out[i] = rank;
        counts[i] = 1;
        places[i] = i;
        byte_places[i] = i * (int)sizeof(int);
        types[i] = t;
    }
    TRY(MPI_Comm_test_inter, inter, &is_inter);
    EQUAL(is_inter, true);
    TRY(MPI_Comm_remote_size, inter, &remote_size);
    EQUAL(remote_size, n_remote);
    TRY(MPI_Comm_remote_group, inter, &remote);
    TRY(MPI_Group_free, &remote);
    TRY(MPI_Barrier, inter);
    TRY(MPI_Bcast, out, 2, t, root, inter);
    EQUAL(out[1], rank == 0 ? root_of_others + 1 : rank);
    out[0] = out[1] = rank;
    TRY(MPI_Gather, out, 2, t, in, 2, t, root, inter);
    TRY(MPI_Gatherv, out, 1, t, in, counts, places, t, root, inter);
    EQUAL(is_root && in[0] != 0, false);
    TRY(MPI_Scatter, out, 2, t, in, 2, t, root, inter);
    TRY(MPI_Scatterv, out, counts, places, t, in, 1, t, root, inter);
    TRY(MPI_Reduce, out, in, 2, t, MPI_SUM, root, inter);
    TRY(MPI_Allgather, out, 2, t, in, 2, t, inter);
    EQUAL(in[2 * n_remote - 1], rank == 0 ? n_ranks - 1 : 0);
    TRY(MPI_Allgatherv, out, 1, t, in, counts, places, t, inter);
    TRY(MPI_Alltoall, out, 2, t, in, 2, t, inter);
    TRY(MPI_Alltoallv, out, counts, places, t, in, counts, places, t, inter);
    TRY(MPI_Alltoallw, out, counts, byte_places, types, in, counts, byte_places, types, inter);
    TRY(MPI_Allreduce, &rank, &value, 1, t, MPI_SUM, inter);
    EQUAL(value, rank == 0 ? n_ranks * (n_ranks - 1) / 2 : 0);
    TRY(MPI_Reduce_scatter_block, out, in, rank == 0 ? n_remote : 1, t, MPI_SUM, inter);
    if (rank == 0) {
        TRY(MPI_Send, &rank, 1, MPI_INT, 0, 3, inter);
    } else if (rank == 1) {
        TRY(MPI_Recv, &value, 1, MPI_INT, 0, 3, inter, MPI_STATUS_IGNORE);
        EQUAL(value, 0);
    }
    TRY(MPI_Intercomm_merge, inter, rank != 0, &merged);
    use(merged, n_ranks);
}

static void intercommunicators(void)
{
    MPI_Comm local, inter, copy;

    TRY(MPI_Comm_split, MPI_COMM_WORLD, rank == 0, rank, &local);
    TRY(MPI_Intercomm_create, local, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 9, &inter);
    TRY(MPI_Comm_dup, inter, &copy);
    between_groups(inter);
    between_groups(copy);
    TRY(MPI_Comm_free, &copy);
    TRY(MPI_Comm_free, &inter);
    TRY(MPI_Comm_free, &local);
}

CHAPTER(communicators)
{
    copies();
    copies_in_flight();
    parts();
    names_and_info();
    intercommunicators();
}
