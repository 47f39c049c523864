// SPDX-License-Identifier: BSD-3-Clause
/* Messages in a ring: every send mode, blocking, nonblocking and persistent, probes, matched ones.
 */
#include "every.h"

enum { N = 5 };

typedef int send_function(const void *, count_t, MPI_Datatype, int, int, MPI_Comm);
typedef int start_function(const void *, count_t, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

#define MODE(name)                                                                                 \
    {                                                                                              \
        COUNTED_TEXT(name), COUNTED(name)                                                          \
    }
static const struct {
    const char *name;
    send_function *send;
} blocking[] = {MODE(MPI_Send), MODE(MPI_Bsend), MODE(MPI_Ssend), MODE(MPI_Rsend)};
static const struct {
    const char *name;
    start_function *start;
} nonblocking[] = {MODE(MPI_Isend), MODE(MPI_Ibsend), MODE(MPI_Issend), MODE(MPI_Irsend)},
  persistent[] = {MODE(MPI_Send_init), MODE(MPI_Bsend_init), MODE(MPI_Ssend_init),
                  MODE(MPI_Rsend_init)};

static int out[N], in[N];

static void fill(int seed)
{
    for (int i = 0; i < N; i++) {
        out[i] = 1000 * rank + 10 * seed + i;
        in[i] = -1;
    }
}

/* What the left neighbour filled in arrived, with this tag. */
static void check(int seed, const MPI_Status *status, int tag)
{
    count_t count = -1, elements = -1;
    MPI_Status copy = *status;

    for (int i = 0; i < N; i++)
        EQUAL(in[i], 1000 * left + 10 * seed + i);
    EQUAL(status->MPI_SOURCE, left);
    EQUAL(status->MPI_TAG, tag);
    TRY_COUNTED(MPI_Get_count, &copy, MPI_INT, &count);
    TRY_COUNTED(MPI_Get_elements, &copy, MPI_INT, &elements);
    EQUAL(count, N);
    EQUAL(elements, N);
}

static void send_modes(void)
{
    MPI_Request receive, send;
    MPI_Status status;

    for (int i = 0; i < 4; i++) {
        fill(i);
        TRY_COUNTED(MPI_Irecv, in, N, MPI_INT, left, i, MPI_COMM_WORLD, &receive);
        TRY(MPI_Barrier, MPI_COMM_WORLD); /* for the ready mode */
        tried(blocking[i].name, blocking[i].send(out, N, MPI_INT, right, i, MPI_COMM_WORLD));
        TRY(MPI_Wait, &receive, &status);
        check(i, &status, i);
    }
    for (int i = 0; i < 4; i++) {
        fill(i);
        TRY_COUNTED(MPI_Irecv, in, N, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                    &receive);
        TRY(MPI_Barrier, MPI_COMM_WORLD);
        tried(nonblocking[i].name,
              nonblocking[i].start(out, N, MPI_INT, right, 10 + i, MPI_COMM_WORLD, &send));
        TRY(MPI_Wait, &send, MPI_STATUS_IGNORE);
        TRY(MPI_Wait, &receive, &status);
        check(i, &status, 10 + i);
        TRY(MPI_Barrier, MPI_COMM_WORLD);
    }
}

static void persistent_modes(void)
{
    MPI_Request receive, send;
    MPI_Status status;

    for (int i = 0; i < 4; i++) {
        TRY_COUNTED(MPI_Recv_init, in, N, MPI_INT, left, 20, MPI_COMM_WORLD, &receive);
        tried(persistent[i].name,
              persistent[i].start(out, N, MPI_INT, right, 20, MPI_COMM_WORLD, &send));
        for (int round = 0; round < 2; round++) {
            fill(round);
            TRY(MPI_Start, &receive);
            TRY(MPI_Barrier, MPI_COMM_WORLD);
            TRY(MPI_Startall, 1, &send);
            TRY(MPI_Wait, &send, MPI_STATUS_IGNORE);
            TRY(MPI_Wait, &receive, &status);
            check(round, &status, 20);
        }
        TRY(MPI_Request_free, &send);
        TRY(MPI_Request_free, &receive);
        EQUAL(send == MPI_REQUEST_NULL, true);
    }
}

static void exchanges(void)
{
    MPI_Status status;

    fill(1);
    TRY_COUNTED(MPI_Sendrecv, out, N, MPI_INT, right, 30, in, N, MPI_INT, left, 30, MPI_COMM_WORLD,
                &status);
    check(1, &status, 30);
    fill(2);
    memcpy(in, out, sizeof in);
    TRY_COUNTED(MPI_Sendrecv_replace, in, N, MPI_INT, right, 31, left, 31, MPI_COMM_WORLD, &status);
    check(2, &status, 31);
#ifdef HAVE_MPI_Isendrecv
    MPI_Request request;

    fill(3);
    TRY_COUNTED(MPI_Isendrecv, out, N, MPI_INT, right, 32, in, N, MPI_INT, left, 32, MPI_COMM_WORLD,
                &request);
    TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    EQUAL(in[N - 1], 1000 * left + 30 + N - 1);
    fill(4);
    memcpy(in, out, sizeof in);
    TRY_COUNTED(MPI_Isendrecv_replace, in, N, MPI_INT, right, 33, left, 33, MPI_COMM_WORLD,
                &request);
    TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    EQUAL(in[N - 1], 1000 * left + 40 + N - 1);
    if (n_ranks % 2 == 0) { /* half of the ranks send, the others receive */
        TRY_COUNTED(MPI_Isendrecv, out, N, MPI_INT, rank % 2 ? MPI_PROC_NULL : right, 34, in, N,
                    MPI_INT, rank % 2 ? left : MPI_PROC_NULL, 34, MPI_COMM_WORLD, &request);
        TRY(MPI_Wait, &request, MPI_STATUS_IGNORE);
    }
#endif
}

/* Receives after a probe of each kind; the message is on its way when the probe starts. */
static void probes(void)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request send, receive;
    MPI_Status status;
    int found = 0;

    for (int kind = 0; kind < 4; kind++) {
        fill(kind);
        TRY_COUNTED(MPI_Isend, out, N, MPI_INT, right, 40 + kind, MPI_COMM_WORLD, &send);
        found = 0;
        if (kind == 0)
            TRY(MPI_Probe, left, 40, MPI_COMM_WORLD, &status);
        while (kind == 1 && !found)
            TRY(MPI_Iprobe, left, 41, MPI_COMM_WORLD, &found, &status);
        if (kind == 2)
            TRY(MPI_Mprobe, MPI_ANY_SOURCE, 42, MPI_COMM_WORLD, &message, &status);
        while (kind == 3 && !found)
            TRY(MPI_Improbe, left, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &message, &status);
        EQUAL(status.MPI_SOURCE, left);
        if (kind < 2) {
            TRY_COUNTED(MPI_Recv, in, N, MPI_INT, left, 40 + kind, MPI_COMM_WORLD, &status);
        } else if (kind == 2) {
            TRY_COUNTED(MPI_Mrecv, in, N, MPI_INT, &message, &status);
            EQUAL(message == MPI_MESSAGE_NULL, true);
        } else {
            TRY_COUNTED(MPI_Imrecv, in, N, MPI_INT, &message, &receive);
            TRY(MPI_Wait, &receive, &status);
        }
        check(kind, &status, 40 + kind);
        TRY(MPI_Wait, &send, MPI_STATUS_IGNORE);
    }
    TRY(MPI_Iprobe, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    EQUAL(found, 0);
}

/* Messages to and from MPI_PROC_NULL; probes find one at once. */
static void nobody(void)
{
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request both[2];
    MPI_Status status;
    int found = 0;

    fill(0);
    TRY_COUNTED(MPI_Send, out, N, MPI_INT, MPI_PROC_NULL, 50, w);
    TRY_COUNTED(MPI_Recv, in, N, MPI_INT, MPI_PROC_NULL, 50, w, &status);
    EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    TRY_COUNTED(MPI_Sendrecv, out, N, MPI_INT, MPI_PROC_NULL, 50, in, N, MPI_INT, MPI_PROC_NULL, 50,
                w, &status);
    EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    TRY_COUNTED(MPI_Irecv, in, N, MPI_INT, MPI_PROC_NULL, 50, w, &both[0]);
    TRY_COUNTED(MPI_Isend, out, N, MPI_INT, MPI_PROC_NULL, 50, w, &both[1]);
    TRY(MPI_Waitall, 2, both, MPI_STATUSES_IGNORE);
    TRY(MPI_Probe, MPI_PROC_NULL, 50, w, &status);
    EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    TRY(MPI_Iprobe, MPI_PROC_NULL, 50, w, &found, MPI_STATUS_IGNORE);
    EQUAL(found, true);
    TRY(MPI_Improbe, MPI_PROC_NULL, 50, w, &found, &message, MPI_STATUS_IGNORE);
    TRY_COUNTED(MPI_Mrecv, in, N, MPI_INT, &message, &status);
    EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    TRY(MPI_Mprobe, MPI_PROC_NULL, 50, w, &message, MPI_STATUS_IGNORE);
    EQUAL(message == MPI_MESSAGE_NO_PROC, true);
    TRY_COUNTED(MPI_Imrecv, in, N, MPI_INT, &message, &both[0]);
    TRY(MPI_Wait, &both[0], MPI_STATUS_IGNORE);
    EQUAL(in[0], -1);
}

CHAPTER(p2p)
{
    static char buffer[100 * (MPI_BSEND_OVERHEAD + sizeof out)];
    void *detached = NULL;
    count_t size = 0;

    TRY_COUNTED(MPI_Buffer_attach, buffer, sizeof buffer);
    send_modes();
    persistent_modes();
    exchanges();
    probes();
    nobody();
    TRY_COUNTED(MPI_Buffer_detach, &detached, &size);
    EQUAL(detached == buffer, true);
    EQUAL(size, sizeof buffer);
}
