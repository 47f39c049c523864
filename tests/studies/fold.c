// SPDX-License-Identifier: BSD-3-Clause
/*
 * Chains are folded, long ones take longer. For a study of three versions, pagoda-experiments(7):
 *
 *   VERSION 1   rank 0 generates all chains alone and broadcasts them
 *   VERSION 2   each rank generates its own, a block of them: the last ranks get the long ones
 *   VERSION 3   each rank generates its own, every n-th
 *
 * Prints the sum of the energies, the same for all versions and any number of ranks.
 */
#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef STEPS
#define STEPS 40000 // of a chain, times its number
#endif
enum { N_CHAINS = 48 };

static int rank, n_ranks;
static uint64_t chains[N_CHAINS];

static uint64_t steps(uint64_t x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 6364136223846793005U + 1442695040888963407U;
    return x;
}

static void generate(int chain)
{
    chains[chain] = steps((uint64_t)chain, STEPS * 10);
}

static int is_mine(int chain)
{
#if VERSION == 3
    return chain % n_ranks == rank;
#else
    return chain >= N_CHAINS * rank / n_ranks && chain < N_CHAINS * (rank + 1) / n_ranks;
#endif
}

static void generate_all(void)
{
#if VERSION == 1
    if (rank == 0)
        for (int chain = 0; chain < N_CHAINS; chain++)
            generate(chain);
    MPI_Bcast(chains, N_CHAINS, MPI_UINT64_T, 0, MPI_COMM_WORLD);
#else
    for (int chain = 0; chain < N_CHAINS; chain++)
        if (is_mine(chain))
            generate(chain);
#endif
}

static uint64_t fold_part(int chain)
{
    return steps(chains[chain], STEPS * chain) >> 16;
}

static uint64_t fold(void)
{
    uint64_t energy = 0;

    for (int chain = 0; chain < N_CHAINS; chain++)
        if (is_mine(chain))
            energy += fold_part(chain);
    return energy;
}

static uint64_t sum_up(uint64_t energy)
{
    uint64_t total;

    MPI_Allreduce(&energy, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    generate_all();
    uint64_t total = sum_up(fold());
    if (rank == 0)
        printf("fold: %" PRIu64 "\n", total);
    MPI_Finalize();
    return 0;
}
