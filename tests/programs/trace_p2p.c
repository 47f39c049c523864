// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every kind of point-to-point message once, between neighbours in a ring of an even number of
 * ranks; prints "p2p ok" if all data arrived. With an argument also errors that the program
 * handles. For the tests of the tracer.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
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

static void cancelled(void)
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
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &code);
    expect(code, MPI_ERR_TRUNCATE, "error of a receive that is too short");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    code = MPI_Send(out, -1, MPI_INT, right, 12, MPI_COMM_WORLD);
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &code);
    expect(code, MPI_ERR_COUNT, "error of a negative count");
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
    cancelled();
    polling();
    matched();
    if (argc > 1)
        failing();
    MPI_Reduce(&errors, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("p2p %s\n", all == 0 ? "ok" : "wrong");
    MPI_Finalize();
    return errors > 0;
}
