// SPDX-License-Identifier: BSD-3-Clause
/* Invalid arguments, null pointers and null handles, are the MPI's to refuse, and only its. */
#include "every.h"

CHAPTER(arguments)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm no_comm = MPI_COMM_NULL, comm;
    MPI_Datatype no_type = MPI_DATATYPE_NULL;
    MPI_Win no_win = MPI_WIN_NULL;
    MPI_Group no_group = MPI_GROUP_NULL;
    int value = 0, flag = 0, index = 0;

    ATTEMPT(MPI_Send, &value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    ATTEMPT(MPI_Send, &value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
    ATTEMPT(MPI_Send, &value, 1, MPI_INT, 0, 0, MPI_COMM_NULL);
    ATTEMPT(MPI_Recv, NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ATTEMPT(MPI_Sendrecv, &value, 1, MPI_INT, 0, -3, &value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD,
            MPI_STATUS_IGNORE);
    ATTEMPT(MPI_Isend, &value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL);
    ATTEMPT(MPI_Wait, NULL, MPI_STATUS_IGNORE);
    ATTEMPT(MPI_Test, NULL, &flag, MPI_STATUS_IGNORE);
    ATTEMPT(MPI_Test, &request, NULL, MPI_STATUS_IGNORE);
    ATTEMPT(MPI_Waitall, -1, &request, MPI_STATUSES_IGNORE);
    ATTEMPT(MPI_Waitall, 1, NULL, MPI_STATUSES_IGNORE);
    ATTEMPT(MPI_Testall, 1, NULL, &flag, MPI_STATUSES_IGNORE);
    ATTEMPT(MPI_Testall, 1, &request, NULL, MPI_STATUSES_IGNORE);
    ATTEMPT(MPI_Waitany, 1, NULL, &index, MPI_STATUS_IGNORE);
    ATTEMPT(MPI_Waitany, 1, &request, NULL, MPI_STATUS_IGNORE);
    ATTEMPT(MPI_Testany, 1, NULL, &index, &flag, MPI_STATUS_IGNORE);
    ATTEMPT(MPI_Testany, 1, &request, NULL, &flag, MPI_STATUS_IGNORE);
    ATTEMPT(MPI_Waitsome, 1, NULL, &flag, &index, MPI_STATUSES_IGNORE);
    ATTEMPT(MPI_Waitsome, 1, &request, NULL, &index, MPI_STATUSES_IGNORE);
    ATTEMPT(MPI_Testsome, 1, NULL, &flag, &index, MPI_STATUSES_IGNORE);
    ATTEMPT(MPI_Testsome, 1, &request, NULL, &index, MPI_STATUSES_IGNORE);
    ATTEMPT(MPI_Iprobe, n_ranks + 1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    ATTEMPT(MPI_Start, &request);
    ATTEMPT(MPI_Start, NULL);
    ATTEMPT(MPI_Startall, -1, &request);
    ATTEMPT(MPI_Request_free, &request);
    ATTEMPT(MPI_Request_free, NULL);
    ATTEMPT(MPI_Cancel, &request);
    ATTEMPT(MPI_Cancel, NULL);
    ATTEMPT(MPI_Bcast, &value, 1, MPI_INT, 0, MPI_COMM_NULL);
    ATTEMPT(MPI_Bcast, &value, 1, no_type, 0, MPI_COMM_WORLD);
    ATTEMPT(MPI_Gatherv, &value, 1, MPI_INT, &value, NULL, NULL, MPI_INT, -2, MPI_COMM_WORLD);
    ATTEMPT(MPI_Allreduce, &value, &value, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD);
    ATTEMPT(MPI_Comm_dup, no_comm, &comm);
    ATTEMPT(MPI_Comm_dup, MPI_COMM_WORLD, NULL);
    ATTEMPT(MPI_Comm_split, MPI_COMM_WORLD, -17, 0, &comm);
    ATTEMPT(MPI_Comm_free, &no_comm);
#ifdef MPICH_VERSION /* Open MPI crashes */
    ATTEMPT(MPI_Comm_free, NULL);
#endif
    ATTEMPT(MPI_Comm_disconnect, &no_comm);
    comm = MPI_COMM_WORLD;
    ATTEMPT(MPI_Comm_free, &comm);
    ATTEMPT(MPI_Comm_set_name, no_comm, "x");
    ATTEMPT(MPI_Comm_rank, no_comm, &value);
    ATTEMPT(MPI_Comm_rank, MPI_COMM_WORLD, NULL);
    ATTEMPT(MPI_Type_free, &no_type);
    ATTEMPT(MPI_Win_fence, 0, no_win);
    ATTEMPT(MPI_Group_size, no_group, &value);
    MPI_Barrier(MPI_COMM_WORLD);
}
