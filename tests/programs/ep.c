// SPDX-License-Identifier: BSD-3-Clause
/*
 * Embarrassingly parallel, in the spirit of the NAS kernel EP: pairs of uniform numbers become
 * pairs of Gaussian numbers by Marsaglia's polar method; their sums and the counts of the pairs by
 * max(|x|, |y|) are added up over all ranks, once an iteration.
 *
 * Check: the share of accepted pairs, the sums and the counts must be what the distributions
 * promise, within 7 standard deviations.
 */
#include "program.h"

enum { N_RINGS = 8, SUM_BITS = 30, MAX_DEVIATIONS = 7 };

/* What is added up; sums in units of 2^-SUM_BITS, so that the order of adding does not matter. */
struct tally {
    int64_t n_pairs, n_accepted, sum_x, sum_y;
    int64_t rings[N_RINGS]; /* pairs with ring <= max(|x|, |y|) < ring + 1, the last without end */
};
enum { TALLY_WORDS = sizeof(struct tally) / sizeof(int64_t) };

static long size_log2 = 24, n_iterations = 4, skew, seed = 1;

static const struct program_option options[] = {
    {"size", "K", &size_log2, 6, 40, "2^K pairs in all"},
    {"iterations", "N", &n_iterations, 1, 1000000, "parts they are made in, each with a reduction"},
    {"skew", "P", &skew, 0, 10000, "percent by which the last rank has more work than the first"},
    {"seed", "N", &seed, 0, 1000000, "seed of the random numbers"},
    {0}};

static struct program program = {
    .name = "ep",
    .summary = "Makes Gaussian pairs of random numbers and checks their distribution.",
    .rank_rule = "Any number of ranks is valid.",
    .min_ranks = 1,
    .options = options};

PROGRAM_INNER void count_pair(struct tally *tally, uint64_t index)
{
    double u = 2 * program_uniform((uint64_t)seed, 2 * index) - 1;
    double v = 2 * program_uniform((uint64_t)seed, 2 * index + 1) - 1;
    double square = u * u + v * v;

    tally->n_pairs++;
    if (square >= 1 || square == 0)
        return;
    double factor = sqrt(-2 * log(square) / square);
    double x = u * factor, y = v * factor;
    int ring = (int)fmax(fabs(x), fabs(y));

    tally->n_accepted++;
    tally->sum_x += program_fixed(x, SUM_BITS);
    tally->sum_y += program_fixed(y, SUM_BITS);
    tally->rings[ring < N_RINGS ? ring : N_RINGS - 1]++;
}

static void make_pairs(struct tally *tally, long begin, long end)
{
    for (long index = begin; index < end; index++)
        count_pair(tally, (uint64_t)index);
}

/* The share of Gaussian pairs with max(|x|, |y|) < radius. */
static double share_within(double radius)
{
    double one = erf(radius / sqrt(2));

    return one * one;
}

/* Is a count of n trials with probability p credible? Small expectations get some slack. */
static bool credible(int64_t count, int64_t n, double p)
{
    double expected = (double)n * p;

    return fabs((double)count - expected) <= MAX_DEVIATIONS * sqrt(expected * (1 - p)) + 3;
}

/* NULL, or what is wrong with the distribution. */
static const char *check_tally(const struct tally *all)
{
    int64_t n_in_rings = 0;
    double deviation = MAX_DEVIATIONS * sqrt((double)all->n_accepted);

    if (all->n_pairs != INT64_C(1) << size_log2)
        return "some pairs were lost or made twice";
    if (!credible(all->n_accepted, all->n_pairs, acos(-1) / 4))
        return "the share of accepted pairs is not pi/4";
    if (fabs(ldexp((double)all->sum_x, -SUM_BITS)) > deviation ||
        fabs(ldexp((double)all->sum_y, -SUM_BITS)) > deviation)
        return "the mean of the numbers is not 0";
    for (int ring = 0; ring < N_RINGS; ring++) {
        double outer = ring == N_RINGS - 1 ? 1 : share_within(ring + 1);

        if (!credible(all->rings[ring], all->n_accepted, outer - share_within(ring)))
            return "the numbers are not distributed like Gaussian ones";
        n_in_rings += all->rings[ring];
    }
    return n_in_rings == all->n_accepted ? NULL : "the counts do not add up to the accepted pairs";
}

static void print_tally(const struct tally *all)
{
    printf("%" PRId64 " pairs, %" PRId64 " accepted, sums %.9f %.9f\n", all->n_pairs,
           all->n_accepted, ldexp((double)all->sum_x, -SUM_BITS),
           ldexp((double)all->sum_y, -SUM_BITS));
    for (int ring = 0; ring < N_RINGS; ring++)
        printf("ring %d: %" PRId64 "\n", ring, all->rings[ring]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    if (status < 0) {
        struct tally all = {0};
        long n_pairs = 1L << size_log2;
        double begin_s = MPI_Wtime();

        for (int i = 0; i < n_iterations; i++) {
            struct tally own = {0}, sum;
            long begin = program_block(n_pairs, (int)n_iterations, i);
            long n = program_block(n_pairs, (int)n_iterations, i + 1) - begin;

            make_pairs(&own, begin + program_skewed_block(n, program.n_ranks, program.rank, skew),
                       begin + program_skewed_block(n, program.n_ranks, program.rank + 1, skew));
            MPI_Allreduce(&own, &sum, TALLY_WORDS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
            for (int word = 0; word < TALLY_WORDS; word++)
                ((int64_t *)&all)[word] += ((const int64_t *)&sum)[word];
        }
        program_time(&program, "pairs", begin_s);
        if (program.spoiled)
            all.rings[0]++;
        if (program.rank == 0)
            print_tally(&all);
        status = program_end(&program, check_tally(&all));
    }
    MPI_Finalize();
    return status;
}
