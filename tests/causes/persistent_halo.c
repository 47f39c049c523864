// SPDX-License-Identifier: BSD-3-Clause
/*
 * A halo exchange by persistent requests that is completed at once, before the interior is
 * computed; by turns one of the ranks is late with its boundary. The messages are larger than
 * those that Open MPI moves while their receiver computes, so computing the interior first gains
 * nothing. Repaired: the interior first, with calls of MPI_Testall in it.
 */
#include "cause.h"

enum { STEPS = 80, N = 500, BLOCKS = 20 };

static double mine[N], theirs[N];
static MPI_Request halo[2];

static uint64_t boundary_chemistry(int step, uint64_t x)
{
    bool is_stiff = (step / 3 + rank) % 2 == 0;

    x = compute(is_stiff ? 5000 : 300, x); // cause
    mine[0] = (double)(x & 0xff);
    return x;
}

static void start_exchange(void)
{
    MPI_Startall(2, halo); // cause
}

static void finish_exchange(void)
{
    MPI_Waitall(2, halo, MPI_STATUSES_IGNORE); // cause
}

static uint64_t interior(uint64_t x)
{
    int is_over;

    for (int block = 0; block < BLOCKS; block++) {
        x = compute(6000 / BLOCKS, x);
        if (repaired)
            MPI_Testall(2, halo, &is_over, MPI_STATUSES_IGNORE);
    }
    return x;
}

static uint64_t time_step(int step, uint64_t x)
{
    x = boundary_chemistry(step, x); // cause
    start_exchange();                // cause
    if (!repaired)
        finish_exchange(); // cause
    x = interior(x);       // cause
    if (repaired)
        finish_exchange();
    return x;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 1;

    MPI_Recv_init(theirs, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &halo[0]);
    MPI_Send_init(mine, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &halo[1]);
    for (int step = 0; step < STEPS; step++)
        x = time_step(step, x);
    MPI_Request_free(&halo[0]);
    MPI_Request_free(&halo[1]);
    return end(x);
}
