// SPDX-License-Identifier: BSD-3-Clause
/*
 * Moving imbalance: a front passes through the domain, and the rank that has it computes three
 * times as long in this step. Over all steps the ranks have equal work. Repaired: the cells of the
 * front are divided.
 */
#include "cause.h"

enum { STEPS = 60, QUIET_US = 2500, FRONT_US = 7500, PARTS = 10 };

static uint64_t advance_cells(int step)
{
    uint64_t x = 0;

    for (int part = 0; part < 2 * PARTS; part++) {
        int owner = repaired ? part % 2 : part / PARTS;
        bool has_front = part / PARTS == step / 2 % 2;

        if (owner == rank)
            x += compute((has_front ? FRONT_US : QUIET_US) / PARTS, (uint64_t)part); // cause
    }
    return x;
}

static void exchange_edges(double *edge)
{
    double other;

    MPI_Sendrecv(edge, 1, MPI_DOUBLE, 1 - rank, 0, &other, 1, MPI_DOUBLE, 1 - rank, 0, // cause
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                   // cause
    *edge = (*edge + other) / 2;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 0;
    double edge = rank;

    for (int step = 0; step < STEPS; step++) {
        x += advance_cells(step);
        exchange_edges(&edge);
    }
    return end(x);
}
