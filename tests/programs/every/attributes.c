// SPDX-License-Identifier: BSD-3-Clause
/* Attributes of communicators, datatypes and windows; callbacks are called once, MPI within them.
 */
#include "every.h"

static int n_copied, n_deleted;
static int value = 5;

static int copied(void *out)
{
    int size;

    n_copied++;
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* a call within a call */
    *(int **)out = &value;
    return MPI_SUCCESS;
}

static int copy_comm(MPI_Comm c, int key, void *extra, void *in, void *out, int *flag)
{
    (void)c, (void)key, (void)extra, (void)in;
    *flag = 1;
    return copied(out);
}

static int copy_type(MPI_Datatype t, int key, void *extra, void *in, void *out, int *flag)
{
    (void)t, (void)key, (void)extra, (void)in;
    *flag = 1;
    return copied(out);
}

static int delete_comm(MPI_Comm c, int key, void *in, void *extra)
{
    (void)c, (void)key, (void)in, (void)extra;
    n_deleted++;
    return MPI_SUCCESS;
}

static int delete_type(MPI_Datatype t, int key, void *in, void *extra)
{
    (void)t, (void)key, (void)in, (void)extra;
    n_deleted++;
    return MPI_SUCCESS;
}

static int delete_win(MPI_Win w, int key, void *in, void *extra)
{
    (void)w, (void)key, (void)in, (void)extra;
    n_deleted++;
    return MPI_SUCCESS;
}

static void of_communicators(void)
{
    int key, flag = 0, *found = NULL;
    MPI_Comm comm, copy;

    TRY(MPI_Comm_create_keyval, copy_comm, delete_comm, &key, NULL);
    TRY(MPI_Comm_dup, MPI_COMM_WORLD, &comm);
    TRY(MPI_Comm_set_attr, comm, key, &value);
    TRY(MPI_Comm_get_attr, comm, key, &found, &flag);
    EQUAL(flag, true);
    EQUAL(found == &value, true);
    TRY(MPI_Comm_dup, comm, &copy);
    EQUAL(n_copied, 1);
    TRY(MPI_Comm_delete_attr, copy, key);
    EQUAL(n_deleted, 1);
    TRY(MPI_Comm_free, &copy);
    TRY(MPI_Comm_free, &comm);
    EQUAL(n_deleted, 2);
    TRY(MPI_Comm_free_keyval, &key);
    EQUAL(key, MPI_KEYVAL_INVALID);
    TRY(MPI_Comm_get_attr, MPI_COMM_WORLD, MPI_TAG_UB, &found, &flag);
    EQUAL(flag, true);
    say("largest tag: %d", *found);
}

static void of_datatypes(void)
{
    int key, flag = 0, *found = NULL;
    MPI_Datatype type, copy;

    n_copied = n_deleted = 0;
    TRY(MPI_Type_create_keyval, copy_type, delete_type, &key, NULL);
    TRY(MPI_Type_contiguous, 2, MPI_INT, &type);
    TRY(MPI_Type_set_attr, type, key, &value);
    TRY(MPI_Type_dup, type, &copy);
    TRY(MPI_Type_get_attr, copy, key, &found, &flag);
    EQUAL(flag, true);
    TRY(MPI_Type_delete_attr, copy, key);
    TRY(MPI_Type_free, &copy);
    TRY(MPI_Type_free, &type);
    TRY(MPI_Type_free_keyval, &key);
    EQUAL(n_copied, 1);
    EQUAL(n_deleted, 2);
}

static void of_windows(void)
{
    int key, flag = 0, *found = NULL;
    MPI_Win win;

    n_deleted = 0;
    TRY(MPI_Win_create_keyval, MPI_WIN_NULL_COPY_FN, delete_win, &key, NULL);
    TRY(MPI_Win_create, NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    TRY(MPI_Win_set_attr, win, key, &value);
    TRY(MPI_Win_get_attr, win, key, &found, &flag);
    EQUAL(flag, true);
    TRY(MPI_Win_delete_attr, win, key);
    EQUAL(n_deleted, 1);
    TRY(MPI_Win_set_attr, win, key, &value);
    TRY(MPI_Win_free, &win);
    EQUAL(n_deleted, 2);
    TRY(MPI_Win_free_keyval, &key);
}

/* The names of MPI-1. */
static void old_names(void)
{
    int key, flag = 0, *found = NULL;

    n_deleted = 0;
    TRY(MPI_Keyval_create, copy_comm, delete_comm, &key, NULL);
    TRY(MPI_Attr_put, MPI_COMM_SELF, key, &value);
    TRY(MPI_Attr_get, MPI_COMM_SELF, key, &found, &flag);
    EQUAL(flag, true);
    TRY(MPI_Attr_delete, MPI_COMM_SELF, key);
    TRY(MPI_Keyval_free, &key);
    EQUAL(n_deleted, 1);
}

/* Called by MPI_Finalize, while MPI still works. */
static int at_the_end(MPI_Comm c, int key, void *in, void *extra)
{
    int finalized = -1, result = -1;

    (void)c, (void)key, (void)in, (void)extra;
    MPI_Finalized(&finalized);
    MPI_Allreduce(&rank, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("MPI_Finalize: finalized %d, last rank %s\n", finalized,
               result == n_ranks - 1 ? "right" : "wrong");
        fflush(stdout);
    }
    return MPI_SUCCESS;
}

CHAPTER(attributes)
{
    int key;

    of_communicators();
    of_datatypes();
    of_windows();
    old_names();
    TRY(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, at_the_end, &key, NULL);
    TRY(MPI_Comm_set_attr, MPI_COMM_SELF, key, NULL);
}
