// SPDX-License-Identifier: BSD-3-Clause
/*
 * A nonblocking reduction whose result is waited for at once: the norm of the residual is summed up
 * by MPI_Iallreduce, but the preconditioner, which does not need it, runs only after MPI_Wait. One
 * rank has the longer product, the other one the longer preconditioner, by turns. Repaired: the
 * norm is waited for after the preconditioner.
 */
#include "cause.h"

enum { ITERATIONS = 60, LONG_US = 4500, SHORT_US = 1500 };

struct norm {
    double mine, all;
    MPI_Request request;
};

static uint64_t multiply(int iteration, uint64_t x)
{
    return compute((iteration + rank) % 2 ? LONG_US : SHORT_US, x);
}

static uint64_t precondition(int iteration, uint64_t x)
{
    return compute((iteration + rank) % 2 ? SHORT_US : LONG_US, x);
}

static void begin_norm(struct norm *norm, uint64_t x)
{
    norm->mine = (double)(x & 0xff);
    MPI_Iallreduce(&norm->mine, &norm->all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, // cause
                   &norm->request);                                                 // cause
}

static void finish_norm(struct norm *norm)
{
    MPI_Wait(&norm->request, MPI_STATUS_IGNORE); // cause
}

static uint64_t iterate(int iteration, uint64_t x)
{
    struct norm norm;

    x = multiply(iteration, x); // cause
    begin_norm(&norm, x);       // cause
    if (!repaired)
        finish_norm(&norm);         // cause
    x = precondition(iteration, x); // cause
    if (repaired)
        finish_norm(&norm);
    return x + (uint64_t)norm.all;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int iteration = 0; iteration < ITERATIONS; iteration++)
        x = iterate(iteration, x);
    return end(x);
}
