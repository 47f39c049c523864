// SPDX-License-Identifier: BSD-3-Clause
/*
 * MPI sessions only, no MPI_Init: two at the same time. Prints
 * "sessions ok". For the tests of the tracer.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#ifdef MPI_SESSION_NULL
static MPI_Comm communicator(MPI_Session session, const char *name)
{
    MPI_Group group;
    MPI_Comm comm;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

/* The last rank says that it receives next, and rank 0 sends 50 ms later. */
static int compute(MPI_Comm comm)
{
    int rank, n_ranks, value = 7, sum = 0;
    MPI_Comm half;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    MPI_Comm_split(comm, rank % 2, rank, &half);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
    MPI_Barrier(comm);
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_INT, n_ranks - 1, 4, comm, MPI_STATUS_IGNORE);
        usleep(50000);
        MPI_Send(&value, 1, MPI_INT, n_ranks - 1, 5, comm);
    } else if (rank == n_ranks - 1) {
        MPI_Send(NULL, 0, MPI_INT, 0, 4, comm);
        MPI_Recv(&value, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    return rank == 0 && sum == 7 * n_ranks;
}

int main(void)
{
    MPI_Session first, second;
    int is_right;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    is_right = compute(communicator(first, "first"));
    MPI_Session_finalize(&first);
    is_right += compute(communicator(second, "second"));
    MPI_Session_finalize(&second);
    if (is_right == 2)
        puts("sessions ok");
    return 0;
}
#else
int main(void)
{
    return 77; /* this MPI has none */
}
#endif
