// SPDX-License-Identifier: BSD-3-Clause
/*
 * A rank that polls and sleeps: rank 1 looks for a request every two milliseconds and sleeps in
 * between, and rank 0 waits for each answer. Repaired: rank 1 waits in MPI_Recv.
 */
#include "cause.h"

#include <unistd.h>

enum { REQUESTS = 150, TAG_STOP = 1 };

static void await_request(void)
{
    int is_there = 0;

    while (!repaired && !is_there) {
        MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE); // cause
        if (!is_there)
            usleep(2000); // cause
    }
}

static uint64_t interpolate(uint64_t x)
{
    return compute(500, x);
}

static void answer(void)
{
    for (;;) {
        uint64_t x;
        MPI_Status status;

        await_request();                                                        // cause
        MPI_Recv(&x, 1, MPI_UINT64_T, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status); // cause
        if (status.MPI_TAG == TAG_STOP)
            return;
        x = interpolate(x);
        MPI_Send(&x, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
    }
}

static uint64_t ask(uint64_t x)
{
    MPI_Send(&x, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&x, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return compute(2500, x);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    if (rank == 1) {
        answer();
        return end(0);
    }
    for (int i = 0; i < REQUESTS; i++)
        x = ask(x);
    MPI_Send(&x, 1, MPI_UINT64_T, 1, TAG_STOP, MPI_COMM_WORLD);
    return end(x);
}
