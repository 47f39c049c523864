// SPDX-License-Identifier: BSD-3-Clause
/* Messages longer than their receives, in each function that may complete one. */
#include "every.h"

enum { N = 3 };

static int in[N][2];
static MPI_Request requests[N];
static MPI_Status statuses[N];

/* Three receives of two numbers; the second message has four. */
static void start(void)
{
    int out[4] = {rank, rank, rank, rank};

    memset(statuses, 0, sizeof statuses);
    for (int i = 0; i < N; i++)
        TRY(MPI_Irecv, in[i], 2, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    TRY(MPI_Barrier, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        TRY(MPI_Send, out, i == 1 ? 4 : 2, MPI_INT, right, i, MPI_COMM_WORLD);
    TRY(MPI_Barrier, MPI_COMM_WORLD);
}

/* An MPI may leave the other requests or give them up; what it does is what we print. */
static void tell(const char *function, int result, bool with_statuses)
{
    int error_class = -1;

    MPI_Error_class(result, &error_class);
    say("%s: class %d", function, error_class);
    for (int i = 0; i < N; i++) {
        if (with_statuses)
            MPI_Error_class(statuses[i].MPI_ERROR, &error_class);
        say("  request %d: %s, error %d", i, requests[i] == MPI_REQUEST_NULL ? "gone" : "there",
            with_statuses ? error_class : -1);
    }
    for (int i = 0; i < N; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void single(void)
{
    int four[4] = {0}, flag = 0, result = 0;
    MPI_Request request;
    MPI_Message message;

    for (int way = 0; way < 8; way++) {
        MPI_Status status = {0};
        MPI_Status *use = way % 2 == 0 ? &status : MPI_STATUS_IGNORE;

        TRY(MPI_Irecv, four, 4, MPI_INT, left, 50, MPI_COMM_WORLD, &request);
        TRY(MPI_Barrier, MPI_COMM_WORLD);
        TRY(MPI_Send, four, 4, MPI_INT, right, 51, MPI_COMM_WORLD);
        if (way / 2 == 0)
            result = MPI_Recv(in[0], 2, MPI_INT, left, 51, MPI_COMM_WORLD, use);
        if (way / 2 == 1)
            result = MPI_Sendrecv(in[1], 1, MPI_INT, right, 52, in[0], 2, MPI_INT, left, 51,
                                  MPI_COMM_WORLD, use);
        if (way / 2 == 2) {
            TRY(MPI_Mprobe, left, 51, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            result = MPI_Mrecv(in[0], 2, MPI_INT, &message, use);
        }
        if (way / 2 == 3) {
            MPI_Request one;

            TRY(MPI_Irecv, in[0], 2, MPI_INT, left, 51, MPI_COMM_WORLD, &one);
            result = MPI_SUCCESS;
            for (flag = 0; !flag && result == MPI_SUCCESS;)
                result = MPI_Test(&one, &flag, use);
            say("request after MPI_Test: %s", one == MPI_REQUEST_NULL ? "gone" : "there");
        }
        if (way / 2 == 1)
            TRY(MPI_Recv, in[1], 1, MPI_INT, left, 52, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        refused("a short receive", result, MPI_ERR_TRUNCATE);
        TRY(MPI_Send, four, 4, MPI_INT, right, 50, MPI_COMM_WORLD);
        TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    }
}

static void several(bool with_statuses)
{
    MPI_Status *use = with_statuses ? statuses : MPI_STATUSES_IGNORE;
    int indices[N], n_done = 0, flag = 0, result = MPI_SUCCESS, index = -1;

    start();
    tell("MPI_Waitall", MPI_Waitall(N, requests, use), with_statuses);
    start();
    while (!flag && result == MPI_SUCCESS)
        result = MPI_Testall(N, requests, &flag, use);
    tell("MPI_Testall", result, with_statuses);
    start();
    result = MPI_Waitsome(N, requests, &n_done, indices, use);
    say("%d done", n_done);
    tell("MPI_Waitsome", result, with_statuses);
    start();
    result = MPI_Testsome(N, requests, &n_done, indices, use);
    tell("MPI_Testsome", result, with_statuses);
    start();
    for (int i = 0; i < N; i++) {
        result = MPI_Waitany(N, requests, &index, use);
        say("MPI_Waitany: %s, index %d", text_of(result), index);
    }
    tell("MPI_Waitany", result, false);
    start();
    for (int i = 0; i < N; i++) {
        for (flag = 0, result = MPI_SUCCESS; !flag && result == MPI_SUCCESS;)
            result = MPI_Testany(N, requests, &index, &flag, use);
        say("MPI_Testany: %s, index %d", text_of(result), index);
    }
    tell("MPI_Testany", result, false);
}

CHAPTER(faults)
{
    single();
    several(true);
    several(false);
}
