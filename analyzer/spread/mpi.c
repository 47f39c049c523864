// SPDX-License-Identifier: BSD-3-Clause
// The library libpagoda-mpi-NAME.so, compiled by each MPI's mpicc (module.h).
#include <assert.h>
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#include "analyzer/spread/module.h"

enum { MOST_BYTES = 1 << 30, FIRST_PAUSE_NS = 20000, LAST_PAUSE_NS = 2000000 };

static void begin(unsigned *rank, unsigned *size)
{
    int number, n, provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    *rank = (unsigned)number;
    *size = (unsigned)n;
}

// A wait of MPI's own would keep a core busy that others may work on.
static void gather(uint64_t own, uint64_t *all)
{
    struct timespec pause = {.tv_nsec = FIRST_PAUSE_NS};
    MPI_Request request;
    int is_done = 0;
    MPI_Iallgather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), !is_done) {
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < LAST_PAUSE_NS)
            pause.tv_nsec *= 2;
    }
}

static void broadcast(void *bytes, uint64_t n, unsigned from)
{
    for (uint64_t at = 0; at < n; at += MOST_BYTES) {
        uint64_t n_left = n - at;
        int n_now = n_left < MOST_BYTES ? (int)n_left : MOST_BYTES;
        MPI_Bcast((char *)bytes + at, n_now, MPI_BYTE, (int)from, MPI_COMM_WORLD);
    }
}

static void *send(const void *bytes, uint64_t n, unsigned to)
{
    assert(n <= INT_MAX && "bug: no call tree is that large");
    MPI_Request *request = malloc(sizeof *request);
    if (!request)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Isend(bytes, (int)n, MPI_BYTE, (int)to, 0, MPI_COMM_WORLD, request);
    return request;
}

static bool is_sent(void *sending)
{
    int is_done = 0;
    MPI_Test(sending, &is_done, MPI_STATUS_IGNORE);
    if (is_done)
        free(sending);
    return is_done;
}

static bool has_come(uint64_t *n, unsigned *from)
{
    MPI_Status status;
    int has = 0, count;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &has, &status);
    if (!has)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &count);
    *n = (uint64_t)count;
    *from = (unsigned)status.MPI_SOURCE;
    return true;
}

static void receive(void *bytes, uint64_t n, unsigned from)
{
    MPI_Recv(bytes, (int)n, MPI_BYTE, (int)from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end(void)
{
    MPI_Finalize();
}

extern const struct spread_module spread_module;
__attribute__((visibility("default")))
const struct spread_module spread_module = {.begin = begin,
                                            .gather = gather,
                                            .broadcast = broadcast,
                                            .send = send,
                                            .is_sent = is_sent,
                                            .has_come = has_come,
                                            .receive = receive,
                                            .end = end};
