// SPDX-License-Identifier: BSD-3-Clause
/* The environment: versions, clocks, memory, threads, profiling control. */
#include "every.h"

CHAPTER(environment)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = -1, version = -1, subversion = -1, flag = -1, level = -1;
    double begin, end;
    int *memory = NULL;

    TRY(MPI_Initialized, &flag);
    EQUAL(flag, true);
    TRY(MPI_Finalized, &flag);
    EQUAL(flag, false);
    TRY(MPI_Query_thread, &level);
    say("thread level %d", level);
    TRY(MPI_Is_thread_main, &flag);
    EQUAL(flag, true);
    TRY(MPI_Get_version, &version, &subversion);
    EQUAL(version, MPI_VERSION);
    EQUAL(subversion, MPI_SUBVERSION);
    TRY(MPI_Get_library_version, text, &length);
    EQUAL(length > 0, true);
    TRY(MPI_Get_processor_name, text, &length);
    EQUAL(length, strlen(text));
    begin = MPI_Wtime();
    end = MPI_Wtime();
    EQUAL(end >= begin, true);
    EQUAL(MPI_Wtick() > 0, true);
    TRY(MPI_Alloc_mem, 1000 * sizeof(int), MPI_INFO_NULL, &memory);
    memory[999] = 1;
    TRY(MPI_Free_mem, memory);
    TRY(MPI_Pcontrol, 0);
    TRY(MPI_Pcontrol, 1, "every", 2);
    TRY(MPI_Pcontrol, 2);
    TRY(MPI_Pcontrol, -1);
    TRY(MPI_Pcontrol, 1);
#ifdef HAVE_MPIX_Query_cuda_support
    say("accelerators: %d", MPIX_Query_cuda_support());
#endif
#ifdef HAVE_MPIX_Query_hip_support
    say("others: %d %d", MPIX_Query_hip_support(), MPIX_Query_ze_support());
#endif
#ifdef HAVE_MPIX_GPU_query_support
    TRY(MPIX_GPU_query_support, MPIX_GPU_SUPPORT_CUDA, &flag);
#endif
}
