// SPDX-License-Identifier: BSD-3-Clause
/*
 * A chain of producer, filter and consumer: the filter of rank 1 converts each image twice and
 * holds up the two others. Repaired: it converts them once.
 */
#include "cause.h"

enum { IMAGES = 100, N = 2000 };

static double image[N];

static void pass_on(int to)
{
    MPI_Ssend(image, N, MPI_DOUBLE, to, 0, MPI_COMM_WORLD); // cause
}

static void take_from(int from)
{
    MPI_Recv(image, N, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // cause
}

static void convert(void)
{
    image[1] = (double)(compute(2500, (uint64_t)image[1]) & 0xff); // cause
}

static void filter(void)
{
    convert(); // cause
    if (!repaired)
        convert(); // cause
}

static void produce(int i)
{
    image[0] = i;
    compute(1500, (uint64_t)i);
}

static uint64_t consume(void)
{
    return compute(800, (uint64_t)image[0]);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t sum = 0;

    for (int i = 0; i < IMAGES; i++) {
        if (rank == 0) {
            produce(i);
        } else {
            take_from(rank - 1); // cause
            if (rank == 1)
                filter(); // cause
            else
                sum += consume();
        }
        if (rank < 2)
            pass_on(rank + 1); // cause
    }
    return end(sum);
}
