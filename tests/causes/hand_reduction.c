// SPDX-License-Identifier: BSD-3-Clause
/*
 * A reduction by hand: rank 0 receives the histograms of all others and merges them alone.
 * Repaired: each rank merges its share of the bins.
 */
#include "cause.h"

enum { STEPS = 60, BINS = 1000 };

static uint64_t mine[BINS], theirs[BINS];

static uint64_t fill(uint64_t x)
{
    mine[x % BINS]++;
    return compute(2500, x);
}

static uint64_t merge(int n_bins)
{
    uint64_t sum = 0;

    for (int bin = 0; bin < n_bins; bin++)
        sum += mine[bin] + theirs[bin];
    compute(6L * n_bins, sum); // cause
    return sum;
}

static void send_bins(int first, int n_bins, int to)
{
    MPI_Send(&mine[first], n_bins, MPI_UINT64_T, to, 0, MPI_COMM_WORLD); // cause
}

static void receive_bins(int n_bins, int from)
{
    MPI_Recv(theirs, n_bins, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // cause
}

static uint64_t merge_all(void)
{
    uint64_t sum = 0;

    if (repaired) {
        send_bins((1 - rank) * BINS / 2, BINS / 2, 1 - rank);
        receive_bins(BINS / 2, 1 - rank);
        merge(BINS / 2);
    } else if (rank > 0) {
        send_bins(0, BINS, 0);
    } else {
        receive_bins(BINS, 1);
        sum = merge(BINS); // cause
    }
    MPI_Bcast(&sum, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD); // cause
    return sum;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t x = (uint64_t)rank;

    for (int step = 0; step < STEPS; step++) {
        x = fill(x);
        merge_all();
    }
    return end(x);
}
