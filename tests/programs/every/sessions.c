// SPDX-License-Identifier: BSD-3-Clause
/* Sessions beside MPI_Init. */
#include "every.h"

#ifdef HAVE_MPI_Session_init
static int n_called;

static void on_session(MPI_Session *session, int *error, ...)
{
    (void)session, (void)error;
    n_called++;
}

static void between_groups(MPI_Group world)
{
    int first_end = n_ranks / 2, is_low = rank < first_end, size = -1;
    int low[1][3] = {{0, first_end - 1, 1}}, high[1][3] = {{first_end, n_ranks - 1, 1}};
    MPI_Group local, remote;
    MPI_Comm inter;

    TRY(MPI_Group_range_incl, world, 1, is_low ? low : high, &local);
    TRY(MPI_Group_range_incl, world, 1, is_low ? high : low, &remote);
    TRY(MPI_Intercomm_create_from_groups, local, 0, remote, 0, "every:inter", MPI_INFO_NULL,
        MPI_ERRORS_RETURN, &inter);
    TRY(MPI_Comm_remote_size, inter, &size);
    EQUAL(size, is_low ? n_ranks - first_end : first_end);
    TRY(MPI_Comm_free, &inter);
    TRY(MPI_Group_free, &local);
    TRY(MPI_Group_free, &remote);
}

CHAPTER(sessions)
{
    MPI_Session session;
    MPI_Errhandler handler, found;
    MPI_Group world;
    MPI_Comm comm;
    MPI_Info info;
    char name[MPI_MAX_PSET_NAME_LEN] = "", size_text[16] = "";
    int n = -1, length = sizeof name, sum = -1, flag = 0;

    TRY(MPI_Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    TRY(MPI_Session_create_errhandler, on_session, &handler);
    TRY(MPI_Session_set_errhandler, session, handler);
    TRY(MPI_Session_get_errhandler, session, &found);
    TRY(MPI_Errhandler_free, &found);
    TRY(MPI_Session_call_errhandler, session, MPI_ERR_OTHER);
    EQUAL(n_called, 1);
    TRY(MPI_Session_get_num_psets, session, MPI_INFO_NULL, &n);
    TRY(MPI_Session_get_nth_pset, session, MPI_INFO_NULL, 0, &length, name);
    say("%d sets of processes, the first is %s", n, name);
    TRY(MPI_Session_get_pset_info, session, "mpi://WORLD", &info);
    length = sizeof size_text;
    TRY(MPI_Info_get_string, info, "mpi_size", &length, size_text, &flag);
    EQUAL(atoi(size_text), n_ranks);
    TRY(MPI_Info_free, &info);
    TRY(MPI_Session_get_info, session, &info);
    TRY(MPI_Info_free, &info);
    TRY(MPI_Group_from_session_pset, session, "mpi://WORLD", &world);
    TRY(MPI_Comm_create_from_group, world, "every:1", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    TRY(MPI_Allreduce, &rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    EQUAL(sum, n_ranks * (n_ranks - 1) / 2);
    TRY(MPI_Comm_free, &comm);
    between_groups(world);
    TRY(MPI_Group_free, &world);
    TRY(MPI_Errhandler_free, &handler);
    TRY(MPI_Session_finalize, &session);
}
#endif
