// SPDX-License-Identifier: BSD-3-Clause
// What region names say about MPI functions: C, Fortran and PMPI spellings, and users' functions
// that only look like them.

#include "analyzer/trace/definitions.h"
#include "tests/unit/unit_test.h"

TEST(test_names_with_mpi_paradigm)
{
    static const struct {
        const char *name;
        enum mpi_function function;
    } cases[] = {
        {"MPI_Init", MPI_FUNCTION_INIT},
        {"MPI_Init_thread", MPI_FUNCTION_INIT},
        {"mpi_init_", MPI_FUNCTION_INIT},
        {"MPI_INIT_THREAD", MPI_FUNCTION_INIT},
        {"PMPI_Init", MPI_FUNCTION_INIT},
        {"MPI_Initialized", MPI_FUNCTION_OTHER},
        {"MPI_Finalize", MPI_FUNCTION_FINALIZE},
        {"mpi_finalize_f08_", MPI_FUNCTION_FINALIZE},
        {"MPI_Finalized", MPI_FUNCTION_OTHER},
        {"MPI_Test", MPI_FUNCTION_TEST},
        {"MPI_Testall", MPI_FUNCTION_TEST},
        {"mpi_testsome__", MPI_FUNCTION_TEST},
        {"MPI_Iprobe", MPI_FUNCTION_IPROBE},
        {"MPI_Probe", MPI_FUNCTION_PROBE},
        {"mpi_mprobe_", MPI_FUNCTION_PROBE},
        {"pmpi_improbe_f08_", MPI_FUNCTION_IPROBE},
        {"MPI_Request_get_status", MPI_FUNCTION_TEST},
        {"MPI_Request_get_status_any", MPI_FUNCTION_TEST},
        {"MPI_Win_post", MPI_FUNCTION_WIN_POST},
        {"mpi_win_start_", MPI_FUNCTION_WIN_START},
        {"PMPI_Win_complete", MPI_FUNCTION_WIN_COMPLETE},
        {"mpi_win_wait_f08_", MPI_FUNCTION_WIN_WAIT},
        {"MPI_Win_test", MPI_FUNCTION_TEST},
        {"MPI_Ssend", MPI_FUNCTION_SYNCHRONOUS_SEND},
        {"MPI_Ssend_c", MPI_FUNCTION_SYNCHRONOUS_SEND},
        {"MPI_Ssend_init", MPI_FUNCTION_SYNCHRONOUS_SEND},
        {"mpi_issend_f08ts_", MPI_FUNCTION_SYNCHRONOUS_SEND},
        {"MPI_File_write_at", MPI_FUNCTION_FILE},
        {"mpi_file_sync_", MPI_FUNCTION_FILE},
        {"MPI_Send", MPI_FUNCTION_STANDARD_SEND},
        {"pmpi_isend_f08_", MPI_FUNCTION_STANDARD_SEND},
        {"MPI_Sendrecv_replace", MPI_FUNCTION_STANDARD_SEND},
        {"MPI_Bsend", MPI_FUNCTION_OTHER},
        {"MPI_Send_init", MPI_FUNCTION_OTHER},
        {"MPI_Bcast", MPI_FUNCTION_OTHER},
        {"something else", MPI_FUNCTION_OTHER},
        {"", MPI_FUNCTION_OTHER},
        {"mpi_", MPI_FUNCTION_OTHER},
        {"MPI_An_extension_with_a_name_that_is_longer_than_any_function_of_the_standard_is",
         MPI_FUNCTION_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mpi_function_of_name(cases[i].name, true), cases[i].function);
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
        const char *name;
        enum mpi_class class_;
    } cases[] = {
        {"MPI_Init", MPI_CLASS_START_END},
        {"MPI_Init_thread", MPI_CLASS_START_END},
        {"mpi_finalize_f08_", MPI_CLASS_START_END},
        {"MPI_Finalized", MPI_CLASS_MANAGEMENT},
        {"MPI_Initialized", MPI_CLASS_MANAGEMENT},
        {"MPI_Info_get", MPI_CLASS_MANAGEMENT},
        {"MPI_Intercomm_merge", MPI_CLASS_MANAGEMENT},
        {"MPI_Isend", MPI_CLASS_POINT_TO_POINT},
        {"MPI_Issend", MPI_CLASS_POINT_TO_POINT},
        {"MPI_Improbe", MPI_CLASS_POINT_TO_POINT},
        {"MPI_Send_init", MPI_CLASS_POINT_TO_POINT},
        {"mpi_recv_", MPI_CLASS_POINT_TO_POINT},
        {"MPI_Startall", MPI_CLASS_POINT_TO_POINT},
        {"MPI_Waitsome", MPI_CLASS_POINT_TO_POINT},
        {"MPI_Test_cancelled", MPI_CLASS_MANAGEMENT},
        {"MPI_Ibarrier", MPI_CLASS_COLLECTIVE},
        {"MPI_Ireduce_scatter_block", MPI_CLASS_COLLECTIVE},
        {"MPI_Allreduce_init", MPI_CLASS_COLLECTIVE},
        {"MPI_Ineighbor_alltoallw", MPI_CLASS_COLLECTIVE},
        {"MPI_Reduce_local", MPI_CLASS_MANAGEMENT},
        {"MPI_Put", MPI_CLASS_RMA},
        {"MPI_Rget_accumulate", MPI_CLASS_RMA},
        {"MPI_Get", MPI_CLASS_RMA},
        {"MPI_Get_count", MPI_CLASS_MANAGEMENT},
        {"MPI_Win_lock_all", MPI_CLASS_RMA_SYNCHRONISATION},
        {"MPI_Win_flush_local", MPI_CLASS_RMA_SYNCHRONISATION},
        {"MPI_Win_fence", MPI_CLASS_RMA_SYNCHRONISATION},
        {"MPI_Win_create", MPI_CLASS_MANAGEMENT},
        {"MPI_Win_free", MPI_CLASS_MANAGEMENT},
        {"MPI_File_iwrite_all", MPI_CLASS_FILE},
        {"MPI_Comm_split", MPI_CLASS_MANAGEMENT},
        {"MPI_Type_commit", MPI_CLASS_MANAGEMENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (mpi_class_of_name(cases[i].name) != cases[i].class_)
            fail_msg("%s is of class %d", cases[i].name, (int)mpi_class_of_name(cases[i].name));
}
