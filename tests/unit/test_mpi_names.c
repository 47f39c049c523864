// SPDX-License-Identifier: BSD-3-Clause
// What region names say about MPI functions: C, Fortran and PMPI spellings, and users' functions
// that only look like them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/trace/definitions.h"

static void test_names_with_mpi_paradigm(void **state)
{
    (void)state;
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

static void test_names_without_mpi_paradigm(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_with_mpi_paradigm),
        cmocka_unit_test(test_names_without_mpi_paradigm),
    };
    return cmocka_run_group_tests_name("mpi_names", tests, NULL, NULL);
}
