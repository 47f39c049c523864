// SPDX-License-Identifier: BSD-3-Clause
/* One-sided communication: windows of each kind, all operations, all ways to synchronise. */
#include "every.h"

enum { N = 16 };

static int own[N], result[N];
static const int number = 7;

#ifdef LARGE_COUNTS
typedef MPI_Aint unit_t;
#else
typedef int unit_t;
#endif

static void fill(int *window)
{
    for (int i = 0; i < N; i++)
        window[i] = 100 * rank + i;
}

static void fences(MPI_Win win, int *window)
{
    fill(window);
    TRY(MPI_Win_fence, MPI_MODE_NOPRECEDE, win);
    TRY_COUNTED(MPI_Put, &number, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    TRY_COUNTED(MPI_Get, result, 2, MPI_INT, right, 4, 2, MPI_INT, win);
    TRY_COUNTED(MPI_Accumulate, &number, 1, MPI_INT, right, 8, 1, MPI_INT, MPI_SUM, win);
    TRY_COUNTED(MPI_Get_accumulate, &number, 1, MPI_INT, &result[4], 1, MPI_INT, right, 9, 1,
                MPI_INT, MPI_SUM, win);
    TRY(MPI_Win_fence, MPI_MODE_NOSUCCEED, win);
    EQUAL(window[0], number);
    EQUAL(result[0], 100 * right + 4);
    EQUAL(result[1], 100 * right + 5);
    EQUAL(window[8], 100 * rank + 8 + number);
    EQUAL(result[4], 100 * right + 9);
    EQUAL(window[9], 100 * rank + 9 + number);
}

static void with_requests(MPI_Win win, int *window)
{
    MPI_Request requests[4];

    fill(window);
    TRY(MPI_Barrier, MPI_COMM_WORLD);
    TRY(MPI_Win_lock_all, 0, win);
    TRY_COUNTED(MPI_Rput, &number, 1, MPI_INT, right, 0, 1, MPI_INT, win, &requests[0]);
    TRY_COUNTED(MPI_Rget, result, 1, MPI_INT, right, 4, 1, MPI_INT, win, &requests[1]);
    TRY_COUNTED(MPI_Raccumulate, &number, 1, MPI_INT, right, 8, 1, MPI_INT, MPI_SUM, win,
                &requests[2]);
    TRY_COUNTED(MPI_Rget_accumulate, &number, 1, MPI_INT, &result[1], 1, MPI_INT, right, 9, 1,
                MPI_INT, MPI_SUM, win, &requests[3]);
    TRY(MPI_Waitall, 4, requests, MPI_STATUSES_IGNORE);
    EQUAL(result[0], 100 * right + 4);
    EQUAL(result[1], 100 * right + 9);
    TRY(MPI_Win_unlock_all, win);
    TRY(MPI_Barrier, MPI_COMM_WORLD);
    TRY(MPI_Win_lock, MPI_LOCK_SHARED, rank, 0, win);
    EQUAL(window[0], number);
    EQUAL(window[9], 100 * rank + 9 + number);
    TRY(MPI_Win_unlock, rank, win);
}

static void create(void)
{
    MPI_Win win;
    int *memory = NULL;

    TRY_COUNTED(MPI_Win_create, own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    fences(win, own);
    with_requests(win, own);
    TRY(MPI_Win_free, &win);
    EQUAL(win == MPI_WIN_NULL, true);
    TRY_COUNTED(MPI_Win_allocate, N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                &memory, &win);
    fences(win, memory);
    TRY(MPI_Win_free, &win);
}

static void shared(void)
{
    MPI_Aint size = -1;
    unit_t unit = -1;
    int *memory = NULL, *neighbours = NULL;
    MPI_Win win;

    TRY_COUNTED(MPI_Win_allocate_shared, N * sizeof(int), sizeof(int), MPI_INFO_NULL,
                MPI_COMM_WORLD, &memory, &win);
    TRY_COUNTED(MPI_Win_shared_query, win, right, &size, &unit, &neighbours);
    EQUAL(size, N * sizeof(int));
    EQUAL(unit, sizeof(int));
    TRY(MPI_Win_lock_all, MPI_MODE_NOCHECK, win);
    memory[0] = rank;
    TRY(MPI_Win_sync, win);
    TRY(MPI_Barrier, MPI_COMM_WORLD);
    TRY(MPI_Win_sync, win);
    EQUAL(neighbours[0], right);
    TRY(MPI_Win_unlock_all, win);
    TRY(MPI_Win_free, &win);
}

#ifndef LARGE_COUNTS
static void locks(MPI_Win win)
{
    int zero = 0, one = 1, before = -1;

    memset(own, 0, sizeof own);
    TRY(MPI_Barrier, MPI_COMM_WORLD);
    TRY(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, right, 0, win);
    TRY(MPI_Fetch_and_op, &one, &before, MPI_INT, right, 0, MPI_SUM, win);
    TRY(MPI_Win_flush, right, win);
    EQUAL(before, 0);
    TRY(MPI_Compare_and_swap, &one, &zero, &before, MPI_INT, right, 1, win);
    TRY(MPI_Win_flush_local, right, win);
    TRY(MPI_Win_unlock, right, win);
    EQUAL(before, 0);
    TRY(MPI_Win_lock_all, 0, win);
    TRY(MPI_Put, &one, 1, MPI_INT, left, 2, 1, MPI_INT, win);
    TRY(MPI_Win_flush_all, win);
    TRY(MPI_Win_flush_local_all, win);
    TRY(MPI_Win_unlock_all, win);
    TRY(MPI_Barrier, MPI_COMM_WORLD);
    TRY(MPI_Win_lock, MPI_LOCK_SHARED, rank, 0, win);
    EQUAL(own[0] * 100 + own[1] * 10 + own[2], 111);
    TRY(MPI_Win_unlock, rank, win);
}

/* Post, start, complete, wait: each rank writes to its right neighbour. */
static void epochs(MPI_Win win)
{
    MPI_Group world, targets, origins;
    int done = 0;

    TRY(MPI_Win_get_group, win, &world);
    TRY(MPI_Group_incl, world, 1, &right, &targets);
    TRY(MPI_Group_incl, world, 1, &left, &origins);
    for (int round = 0; round < 2; round++) {
        TRY(MPI_Win_post, origins, 0, win);
        TRY(MPI_Win_start, targets, 0, win);
        TRY(MPI_Put, &rank, 1, MPI_INT, right, 5, 1, MPI_INT, win);
        TRY(MPI_Win_complete, win);
        if (round == 0)
            TRY(MPI_Win_wait, win);
        TRY(MPI_Barrier, MPI_COMM_WORLD); /* few tests */
        for (done = 0; round == 1 && !done;)
            TRY(MPI_Win_test, win, &done);
        EQUAL(own[5], left);
    }
    TRY(MPI_Group_free, &world);
    TRY(MPI_Group_free, &targets);
    TRY(MPI_Group_free, &origins);
}

static void dynamic(void)
{
    MPI_Aint address = 0, remote = 0;
    MPI_Win win;

    TRY(MPI_Win_create_dynamic, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    own[0] = rank;
    TRY(MPI_Win_attach, win, own, sizeof own);
    TRY(MPI_Get_address, own, &address);
    TRY(MPI_Sendrecv, &address, 1, MPI_AINT, left, 1, &remote, 1, MPI_AINT, right, 1,
        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    TRY(MPI_Win_fence, 0, win);
    TRY(MPI_Get, result, 1, MPI_INT, right, remote, 1, MPI_INT, win);
    TRY(MPI_Win_fence, 0, win);
    EQUAL(result[0], right);
    TRY(MPI_Win_detach, win, own);
    TRY(MPI_Win_free, &win);
}

static void descriptions(MPI_Win win)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = -1;
    MPI_Info info;

    TRY(MPI_Win_set_name, win, "shop window");
    TRY(MPI_Win_get_name, win, name, &length);
    EQUAL_TEXT(name, "shop window");
    TRY(MPI_Win_get_info, win, &info);
    TRY(MPI_Win_set_info, win, info);
    TRY(MPI_Info_free, &info);
}

static void ways(void)
{
    MPI_Win win;

    TRY(MPI_Win_create, own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    locks(win);
    epochs(win);
    descriptions(win);
    TRY(MPI_Win_free, &win);
    dynamic();
}
#endif

CHAPTER(rma)
{
    create();
    shared();
#ifndef LARGE_COUNTS
    ways();
#endif
}
