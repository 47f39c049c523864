// SPDX-License-Identifier: BSD-3-Clause
/*
 * Imbalance behind MPI_Waitany: rank 0 adds the parts of the stiffness matrix as they arrive, so no
 * receive of it waits for a particular rank. Rank 2 has the curved elements, which cost more, and
 * the others wait for it in each step. Repaired: elements are dealt like cards.
 */
#include "cause.h"

enum { STEPS = 60, N = 2000, ELEMENTS = 40, CURVED = 20, FLAT_US = 75, CURVED_US = 325 };
enum { MAX_RANKS = 8 };

static double state[N], parts[MAX_RANKS][N];

static uint64_t integrate_element(int element)
{
    return compute(element < CURVED ? FLAT_US : CURVED_US, (uint64_t)element); // cause
}

static uint64_t assemble_elements(void)
{
    int n_workers = n_ranks - 1, worker = rank - 1;
    uint64_t sum = 0;

    for (int element = 0; element < ELEMENTS; element++) {
        int owner = repaired ? element % n_workers : element * n_workers / ELEMENTS;

        if (owner == worker)
            sum += integrate_element(element); // cause
    }
    return sum;
}

static uint64_t add_part(const double *part)
{
    compute(150, 5);
    return (uint64_t)part[0];
}

/* Adds the parts of all other ranks, whichever comes first. */
static uint64_t add_parts(void)
{
    MPI_Request requests[MAX_RANKS];
    uint64_t sum = 0;

    for (int from = 1; from < n_ranks; from++)
        MPI_Irecv(parts[from], N, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &requests[from - 1]);
    for (int i = 1; i < n_ranks; i++) {
        int which;

        MPI_Waitany(n_ranks - 1, requests, &which, MPI_STATUS_IGNORE); // cause
        sum += add_part(parts[which + 1]);
    }
    return sum;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = 0;

    for (int step = 0; step < STEPS; step++) {
        MPI_Bcast(state, N, MPI_DOUBLE, 0, MPI_COMM_WORLD); // cause
        if (rank == 0) {
            x += add_parts();
            state[0] = (double)(step % 7);
        } else {
            x += assemble_elements(); // cause
            parts[0][0] = state[0] + step;
            MPI_Send(parts[0], N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); // cause
        }
    }
    return end(x);
}
