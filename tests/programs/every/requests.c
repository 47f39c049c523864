// SPDX-License-Identifier: BSD-3-Clause
/* Completion of requests in every way, cancelling, freeing, generalized requests. */
#include "every.h"

#include <unistd.h>

enum { N = 40 }; /* more than a tool is likely to keep room for on its stack */

static int out[N], in[N];
static MPI_Request requests[2 * N];
static MPI_Status statuses[2 * N];
static int indices[2 * N];

static void start_all(void)
{
    for (int i = 0; i < N; i++) {
        out[i] = 100 * rank + i;
        in[i] = -1;
        TRY(MPI_Irecv, &in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < N; i++)
        TRY(MPI_Isend, &out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[N + i]);
}

static void check_all(bool with_statuses)
{
    for (int i = 0; i < N; i++) {
        EQUAL(in[i], 100 * left + i);
        if (with_statuses) {
            EQUAL(statuses[i].MPI_SOURCE, left);
            EQUAL(statuses[i].MPI_TAG, i);
        }
    }
    for (int i = 0; i < 2 * N; i++)
        EQUAL(requests[i] == MPI_REQUEST_NULL, true);
}

static void wait_ways(void)
{
    MPI_Status status;
    int n_done = 0, index;

    start_all();
    TRY(MPI_Waitall, 2 * N, requests, statuses);
    check_all(true);
    start_all();
    TRY(MPI_Waitall, 2 * N, requests, MPI_STATUSES_IGNORE);
    check_all(false);
    start_all();
    for (int i = 0; i < 2 * N; i++) {
        TRY(MPI_Waitany, 2 * N, requests, &index, i % 2 ? &status : MPI_STATUS_IGNORE);
        if (i % 2 && index < N)
            EQUAL(status.MPI_TAG, index);
        EQUAL(requests[index] == MPI_REQUEST_NULL, true);
    }
    check_all(false);
    TRY(MPI_Waitany, 2 * N, requests, &index, MPI_STATUS_IGNORE);
    EQUAL(index, MPI_UNDEFINED);
    start_all();
    for (int total = 0; total < 2 * N; total += n_done) {
        TRY(MPI_Waitsome, 2 * N, requests, &n_done, indices,
            total == 0 ? statuses : MPI_STATUSES_IGNORE);
        for (int i = 0; total == 0 && i < n_done; i++)
            if (indices[i] < N)
                EQUAL(statuses[i].MPI_TAG, indices[i]);
    }
    check_all(false);
    TRY(MPI_Waitsome, 2 * N, requests, &n_done, indices, statuses);
    EQUAL(n_done, MPI_UNDEFINED);
}

static void test_ways(void)
{
    int flag = 0, n_done = 0, index, total = 0;

    start_all();
    for (int i = 0; i < 2 * N; i++)
        for (flag = 0; !flag;)
            TRY(MPI_Test, &requests[i], &flag, i % 2 ? MPI_STATUS_IGNORE : &statuses[i]);
    EQUAL(statuses[2].MPI_TAG, 2);
    check_all(false);
    start_all();
    for (flag = 0; !flag;)
        TRY(MPI_Testall, 2 * N, requests, &flag, statuses);
    check_all(true);
    start_all();
    while (total < 2 * N) {
        TRY(MPI_Testany, 2 * N, requests, &index, &flag, MPI_STATUS_IGNORE);
        total += flag;
    }
    check_all(false);
    TRY(MPI_Testany, 2 * N, requests, &index, &flag, MPI_STATUS_IGNORE);
    EQUAL(index, MPI_UNDEFINED);
    EQUAL(flag, true);
    start_all();
    for (total = 0; total < 2 * N; total += n_done)
        TRY(MPI_Testsome, 2 * N, requests, &n_done, indices, MPI_STATUSES_IGNORE);
    check_all(false);
    TRY(MPI_Testsome, 2 * N, requests, &n_done, indices, MPI_STATUSES_IGNORE);
    EQUAL(n_done, MPI_UNDEFINED);
    start_all();
    for (flag = 0; !flag;)
        TRY(MPI_Request_get_status, requests[1], &flag, &statuses[1]);
    EQUAL(statuses[1].MPI_TAG, 1);
    EQUAL(requests[1] == MPI_REQUEST_NULL, false);
    TRY(MPI_Waitall, 2 * N, requests, MPI_STATUSES_IGNORE);
}

static void empty_ones(void)
{
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Status status;
    int flag = 0, count = -1;

    memset(&status, 1, sizeof status);
    TRY(MPI_Wait, &none, &status);
    EQUAL(status.MPI_SOURCE, MPI_ANY_SOURCE);
    EQUAL(status.MPI_TAG, MPI_ANY_TAG);
    TRY(MPI_Get_count, &status, MPI_INT, &count);
    EQUAL(count, 0);
    TRY(MPI_Test, &none, &flag, MPI_STATUS_IGNORE);
    EQUAL(flag, true);
    TRY(MPI_Waitall, 0, NULL, MPI_STATUSES_IGNORE);
    TRY(MPI_Testall, 0, NULL, &flag, MPI_STATUSES_IGNORE);
    EQUAL(flag, true);
    TRY(MPI_Startall, 0, &none);
}

/* Persistent ones beside a null request: inactive, then started together. */
static void persistent(void)
{
    MPI_Request three[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int n = 0, flag = 0;

    TRY(MPI_Recv_init, in, 1, MPI_INT, left, 500, MPI_COMM_WORLD, &three[0]);
    TRY(MPI_Send_init, out, 1, MPI_INT, right, 500, MPI_COMM_WORLD, &three[1]);
    TRY(MPI_Waitsome, 3, three, &n, indices, MPI_STATUSES_IGNORE);
    EQUAL(n, MPI_UNDEFINED);
    TRY(MPI_Testall, 3, three, &flag, MPI_STATUSES_IGNORE);
    EQUAL(flag, true);
    for (int round = 0; round < 2; round++) {
        out[0] = 100 * rank + round;
        TRY(MPI_Startall, 2, three);
        for (int n_left = 2; n_left > 0; n_left -= n)
            TRY(MPI_Waitsome, 3, three, &n, indices, MPI_STATUSES_IGNORE);
        EQUAL(in[0], 100 * left + round);
    }
    TRY(MPI_Request_free, &three[0]);
    TRY(MPI_Request_free, &three[1]);
}

/* A message meets no receive that was cancelled before it came. */
static void cancelling(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag = 0, value = -1;

    TRY(MPI_Irecv, in, 1, MPI_INT, left, 999, MPI_COMM_WORLD, &request);
    TRY(MPI_Cancel, &request);
    TRY(MPI_Wait, &request, &status);
    TRY(MPI_Test_cancelled, &status, &flag);
    EQUAL(flag, true);
    TRY(MPI_Status_set_elements, &status, MPI_INT, 2);
    TRY(MPI_Status_set_elements_x, &status, MPI_INT, 2);
    TRY(MPI_Status_set_cancelled, &status, 0);
    TRY(MPI_Test_cancelled, &status, &flag);
    EQUAL(flag, false);
    TRY(MPI_Irecv, in, 1, MPI_INT, left, 998, MPI_COMM_WORLD, &request);
    TRY(MPI_Cancel, &request);
    TRY(MPI_Request_free, &request);
    EQUAL(request == MPI_REQUEST_NULL, true);
    TRY(MPI_Recv_init, in, 1, MPI_INT, left, 998, MPI_COMM_WORLD, &request);
    TRY(MPI_Start, &request);
    TRY(MPI_Cancel, &request);
    TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    TRY(MPI_Request_free, &request);
    in[0] = -1;
    TRY(MPI_Barrier, MPI_COMM_WORLD);
    TRY(MPI_Sendrecv, &rank, 1, MPI_INT, right, 998, &value, 1, MPI_INT, left, 998, MPI_COMM_WORLD,
        MPI_STATUS_IGNORE);
    EQUAL(value, left);
    EQUAL(in[0], -1);
    TRY(MPI_Isend, out, 1, MPI_INT, right, 997, MPI_COMM_WORLD, &request);
    TRY(MPI_Request_free, &request);
    TRY(MPI_Recv, in, 1, MPI_INT, left, 997, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- generalized requests: callbacks count, each is called once */

static int n_queries, n_frees, n_cancels;

static int query(void *state, MPI_Status *status)
{
    n_queries++;
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_elements_x(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, n_cancels > 0);
    status->MPI_SOURCE = 7;
    status->MPI_TAG = 8;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    (void)state;
    n_frees++;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    n_cancels += complete ? 100 : 1;
    return MPI_SUCCESS;
}

static void generalized(void)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Count elements = -1;
    int n = 3, flag = 1, count = -1;

    for (int round = 0; round < 2; round++) {
        TRY(MPI_Grequest_start, query, release, cancel, &n, &request);
        TRY(MPI_Test, &request, &flag, MPI_STATUS_IGNORE);
        EQUAL(flag, false);
        if (round == 1)
            TRY(MPI_Cancel, &request);
        TRY(MPI_Grequest_complete, request);
        TRY(MPI_Wait, &request, round == 0 ? MPI_STATUS_IGNORE : &status);
    }
    EQUAL(n_frees, 2);
    EQUAL(n_cancels, 1);
    EQUAL(status.MPI_SOURCE, 7);
    EQUAL(status.MPI_TAG, 8);
    TRY(MPI_Get_count, &status, MPI_INT, &count);
    TRY(MPI_Get_elements_x, &status, MPI_INT, &elements);
    EQUAL(count, 3);
    EQUAL(elements, 3);
    TRY(MPI_Test_cancelled, &status, &flag);
    EQUAL(flag, true);
    say("queries: %d", n_queries);
}

#ifdef HAVE_MPIX_Grequest_start
static int poll_extended(void *state, MPI_Status *status)
{
    (void)status;
    return MPI_Grequest_complete(*(MPI_Request *)state);
}

static int wait_extended(int n, void **states, double timeout, MPI_Status *status)
{
    (void)timeout;
    for (int i = 0; i < n; i++)
        poll_extended(states[i], status);
    return MPI_SUCCESS;
}

static void extended(void)
{
    static MPI_Request request;
    MPIX_Grequest_class grequest_class;
    static int n = 3;

    n_frees = 0;
    TRY(MPIX_Grequest_start, query, release, cancel, poll_extended, wait_extended, &n, &request);
    MPI_Grequest_complete(request);
    TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    TRY(MPIX_Grequest_class_create, query, release, cancel, poll_extended, wait_extended,
        &grequest_class);
    TRY(MPIX_Grequest_class_allocate, grequest_class, &n, &request);
    MPI_Grequest_complete(request);
    TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    EQUAL(n_frees, 2);
}
#endif

CHAPTER(requests)
{
    wait_ways();
    test_ways();
    empty_ones();
    persistent();
    cancelling();
    generalized();
#ifdef HAVE_MPIX_Grequest_start
    extended();
#endif
    TRY(MPI_Barrier, MPI_COMM_WORLD);
}

/* Rank 0 polls for two messages, which rank 1 sends 20 ms later each. */
CHAPTER(polling)
{
    MPI_Request request;
    int value = 0, flag = 0;

    TRY(MPI_Barrier, MPI_COMM_WORLD);
    for (int tag = 9; tag <= 10 && rank == 1; tag++) {
        usleep(20000);
        TRY(MPI_Send, &tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
    if (rank > 0)
        return;
    TRY(MPI_Irecv, &value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &request);
    while (!flag)
        TRY(MPI_Test, &request, &flag, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;)
        TRY(MPI_Iprobe, 1, 10, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    TRY(MPI_Recv, &value, 1, MPI_INT, 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EQUAL(value, 10);
}
