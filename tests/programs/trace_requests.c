// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every kind of point-to-point message between neighbours in a ring of an even number of ranks, and
 * what a program may do with requests: the rarer ways to start, look at, give up and complete them,
 * lists with null and inactive ones, generalized and partitioned ones. With an argument also errors
 * that the program handles: "short" one of a receive and one of a send, "errors" messages that are
 * too long in every kind of receive. Prints "requests ok". For the tests of the tracer.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* MPICH's header calls MPI_STATUSES_IGNORE an array that is too short. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"

enum { N = 100 };

static int rank, n_ranks, left, right;
static int errors;

static void expect(int value, int wanted, const char *what)
{
    if (value != wanted) {
        fprintf(stderr, "rank %d: %s is %d, not %d\n", rank, what, value, wanted);
        errors++;
    }
}

static int class_of(int code)
{
    int class = MPI_SUCCESS;

    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class;
}

static void blocking(void)
{
    int out = rank, in = -1, both = rank;
    MPI_Status status;

    if (rank % 2 == 0 && right != 0) {
        MPI_Send(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
        MPI_Ssend(&out, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
    }
    if (rank % 2 == 1) {
        MPI_Recv(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect(in, left, "blocking message");
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        expect(status.MPI_TAG, 2, "wildcard tag");
    }
    MPI_Sendrecv(&out, 1, MPI_INT, right, 3, &in, 1, MPI_INT, left, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect(in, left, "sendrecv");
    MPI_Sendrecv_replace(&both, 1, MPI_INT, right, 4, left, 4, MPI_COMM_WORLD, &status);
    expect(both, left, "sendrecv_replace");
    MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 6, &in, 1, MPI_INT, MPI_PROC_NULL, 6,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* 2 x N messages, more than the tracer keeps room for on the stack. */
static void nonblocking(void)
{
    MPI_Request requests[2 * N];
    int out[N], in[N], done, index, indices[2 * N], flag = 0;

    for (int i = 0; i < N; i++) {
        out[i] = 1000 * rank + i;
        MPI_Irecv(&in[i], 1, MPI_INT, i % 2 ? left : MPI_ANY_SOURCE, 100 + i, MPI_COMM_WORLD,
                  &requests[i]);
    }
    for (int i = 0; i < N; i++)
        MPI_Isend(&out[i], 1, MPI_INT, right, 100 + i, MPI_COMM_WORLD, &requests[N + i]);
    MPI_Waitany(2 * N, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitsome(2 * N, requests, &done, indices, MPI_STATUSES_IGNORE);
    MPI_Testany(2 * N, requests, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Testsome(2 * N, requests, &done, indices, MPI_STATUSES_IGNORE);
    MPI_Waitall(2 * N, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; i++)
        expect(in[i], 1000 * left + i, "nonblocking message");
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* MPI_REQUEST_NULL by now */
    MPI_Irecv(&in[0], 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out[0], 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void persistent(void)
{
    MPI_Request requests[2];
    int out = 0, in = -1;

    MPI_Send_init(&out, 1, MPI_INT, right, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&in, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        out = 10 * rank + i;
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        expect(in, 10 * left + i, "persistent message");
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* inactive */
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void given_up(void)
{
    MPI_Request request;
    MPI_Status status;
    int in, flag = 0;

    MPI_Irecv(&in, 1, MPI_INT, left, 999, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    expect(flag, 1, "cancelled");
}

/* Rank 0 polls for a message that rank 1 sends after 20 ms. */
static void polling(void)
{
    MPI_Request request;
    int value = 0, flag = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        for (flag = 0; !flag;)
            MPI_Iprobe(1, 10, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        usleep(20000);
        MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
        usleep(20000);
        MPI_Send(&value, 1, MPI_INT, 0, 10, MPI_COMM_WORLD);
    }
}

/* Matched probes: one receive of each kind. */
static void matched(void)
{
    MPI_Request requests[2], receive;
    MPI_Message message;
    int out = rank, in = -1, flag = 0;

    MPI_Isend(&out, 1, MPI_INT, right, 21, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, right, 22, MPI_COMM_WORLD, &requests[1]);
    MPI_Mprobe(left, 21, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    expect(in, left, "matched message");
    while (!flag)
        MPI_Improbe(MPI_ANY_SOURCE, 22, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&in, 1, MPI_INT, &message, &receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* An error that the program handles: the receive is too short. */
static void failing(void)
{
    int out[2] = {1, 2}, in, code;
    MPI_Request request;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Isend(out, 2, MPI_INT, right, 11, MPI_COMM_WORLD, &request);
    code = MPI_Recv(&in, 1, MPI_INT, left, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(class_of(code), MPI_ERR_TRUNCATE, "error of a receive that is too short");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    code = MPI_Send(out, -1, MPI_INT, right, 12, MPI_COMM_WORLD);
    expect(class_of(code), MPI_ERR_COUNT, "error of a negative count");
}

/* MPI 4: one request for a send and a receive. 3 messages, one of them with one half only. */
static void both_ways(void)
{
#if MPI_VERSION >= 4
    int out = rank, in = -1;
    MPI_Request request;

    MPI_Isendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(in, left, "isendrecv");
    MPI_Isendrecv_replace(&out, 1, MPI_INT, right, 2, left, 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(out, left, "isendrecv_replace");
    MPI_Isendrecv(&out, 1, MPI_INT, rank % 2 ? MPI_PROC_NULL : right, 3, &in, 1, MPI_INT,
                  rank % 2 ? left : MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
}

/* Every mode, persistent, started and completed in several ways: 4 messages, twice. */
static void modes(void)
{
    static char room[4096];
    int out[4] = {0}, in[4], n_done = 0, size = sizeof room, flag = 0;
    int indices[9];
    void *buffer;
    MPI_Request requests[9];

    MPI_Buffer_attach(room, sizeof room);
    for (int i = 0; i < 4; i++)
        MPI_Recv_init(&in[i], 1, MPI_INT, left, 10 + i, MPI_COMM_WORLD, &requests[i]);
    MPI_Send_init(&out[0], 1, MPI_INT, right, 10, MPI_COMM_WORLD, &requests[4]);
    MPI_Bsend_init(&out[1], 1, MPI_INT, right, 11, MPI_COMM_WORLD, &requests[5]);
    MPI_Ssend_init(&out[2], 1, MPI_INT, right, 12, MPI_COMM_WORLD, &requests[6]);
    MPI_Rsend_init(&out[3], 1, MPI_INT, right, 13, MPI_COMM_WORLD, &requests[7]);
    requests[8] = MPI_REQUEST_NULL;
    MPI_Waitsome(9, requests, &n_done, indices, MPI_STATUSES_IGNORE); /* all inactive or null */
    expect(n_done, MPI_UNDEFINED, "count of inactive requests");
    MPI_Testall(9, requests, &flag, MPI_STATUSES_IGNORE);
    expect(flag, 1, "flag of inactive requests");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 4; i++)
            out[i] = 100 * rank + 10 * round + i;
        MPI_Startall(4, requests);
        MPI_Barrier(MPI_COMM_WORLD); /* receives are posted, as a ready send demands */
        MPI_Startall(4, requests + 4);
        for (int n_left = 8; n_left > 0; n_left -= n_done == MPI_UNDEFINED ? n_left : n_done)
            MPI_Waitsome(9, requests, &n_done, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 4; i++)
            expect(in[i], 100 * left + 10 * round + i, "persistent message");
    }
    for (int i = 0; i < 8; i++)
        MPI_Request_free(&requests[i]);
    MPI_Buffer_detach(&buffer, &size);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    MPI_Testany(0, NULL, &n_done, &flag, MPI_STATUS_IGNORE);
    expect(n_done, MPI_UNDEFINED, "index of no request");
}

/* A look at a request completes nothing: 1 message, then 1 that is given up while it is sent. */
static void looked_at(void)
{
    int out = rank, in = -1, flag = 0;
    MPI_Request send, receive;
    MPI_Status status;

    MPI_Irecv(&in, 1, MPI_INT, left, 20, MPI_COMM_WORLD, &receive);
    MPI_Isend(&out, 1, MPI_INT, right, 20, MPI_COMM_WORLD, &send);
    while (!flag)
        MPI_Request_get_status(receive, &flag, &status);
    expect(status.MPI_SOURCE, left, "source of the request looked at");
    MPI_Request_get_status(receive, &flag, MPI_STATUS_IGNORE);
    expect(flag, 1, "completion of the request looked at");
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Isend(&out, 1, MPI_INT, right, 21, MPI_COMM_WORLD, &send);
    MPI_Request_free(&send);
    MPI_Recv(&in, 1, MPI_INT, left, 21, MPI_COMM_WORLD, &status);
    expect(in, left, "message of a freed request");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Cancelled, then freed: the message that comes later is another receive's. */
static void cancelled(void)
{
    int out = rank, in = -1, other = -1;
    MPI_Request receive;

    MPI_Irecv(&other, 1, MPI_INT, left, 30, MPI_COMM_WORLD, &receive);
    MPI_Cancel(&receive);
    MPI_Request_free(&receive);
    MPI_Recv_init(&other, 1, MPI_INT, left, 30, MPI_COMM_WORLD, &receive);
    MPI_Start(&receive);
    MPI_Cancel(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Request_free(&receive);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(&out, 1, MPI_INT, right, 30, &in, 1, MPI_INT, left, 30, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect(in, left, "message after a cancelled receive");
    expect(other, -1, "buffer of a cancelled receive");
}

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 5;
    status->MPI_TAG = 6;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    ++*(int *)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int is_complete)
{
    (void)state;
    (void)is_complete;
    return MPI_SUCCESS;
}

/* Generalized requests are no communication. */
static void generalized(void)
{
    int state = 7, n = 0, flag = 1;
    MPI_Request requests[2];
    MPI_Status status;

    MPI_Grequest_start(query, release, cancel, &state, &requests[0]);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    expect(flag, 0, "flag of a generalized request");
    MPI_Grequest_complete(requests[0]);
    requests[1] = MPI_REQUEST_NULL;
    MPI_Waitany(2, requests, &n, &status);
    expect(n, 0, "index of the generalized request");
    expect(status.MPI_TAG, 6, "tag of the generalized request");
    MPI_Get_count(&status, MPI_INT, &n);
    expect(n, 7, "count of the generalized request");
    expect(state, 8, "release of the generalized request");
}

/* MPI 4: messages in parts. */
static void partitioned(void)
{
#if MPI_VERSION >= 4
    int out[2] = {rank, rank}, in[2] = {-1, -1}, flag = 0;
    MPI_Request requests[2];

    MPI_Precv_init(in, 2, 1, MPI_INT, left, 40, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(out, 2, 1, MPI_INT, right, 40, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Pready(0, requests[1]);
    MPI_Pready_range(1, 1, requests[1]);
    while (!flag)
        MPI_Parrived(requests[0], 1, &flag);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect(in[0] + in[1], 2 * left, "partitioned message");
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
#endif
}

/* Nothing is looked for at MPI_PROC_NULL; matched probes find it at once. */
static void nobody(void)
{
    int in = -1, flag = 0;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;

    MPI_Probe(MPI_PROC_NULL, 50, MPI_COMM_WORLD, &status);
    MPI_Iprobe(MPI_PROC_NULL, 50, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    expect(flag, 1, "probe of nobody");
    MPI_Improbe(MPI_PROC_NULL, 50, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 50, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&in, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(in, -1, "buffer of a receive from nobody");
}

enum { N_LONG = 9 }; /* kinds of receives that get too much */

/* Each of N_LONG messages of 2 ints meets a receive of 1; then one that fits, on the same tag. */
static void too_long(void)
{
    int out[2] = {rank, rank}, in[3], code = MPI_SUCCESS, n = -1, flag = 0;
    int indices[3];
    MPI_Request sends[N_LONG], r[3];
    MPI_Status statuses[3], status;
    MPI_Message message;
    MPI_Comm w = MPI_COMM_WORLD;

    MPI_Comm_set_errhandler(w, MPI_ERRORS_RETURN);
    for (int i = 0; i < N_LONG; i++)
        MPI_Isend(out, i == 1 ? 1 : 2, MPI_INT, right, 60, w, &sends[i]);
    code = MPI_Recv(in, 1, MPI_INT, left, 60, w, MPI_STATUS_IGNORE);
    expect(class_of(code), MPI_ERR_TRUNCATE, "error of MPI_Recv");
    code = MPI_Sendrecv(out, 2, MPI_INT, right, 60, in, 1, MPI_INT, left, 60, w, &status);
    expect(code, MPI_SUCCESS, "the message that fits");
    code = MPI_Sendrecv(out, 1, MPI_INT, right, 61, in, 1, MPI_INT, left, 60, w, &status);
    expect(class_of(code), MPI_ERR_TRUNCATE, "error of MPI_Sendrecv");
    MPI_Recv(in, 1, MPI_INT, left, 61, w, MPI_STATUS_IGNORE);
    MPI_Mprobe(left, 60, w, &message, MPI_STATUS_IGNORE);
    code = MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    expect(class_of(code), MPI_ERR_TRUNCATE, "error of MPI_Mrecv");
    MPI_Irecv(in, 1, MPI_INT, left, 60, w, &r[0]);
    code = MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    expect(class_of(code), MPI_ERR_TRUNCATE, "error of MPI_Wait");
    MPI_Irecv(in, 1, MPI_INT, left, 60, w, &r[0]);
    while (!flag && code != MPI_SUCCESS)
        code = MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag ? 1 : MPI_SUCCESS;
    MPI_Irecv(in, 1, MPI_INT, left, 60, w, &r[0]);
    r[1] = MPI_REQUEST_NULL;
    code = MPI_Waitany(2, r, &n, MPI_STATUS_IGNORE);
    expect(class_of(code), MPI_ERR_TRUNCATE, "error of MPI_Waitany");
    MPI_Irecv(in, 1, MPI_INT, left, 60, w, &r[0]);
    MPI_Irecv(in + 1, 1, MPI_INT, left, 62, w, &r[1]);
    MPI_Isend(out, 1, MPI_INT, right, 62, w, &r[2]);
    code = MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    expect(class_of(code), MPI_ERR_IN_STATUS, "error of MPI_Waitall");
    for (int i = 0; i < 3; i++)
        if (r[i] != MPI_REQUEST_NULL)
            MPI_Wait(&r[i], MPI_STATUS_IGNORE);
    MPI_Irecv(in, 1, MPI_INT, left, 60, w, &r[0]);
    r[1] = MPI_REQUEST_NULL;
    code = MPI_Waitsome(2, r, &n, indices, statuses);
    expect(class_of(code), MPI_ERR_IN_STATUS, "error of MPI_Waitsome");
    expect(class_of(statuses[0].MPI_ERROR), MPI_ERR_TRUNCATE, "error in the status");
    code = MPI_Recv(in, 2, MPI_INT, left, 60, w, &status);
    MPI_Get_count(&status, MPI_INT, &n);
    expect(n, 2, "ints of the last message");
    MPI_Waitall(N_LONG, sends, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    right = (rank + 1) % n_ranks;
    left = (rank + n_ranks - 1) % n_ranks;
    blocking();
    nonblocking();
    persistent();
    given_up();
    polling();
    matched();
    both_ways();
    modes();
    looked_at();
    cancelled();
    generalized();
    partitioned();
    nobody();
    if (argc > 1 && strcmp(argv[1], "short") == 0)
        failing();
    if (argc > 1 && strcmp(argv[1], "errors") == 0)
        too_long();
    MPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("requests %s\n", all == 0 ? "ok" : "wrong");
    MPI_Finalize();
    return errors > 0;
}
