// SPDX-License-Identifier: BSD-3-Clause
/* Handles and statuses from C to Fortran and back. In MPICH most are macros, or C's own numbers. */
#include "every.h"

#define ROUND_TRIP(kind, c_type, handle)                                                           \
    do {                                                                                           \
        c_type before = (handle);                                                                  \
        EQUAL(MPI_##kind##_f2c(MPI_##kind##_c2f(before)) == before, true);                         \
    } while (0)

CHAPTER(handles)
{
    MPI_Status status, copy;
    MPI_Fint fortran[sizeof(MPI_Status) / sizeof(MPI_Fint) + 8];
    MPI_Request request;
    MPI_Group group;
    MPI_Info info;
    MPI_Win win;
    MPI_Message message;
    MPI_File file;
    int value = rank, got = -1;

    TRY(MPI_Comm_group, MPI_COMM_WORLD, &group);
    TRY(MPI_Info_create, &info);
    TRY(MPI_Win_create, NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    TRY(MPI_File_open, MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    TRY(MPI_Isend, &value, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &request);
    TRY(MPI_Mprobe, rank, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    ROUND_TRIP(Comm, MPI_Comm, MPI_COMM_WORLD);
    ROUND_TRIP(Errhandler, MPI_Errhandler, MPI_ERRORS_RETURN);
    ROUND_TRIP(File, MPI_File, file);
    ROUND_TRIP(Group, MPI_Group, group);
    ROUND_TRIP(Info, MPI_Info, info);
    ROUND_TRIP(Message, MPI_Message, message);
    ROUND_TRIP(Op, MPI_Op, MPI_SUM);
    ROUND_TRIP(Request, MPI_Request, request);
    ROUND_TRIP(Type, MPI_Datatype, MPI_INT);
    ROUND_TRIP(Win, MPI_Win, win);
    TRY(MPI_Mrecv, &got, 1, MPI_INT, &message, &status);
    TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    EQUAL(got, rank);
    memset(&copy, 0, sizeof copy);
    TRY(MPI_Status_c2f, &status, fortran);
    TRY(MPI_Status_f2c, fortran, &copy);
    EQUAL(copy.MPI_SOURCE, status.MPI_SOURCE);
    EQUAL(copy.MPI_TAG, status.MPI_TAG);
    TRY(MPI_Group_free, &group);
    TRY(MPI_Info_free, &info);
    TRY(MPI_Win_free, &win);
    TRY(MPI_File_close, &file);
}
