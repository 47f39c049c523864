// SPDX-License-Identifier: BSD-3-Clause
/*
 * The k-th largest of n random numbers, found twice: by sorting them, and by selection with the
 * median of medians of five. The work is in three tiny functions, so that recording every function
 * takes many times as long as the program itself: what `pagoda reduce` is for (the example of
 * TAUreduce). Rounds are dealt out to the ranks; the results are summed on rank 0.
 *
 * Check: both ways find the same number, fewer than k numbers are larger, and at least k are not
 * smaller.
 */
#include "tests/programs/program.h"

static long size = 20000, k = 2324, rounds = 4, seed = 1;

static uint64_t *numbers, *scratch; /* of the round; sorted or partitioned */

static void interchange(uint64_t *a, uint64_t *b)
{
    uint64_t kept = *a;

    *a = *b;
    *b = kept;
}

/* Descending. */
static void quicksort(uint64_t *a, long n)
{
    long last = 0;

    if (n < 2)
        return;
    interchange(&a[0], &a[n / 2]);
    for (long i = 1; i < n; i++)
        if (a[i] > a[0])
            interchange(&a[++last], &a[i]);
    interchange(&a[0], &a[last]);
    quicksort(a, last);
    quicksort(a + last + 1, n - last - 1);
}

/* Descending, at most five. */
static void sort_5elements(uint64_t *a, long n)
{
    for (long i = 1; i < n; i++)
        for (long j = i; j > 0 && a[j] > a[j - 1]; j--)
            interchange(&a[j], &a[j - 1]);
}

/* The rank-th largest (from 0) of n, which are put in another order. */
static uint64_t select_kth_largest(uint64_t *a, long n, long rank)
{
    long n_groups = (n + 4) / 5, n_larger = 0, n_equal = 0;

    if (n <= 5) {
        sort_5elements(a, n);
        return a[rank];
    }
    for (long i = 0; i < n_groups; i++) {
        long n_members = n - 5 * i < 5 ? n - 5 * i : 5;

        sort_5elements(a + 5 * i, n_members);
        interchange(&a[i], &a[5 * i + n_members / 2]);
    }
    uint64_t median = select_kth_largest(a, n_groups, n_groups / 2);
    for (long i = 0; i < n; i++)
        if (a[i] > median)
            interchange(&a[n_larger++], &a[i]);
    for (long i = n_larger; i < n; i++)
        if (a[i] == median)
            interchange(&a[n_larger + n_equal++], &a[i]);
    if (rank < n_larger)
        return select_kth_largest(a, n_larger, rank);
    if (rank < n_larger + n_equal)
        return median;
    return select_kth_largest(a + n_larger + n_equal, n - n_larger - n_equal,
                              rank - n_larger - n_equal);
}

static uint64_t kth_largest_qs(void)
{
    quicksort(scratch, size);
    return scratch[k - 1];
}

static void setup(long round)
{
    for (long i = 0; i < size; i++)
        numbers[i] = program_random((uint64_t)(seed + round), (uint64_t)i) >> 24;
}

/* NULL, or what is wrong with the number found. */
static const char *check(uint64_t found, uint64_t by_selection)
{
    long n_larger = 0, n_equal = 0;

    for (long i = 0; i < size; i++) {
        n_larger += numbers[i] > found;
        n_equal += numbers[i] == found;
    }
    if (found != by_selection)
        return "sorting and selection differ";
    return n_larger < k && n_larger + n_equal >= k ? NULL : "it is not the k-th largest";
}

static const char *run_rounds(const struct program *program, uint64_t *sum)
{
    const char *wrong = NULL;
    long end = program_block(rounds, program->n_ranks, program->rank + 1);

    for (long round = program_block(rounds, program->n_ranks, program->rank); round < end;
         round++) {
        setup(round);
        memcpy(scratch, numbers, (size_t)size * sizeof *numbers);
        uint64_t found = kth_largest_qs() + (program->spoiled && round == 0);
        memcpy(scratch, numbers, (size_t)size * sizeof *numbers);
        const char *mine = check(found, select_kth_largest(scratch, size, k - 1));
        wrong = wrong ? wrong : mine;
        *sum += found;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    const struct program_option options[] = {
        {"size", "N", &size, 10, 100000000, "numbers"},
        {"k", "K", &k, 1, 100000000, "which is looked for"},
        {"rounds", "R", &rounds, 1, 1000000, "how often, with other numbers"},
        {"seed", "N", &seed, 0, 1000000, "of the numbers"},
        {NULL, NULL, NULL, 0, 0, NULL},
    };
    struct program program = {.name = "kth",
                              .summary = "k-th largest number by sorting and by selection",
                              .rank_rule = "Any number of ranks.",
                              .min_ranks = 1,
                              .options = options};
    uint64_t sum = 0, total = 0;

    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    if (status == -1) {
        k = k < size ? k : size;
        numbers = program_alloc((size_t)size, sizeof *numbers);
        scratch = program_alloc((size_t)size, sizeof *scratch);
        double begin_s = MPI_Wtime();
        const char *wrong = run_rounds(&program, &sum);
        MPI_Reduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
        program_time(&program, "rounds", begin_s);
        if (program.rank == 0)
            printf("kth: %ld of %ld, %ld rounds, sum %" PRIu64 "\n", k, size, rounds, total);
        free(numbers);
        free(scratch);
        status = program_end(&program, wrong);
    }
    MPI_Finalize();
    return status;
}
