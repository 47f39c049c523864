// SPDX-License-Identifier: BSD-3-Clause
/*
 * An adaptive mesh of quadtrees: from step 30 on a shock is in the domain of rank 1, whose trees
 * are refined, so that rank 1 has three times the cells of rank 0 in each further step. Repaired:
 * the trees are dealt like cards.
 */
#include "cause.h"

enum { STEPS = 80, SHOCK_FROM = 30, TREES = 16, SHOCKED = 10, CELL_US = 60, EDGE = 200 };

static double edges[2][EDGE];

static uint64_t advance_cell(uint64_t cell)
{
    return compute(CELL_US, cell); // cause
}

/* All cells of a tree, which has 4^levels. */
static uint64_t advance_tree(uint64_t node, int levels)
{
    uint64_t sum = 0;

    if (levels == 0)
        return advance_cell(node); // cause
    for (uint64_t child = 1; child <= 4; child++)
        sum += advance_tree(4 * node + child, levels - 1); // cause
    return sum;
}

static uint64_t advance_mesh(int step)
{
    uint64_t sum = 0;

    for (int tree = 0; tree < TREES; tree++) {
        bool is_refined = step >= SHOCK_FROM && tree >= SHOCKED;
        int owner = repaired ? tree % n_ranks : (int)(tree * n_ranks / TREES);

        if (owner == rank)
            sum += advance_tree((uint64_t)tree, is_refined ? 2 : 1); // cause
    }
    return sum;
}

static void exchange_ghosts(void)
{
    MPI_Request requests[2];

    MPI_Irecv(edges[1], EDGE, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(edges[0], EDGE, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // cause
}

static double limit_time_step(uint64_t x)
{
    double mine = 1 + (double)(x & 0xff), limit;

    MPI_Allreduce(&mine, &limit, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD); // cause
    return limit;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 0;

    for (int step = 0; step < STEPS; step++) {
        exchange_ghosts();       // cause
        x += advance_mesh(step); // cause
        edges[0][0] = limit_time_step(x);
    }
    return end(x);
}
