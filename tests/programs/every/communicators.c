// SPDX-License-Identifier: BSD-3-Clause
/* Communicators of every origin, intercommunicators and collective operations on them. */
#include "every.h"

static void use(MPI_Comm comm, int wanted_size)
{
    int size = -1, sum = 0, one = 1;

    TRY(MPI_Comm_size, comm, &size);
    EQUAL(size, wanted_size);
    TRY(MPI_Allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, comm);
    EQUAL(sum, size);
    TRY(MPI_Comm_free, &comm);
    EQUAL(comm == MPI_COMM_NULL, true);
}

static void copies(void)
{
    MPI_Comm comm;
    MPI_Request request;
    int relation = -1;

    TRY(MPI_Comm_dup, MPI_COMM_WORLD, &comm);
    TRY(MPI_Comm_compare, comm, MPI_COMM_WORLD, &relation);
    EQUAL(relation, MPI_CONGRUENT);
    use(comm, n_ranks);
    TRY(MPI_Comm_dup_with_info, MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    use(comm, n_ranks);
    TRY(MPI_Comm_idup, MPI_COMM_WORLD, &comm, &request);
    TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    use(comm, n_ranks);
#ifdef HAVE_MPI_Comm_idup_with_info
    TRY(MPI_Comm_idup_with_info, MPI_COMM_WORLD, MPI_INFO_NULL, &comm, &request);
    TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    use(comm, n_ranks);
#endif
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

/* Rank 0 against all others. */
static void between_groups(MPI_Comm inter)
{
    int remote_size = -1, is_inter = 0, value = rank, sum = -1, all[64];
    int n_remote = rank == 0 ? n_ranks - 1 : 1;
    int root = rank == 0 ? MPI_ROOT : 0;
    MPI_Group remote;
    MPI_Comm merged;

    TRY(MPI_Comm_test_inter, inter, &is_inter);
    EQUAL(is_inter, true);
    TRY(MPI_Comm_remote_size, inter, &remote_size);
    EQUAL(remote_size, n_remote);
    TRY(MPI_Comm_remote_group, inter, &remote);
    TRY(MPI_Group_free, &remote);
    TRY(MPI_Barrier, inter);
    value = rank == 0 ? 77 : -1;
    TRY(MPI_Bcast, &value, 1, MPI_INT, root, inter);
    EQUAL(value, 77);
    TRY(MPI_Allgather, &rank, 1, MPI_INT, all, 1, MPI_INT, inter);
    EQUAL(all[n_remote - 1], rank == 0 ? n_ranks - 1 : 0);
    TRY(MPI_Allreduce, &rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    EQUAL(sum, rank == 0 ? n_ranks * (n_ranks - 1) / 2 : 0);
    TRY(MPI_Gather, rank == 0 ? NULL : &rank, 1, MPI_INT, rank == 0 ? all : NULL, 1, MPI_INT, root,
        inter);
    if (rank == 0) {
        EQUAL(all[0], 1);
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
    parts();
    names_and_info();
    intercommunicators();
}
