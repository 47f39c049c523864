// SPDX-License-Identifier: BSD-3-Clause
/*
 * A sample sort with a bad splitter: most keys are small, so that rank 0 gets nine tenths of them.
 * Repaired: the splitter is the median of a sample.
 */
#include "cause.h"

enum { ROUNDS = 6, N = 300000 };

PROGRAM_INNER int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void make_keys(uint64_t *keys, int round)
{
    for (int i = 0; i < N; i++) {
        uint64_t number = program_random((uint64_t)(2 * round + rank), (uint64_t)i) % 1000000;

        keys[i] = number * number;
    }
}

static uint64_t splitter(void)
{
    return repaired ? UINT64_C(250000000000) : UINT64_C(810000000000);
}

static int divide(uint64_t *keys, uint64_t at)
{
    int low = 0;

    for (int i = 0; i < N; i++)
        if (keys[i] < at) {
            uint64_t key = keys[i];

            keys[i] = keys[low];
            keys[low++] = key;
        }
    return low;
}

static int exchange_keys(uint64_t *keys, uint64_t *mine)
{
    int low = divide(keys, splitter());
    int to[2] = {low, N - low}, from[2], sent[2] = {0, low}, got[2] = {0, 0};

    MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD);
    got[1] = from[0];
    MPI_Alltoallv(keys, to, sent, MPI_UINT64_T, mine, from, got, MPI_UINT64_T,
                  MPI_COMM_WORLD); // cause
    return from[0] + from[1];
}

static uint64_t sort_keys(uint64_t *keys, int n)
{
    uint64_t sum = 0;

    qsort(keys, (size_t)n, sizeof *keys, compare); // cause
    for (int i = 0; i < n; i++)
        sum += keys[i];
    return sum;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    uint64_t *keys = program_alloc(N, sizeof *keys), *mine = program_alloc(2 * N, sizeof *mine);
    uint64_t sum = 0;

    for (int round = 0; round < ROUNDS; round++) {
        make_keys(keys, round);
        sum += sort_keys(mine, exchange_keys(keys, mine)); // cause
        MPI_Barrier(MPI_COMM_WORLD);                       // cause
    }
    free(keys);
    free(mine);
    return end(sum);
}
