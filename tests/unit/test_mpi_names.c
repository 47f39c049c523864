// SPDX-License-Identifier: BSD-3-Clause
// What region names say about MPI functions: C, Fortran and PMPI spellings, and users' functions
// that only look like them.

#include <string.h>

#include "analyzer/trace/definitions.h"
#include "tests/unit/unit_test.h"

TEST(test_names_with_mpi_paradigm)
{
    static const struct {
        enum mpi_function function;
        const char *names;
    } cases[] = {
        {MPI_FUNCTION_INIT, "MPI_Init MPI_Init_thread mpi_init_ MPI_INIT_THREAD PMPI_Init"},
        {MPI_FUNCTION_OTHER,
         "MPI_Initialized MPI_Finalized MPI_Bsend MPI_Send_init MPI_Bcast mpi_ "
         "MPI_An_extension_with_a_name_that_is_longer_than_any_function_of_the_standard_is"},
        {MPI_FUNCTION_FINALIZE, "MPI_Finalize mpi_finalize_f08_"},
        {MPI_FUNCTION_TEST,
         "MPI_Test MPI_Testall mpi_testsome__ MPI_Request_get_status MPI_Request_get_status_any "
         "MPI_Win_test"},
        {MPI_FUNCTION_IPROBE, "MPI_Iprobe pmpi_improbe_f08_"},
        {MPI_FUNCTION_PROBE, "MPI_Probe mpi_mprobe_"},
        {MPI_FUNCTION_WIN_POST, "MPI_Win_post"},
        {MPI_FUNCTION_WIN_START, "mpi_win_start_"},
        {MPI_FUNCTION_WIN_COMPLETE, "PMPI_Win_complete"},
        {MPI_FUNCTION_WIN_WAIT, "mpi_win_wait_f08_"},
        {MPI_FUNCTION_SYNCHRONOUS_SEND, "MPI_Ssend MPI_Ssend_c MPI_Ssend_init mpi_issend_f08ts_"},
        {MPI_FUNCTION_FILE, "MPI_File_write_at mpi_file_sync_"},
        {MPI_FUNCTION_STANDARD_SEND, "MPI_Send pmpi_isend_f08_ MPI_Sendrecv_replace"},
    };
    char name[100];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (const char *at = cases[i].names; sscanf(at, "%99s", name) == 1;
             at += strspn(at, " ") + strlen(name))
            assert_int_equal(mpi_function_of_name(name, true), cases[i].function);
    assert_int_equal(mpi_function_of_name("something else", true), MPI_FUNCTION_OTHER);
    assert_int_equal(mpi_function_of_name("", true), MPI_FUNCTION_OTHER);
}

TEST(test_names_without_mpi_paradigm)
{
    assert_int_equal(mpi_function_of_name("MPI_Recv", false), MPI_FUNCTION_OTHER);
    assert_int_equal(mpi_function_of_name("PMPI_Finalize", false), MPI_FUNCTION_FINALIZE);
    assert_int_equal(mpi_function_of_name("MPI_Test", false), MPI_FUNCTION_TEST);
    assert_int_equal(mpi_function_of_name("mpi_setup_", false), MPI_FUNCTION_NONE);
    assert_int_equal(mpi_function_of_name("MPI_setup", false), MPI_FUNCTION_NONE);
    assert_int_equal(mpi_function_of_name("MPI_", false), MPI_FUNCTION_NONE);
    assert_int_equal(mpi_function_of_name("MPI", false), MPI_FUNCTION_NONE);
    assert_int_equal(mpi_function_of_name("", false), MPI_FUNCTION_NONE);
    assert_int_equal(mpi_function_of_name("main", false), MPI_FUNCTION_NONE);
}

TEST(test_classes)
{
    static const struct {
        enum mpi_class class_;
        const char *names;
    } cases[] = {
        {MPI_CLASS_START_END, "MPI_Init MPI_Init_thread mpi_finalize_f08_"},
        {MPI_CLASS_MANAGEMENT,
         "MPI_Finalized MPI_Initialized MPI_Info_get MPI_Intercomm_merge MPI_Test_cancelled "
         "MPI_Reduce_local MPI_Get_count MPI_Win_create MPI_Win_free MPI_Comm_split "
         "MPI_Type_commit"},
        {MPI_CLASS_POINT_TO_POINT,
         "MPI_Isend MPI_Issend MPI_Improbe MPI_Send_init mpi_recv_ MPI_Startall MPI_Waitsome"},
        {MPI_CLASS_COLLECTIVE,
         "MPI_Ibarrier MPI_Ireduce_scatter_block MPI_Allreduce_init MPI_Ineighbor_alltoallw"},
        {MPI_CLASS_RMA, "MPI_Put MPI_Rget_accumulate MPI_Get"},
        {MPI_CLASS_RMA_SYNCHRONISATION, "MPI_Win_lock_all MPI_Win_flush_local MPI_Win_fence"},
        {MPI_CLASS_FILE, "MPI_File_iwrite_all"},
    };
    char name[100];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (const char *at = cases[i].names; sscanf(at, "%99s", name) == 1;
             at += strspn(at, " ") + strlen(name))
            if (mpi_class_of_name(name) != cases[i].class_)
                fail_msg("%s is of class %d", name, (int)mpi_class_of_name(name));
}
