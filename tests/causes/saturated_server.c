// SPDX-License-Identifier: BSD-3-Clause
/*
 * A saturated server: three clients ask rank 0, which searches its list from the begin for each
 * key. Repaired: the server finds the key by an index.
 */
#include "cause.h"

enum { REQUESTS = 200, TAG_STOP = 1 };

static uint64_t look_up(uint64_t key)
{
    if (!repaired)
        compute(1500, key);   // cause
    return compute(100, key); // cause
}

static uint64_t serve(void)
{
    for (int n_clients = n_ranks - 1; n_clients > 0;) {
        uint64_t key;
        MPI_Status status;

        MPI_Recv(&key, 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 &status); // cause
        if (status.MPI_TAG == TAG_STOP) {
            n_clients--;
            continue;
        }
        key = look_up(key);                                                    // cause
        MPI_Send(&key, 1, MPI_UINT64_T, status.MPI_SOURCE, 0, MPI_COMM_WORLD); // cause
    }
    return 0;
}

static uint64_t think(uint64_t x)
{
    return compute(600, x);
}

static uint64_t ask(uint64_t key)
{
    MPI_Send(&key, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(&key, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return key;
}

static uint64_t client(void)
{
    uint64_t x = (uint64_t)rank;

    for (int i = 0; i < REQUESTS; i++)
        x = ask(think(x));
    MPI_Send(&x, 1, MPI_UINT64_T, 0, TAG_STOP, MPI_COMM_WORLD);
    return x;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    return end(rank == 0 ? serve() : client());
}
