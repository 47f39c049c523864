// SPDX-License-Identifier: BSD-3-Clause
/* Error handlers of communicators, windows and files, each called exactly once; own classes. */
#include "every.h"

static int n_called;
static int last_class;

static void note(int error)
{
    n_called++;
    MPI_Error_class(error, &last_class); /* a call within a call */
}

static void on_comm(MPI_Comm *comm, int *error, ...)
{
    int size;

    MPI_Comm_size(*comm, &size);
    EQUAL(size, n_ranks);
    note(*error);
}

static void on_win(MPI_Win *win, int *error, ...)
{
    (void)win;
    note(*error);
}

static void on_file(MPI_File *file, int *error, ...)
{
    (void)file;
    note(*error);
}

/* MPICH tells nobody when a receive fails in MPI_Wait. */
static void calls_so_far(const char *what)
{
    say("%s: %d calls, class %d", what, n_called, last_class);
    n_called = 0;
    last_class = -1;
}

static void called_once(const char *what, int wanted_class)
{
    equal(what, n_called, 1);
    equal(what, last_class, wanted_class);
    n_called = 0;
    last_class = -1;
}

static void of_communicators(void)
{
    MPI_Errhandler handler, found;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm;
    int value = 0, flag = 0, long_one[4] = {0};

    TRY(MPI_Comm_create_errhandler, on_comm, &handler);
    TRY(MPI_Comm_dup, MPI_COMM_WORLD, &comm);
    TRY(MPI_Comm_set_errhandler, comm, handler);
    TRY(MPI_Comm_get_errhandler, comm, &found);
    EQUAL(found == handler, true);
    TRY(MPI_Errhandler_free, &found);
    REFUSED(MPI_ERR_RANK, MPI_Send, &value, 1, MPI_INT, n_ranks, 0, comm);
    called_once("handler of MPI_Send", MPI_ERR_RANK);
    REFUSED(MPI_ERR_TAG, MPI_Isend, &value, 1, MPI_INT, 0, -5, comm, &request);
    called_once("handler of MPI_Isend", MPI_ERR_TAG);
    REFUSED(MPI_ERR_ROOT, MPI_Bcast, &value, 1, MPI_INT, -7, comm);
    called_once("handler of MPI_Bcast", MPI_ERR_ROOT);
    TRY(MPI_Send_init, long_one, 4, MPI_INT, right, 1, comm, &request);
    TRY(MPI_Start, &request);
    REFUSED(MPI_ERR_TRUNCATE, MPI_Recv, &value, 1, MPI_INT, left, 1, comm, MPI_STATUS_IGNORE);
    called_once("handler of MPI_Recv", MPI_ERR_TRUNCATE);
    TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    TRY(MPI_Request_free, &request);
    TRY(MPI_Irecv, &value, 1, MPI_INT, left, 2, comm, &request);
    TRY(MPI_Send, long_one, 4, MPI_INT, right, 2, comm);
    REFUSED(MPI_ERR_TRUNCATE, MPI_Wait, &request, MPI_STATUS_IGNORE);
    calls_so_far("handler of MPI_Wait");
    TRY(MPI_Comm_call_errhandler, comm, MPI_ERR_OTHER);
    called_once("MPI_Comm_call_errhandler", MPI_ERR_OTHER);
    TRY(MPI_Iprobe, MPI_ANY_SOURCE, 3, comm, &flag, MPI_STATUS_IGNORE);
    EQUAL(flag, false);
    TRY(MPI_Errhandler_free, &handler);
    TRY(MPI_Barrier, comm);
    TRY(MPI_Comm_free, &comm);
}

static void of_windows(void)
{
    MPI_Errhandler handler, found;
    MPI_Win win;
    int value = 0;

    TRY(MPI_Win_create_errhandler, on_win, &handler);
    TRY(MPI_Win_create, &value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    TRY(MPI_Win_set_errhandler, win, handler);
    TRY(MPI_Win_get_errhandler, win, &found);
    TRY(MPI_Errhandler_free, &found);
    REFUSED(MPI_ERR_RANK, MPI_Win_lock, MPI_LOCK_SHARED, n_ranks + 3, 0, win);
    called_once("handler of MPI_Win_lock", MPI_ERR_RANK);
    TRY(MPI_Win_call_errhandler, win, MPI_ERR_OTHER);
    called_once("MPI_Win_call_errhandler", MPI_ERR_OTHER);
    TRY(MPI_Win_free, &win);
    TRY(MPI_Errhandler_free, &handler);
}

static void of_files(void)
{
    MPI_Errhandler handler, found;
    MPI_File file;

    TRY(MPI_File_create_errhandler, on_file, &handler);
    TRY(MPI_File_get_errhandler, MPI_FILE_NULL, &found);
    EQUAL(found == MPI_ERRORS_RETURN, true);
    TRY(MPI_File_set_errhandler, MPI_FILE_NULL, handler);
    REFUSED(MPI_ERR_NO_SUCH_FILE, MPI_File_open, MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY,
            MPI_INFO_NULL, &file);
    called_once("handler of MPI_File_open", MPI_ERR_NO_SUCH_FILE);
    ATTEMPT(MPI_File_call_errhandler, MPI_FILE_NULL, MPI_ERR_OTHER);
    calls_so_far("MPI_File_call_errhandler");
    TRY(MPI_File_set_errhandler, MPI_FILE_NULL, MPI_ERRORS_RETURN);
    TRY(MPI_Errhandler_free, &handler);
}

static void own_errors(void)
{
    int error_class = -1, code = -1, found = -1, flag = 0, *last_code = NULL, length = 0;
    char text[MPI_MAX_ERROR_STRING];

    TRY(MPI_Add_error_class, &error_class);
    TRY(MPI_Add_error_code, error_class, &code);
    TRY(MPI_Add_error_string, code, "an error of our own");
    TRY(MPI_Error_class, code, &found);
    EQUAL(found, error_class);
    TRY(MPI_Error_string, code, text, &length);
    EQUAL_TEXT(text, "an error of our own");
    TRY(MPI_Comm_get_attr, MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last_code, &flag);
    EQUAL(flag && *last_code >= error_class, true);
#ifdef HAVE_MPIX_Delete_error_class
    ATTEMPT(MPIX_Delete_error_string, code);
    ATTEMPT(MPIX_Delete_error_code, code);
    ATTEMPT(MPIX_Delete_error_class, error_class);
#endif
}

static void old_names(void)
{
#ifdef HAVE_MPI_Errhandler_create
    MPI_Errhandler handler, found;

    TRY(MPI_Errhandler_create, on_comm, &handler);
    TRY(MPI_Errhandler_get, MPI_COMM_SELF, &found);
    TRY(MPI_Errhandler_set, MPI_COMM_SELF, handler);
    TRY(MPI_Errhandler_set, MPI_COMM_SELF, MPI_ERRORS_RETURN);
    TRY(MPI_Errhandler_free, &handler);
#endif
}

CHAPTER(errors)
{
    of_communicators();
    of_windows();
    of_files();
    own_errors();
    old_names();
}
