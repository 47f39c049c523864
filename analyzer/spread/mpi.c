// SPDX-License-Identifier: BSD-3-Clause
// The library libpagoda-mpi-NAME.so, compiled by each MPI's mpicc (module.h).
#include <mpi.h>
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

static void end(void)
{
    MPI_Finalize();
}

extern const struct spread_module spread_module;
__attribute__((visibility("default")))
const struct spread_module spread_module = {begin, gather, broadcast, end};
