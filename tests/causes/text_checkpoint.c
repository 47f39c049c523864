// SPDX-License-Identifier: BSD-3-Clause
/*
 * A checkpoint in text: every tenth step rank 0 gathers the field and prints all its numbers, and
 * the others wait for it at the next reduction. Repaired: each rank prints its own part.
 */
#include "cause.h"

enum { STEPS = 100, EVERY = 10, N = 60000, WIDTH = 25 };

static double mine[N];

static uint64_t solve(uint64_t x)
{
    for (int i = 1; i < N - 1; i++)
        mine[i] = 0.5 * mine[i] + 0.25 * (mine[i - 1] + mine[i + 1]);
    return compute(3000, x);
}

static double norm(void)
{
    double sum = 0, all;

    for (int i = 0; i < N; i++)
        sum += mine[i] * mine[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // cause
    return all;
}

static char *print_numbers(const double *numbers, int n, char *text)
{
    for (int i = 0; i < n; i++)
        text += sprintf(text, "%.16e\n", numbers[i]); // cause
    return text;
}

static void write_checkpoint(FILE *file)
{
    int n = repaired ? N : N * n_ranks;
    char *text = program_alloc((size_t)n, WIDTH);
    double *all = program_alloc((size_t)n, sizeof *all);

    if (!repaired)
        MPI_Gather(mine, N, MPI_DOUBLE, all, N, MPI_DOUBLE, 0, MPI_COMM_WORLD); // cause
    if (repaired || rank == 0) {
        char *last = print_numbers(repaired ? mine : all, n, text); // cause

        rewind(file);
        fwrite(text, 1, (size_t)(last - text), file); // cause
    }
    free(text);
    free(all);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    FILE *file = tmpfile();
    uint64_t x = (uint64_t)rank;
    double sum = 0;

    for (int i = 0; i < N; i++)
        mine[i] = program_uniform((uint64_t)rank, (uint64_t)i);
    for (int step = 1; step <= STEPS; step++) {
        x = solve(x);
        sum += norm();
        if (step % EVERY == 0)
            write_checkpoint(file); // cause
    }
    fclose(file);
    return end(x + (uint64_t)sum);
}
