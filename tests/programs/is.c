// SPDX-License-Identifier: BSD-3-Clause
/*
 * Integer sort, in the spirit of the NAS kernel IS: each iteration counts the keys by bucket, adds
 * the counts up over all ranks, gives each rank a run of buckets with about the same number of
 * keys, sends the keys there (Alltoallv) and sorts them by counting. Two keys change between
 * iterations.
 *
 * Check: keys rise within each rank and from rank to rank, and a hash of the keys as a set is the
 * same before and after sorting.
 */
#include "program.h"

enum { N_BUCKETS = 1024, KEY_BITS = 19, BUCKET_SHIFT = KEY_BITS - 10 };

static long size_log2 = 22, n_iterations = 16, seed = 1;

static const struct program_option options[] = {
    {"size", "K", &size_log2, 6, 30, "2^K keys in all"},
    {"iterations", "N", &n_iterations, 1, 1000000, "number of times they are sorted"},
    {"seed", "N", &seed, 0, 1000000, "seed of the keys"},
    {0}};

static struct program program = {
    .name = "is",
    .summary = "Sorts whole numbers into buckets that are spread over the ranks.",
    .rank_rule = "Any number of ranks up to the number of buckets, 1024, is valid.",
    .min_ranks = 1,
    .max_ranks = N_BUCKETS,
    .options = options};

/* Where keys go: counts and offsets of the Alltoallv, the first bucket of each rank. */
struct exchange {
    int *send_counts, *send_offsets, *receive_counts, *receive_offsets;
    int first_bucket[N_BUCKETS + 1];
};

struct keys {
    long n_unsorted, n_sorted;
    uint32_t *unsorted, *by_bucket, *sorted;
    size_t sorted_capacity;
};

/* Keys are the mean of four uniform numbers: most are near the middle. */
static void make_keys(struct keys *keys)
{
    long begin = program_block(1L << size_log2, program.n_ranks, program.rank);

    for (long i = 0; i < keys->n_unsorted; i++) {
        uint64_t index = 4 * (uint64_t)(begin + i), sum = 0;

        for (uint64_t part = 0; part < 4; part++)
            sum += program_random((uint64_t)seed, index + part) >> (64 - KEY_BITS);
        keys->unsorted[i] = (uint32_t)(sum / 4);
    }
}

PROGRAM_INNER void change_key(struct keys *keys, long index, uint32_t key)
{
    index -= program_block(1L << size_log2, program.n_ranks, program.rank);
    if (index >= 0 && index < keys->n_unsorted)
        keys->unsorted[index] = key;
}

/* Changes one key from either end, on the ranks that have them. */
static void change_keys(struct keys *keys, long iteration)
{
    long n_keys = 1L << size_log2;
    uint32_t key = (uint32_t)iteration % (1u << KEY_BITS);

    change_key(keys, iteration % n_keys, key);
    change_key(keys, n_keys - 1 - iteration % n_keys, (1u << KEY_BITS) - 1 - key);
}

/* Counts the keys of each bucket and copies them to by_bucket in the order of the buckets. */
static void fill_buckets(struct keys *keys, int64_t counts[N_BUCKETS])
{
    long next[N_BUCKETS], sum = 0;

    memset(counts, 0, N_BUCKETS * sizeof *counts);
    for (long i = 0; i < keys->n_unsorted; i++)
        counts[keys->unsorted[i] >> BUCKET_SHIFT]++;
    for (int bucket = 0; bucket < N_BUCKETS; bucket++) {
        next[bucket] = sum;
        sum += counts[bucket];
    }
    for (long i = 0; i < keys->n_unsorted; i++)
        keys->by_bucket[next[keys->unsorted[i] >> BUCKET_SHIFT]++] = keys->unsorted[i];
}

/* Gives each rank the next buckets until it and those before it have their part of the keys. */
static void assign_buckets(struct exchange *exchange, const int64_t counts[N_BUCKETS])
{
    int64_t all[N_BUCKETS], sum = 0;
    int bucket = 0;

    MPI_Allreduce(counts, all, N_BUCKETS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int rank = 0; rank < program.n_ranks; rank++) {
        int64_t goal = program_block(1L << size_log2, program.n_ranks, rank + 1);

        exchange->first_bucket[rank] = bucket;
        exchange->send_counts[rank] = 0;
        while (bucket < N_BUCKETS && sum + all[bucket] / 2 < goal) {
            exchange->send_counts[rank] += (int)counts[bucket];
            sum += all[bucket++];
        }
        for (; rank == program.n_ranks - 1 && bucket < N_BUCKETS; bucket++)
            exchange->send_counts[rank] += (int)counts[bucket];
    }
    exchange->first_bucket[program.n_ranks] = N_BUCKETS;
}

static void send_keys(struct keys *keys, struct exchange *exchange)
{
    long n_sent = 0;

    MPI_Alltoall(exchange->send_counts, 1, MPI_INT, exchange->receive_counts, 1, MPI_INT,
                 MPI_COMM_WORLD);
    keys->n_sorted = 0;
    for (int rank = 0; rank < program.n_ranks; rank++) {
        exchange->send_offsets[rank] = (int)n_sent;
        exchange->receive_offsets[rank] = (int)keys->n_sorted;
        n_sent += exchange->send_counts[rank];
        keys->n_sorted += exchange->receive_counts[rank];
    }
    if ((size_t)keys->n_sorted > keys->sorted_capacity) {
        free(keys->sorted);
        keys->sorted_capacity = (size_t)keys->n_sorted;
        keys->sorted = program_alloc(keys->sorted_capacity, sizeof *keys->sorted);
    }
    MPI_Alltoallv(keys->by_bucket, exchange->send_counts, exchange->send_offsets, MPI_UINT32_T,
                  keys->sorted, exchange->receive_counts, exchange->receive_offsets, MPI_UINT32_T,
                  MPI_COMM_WORLD);
}

/* Sorts the keys this rank received by counting each value in its buckets. */
static void count_keys(struct keys *keys, const struct exchange *exchange, uint32_t *value_counts)
{
    uint32_t begin = (uint32_t)exchange->first_bucket[program.rank] << BUCKET_SHIFT;
    uint32_t end = (uint32_t)exchange->first_bucket[program.rank + 1] << BUCKET_SHIFT;
    long next = 0;

    memset(value_counts, 0, (size_t)(end - begin) * sizeof *value_counts);
    for (long i = 0; i < keys->n_sorted; i++)
        value_counts[keys->sorted[i] - begin]++;
    for (uint32_t value = begin; value < end; value++)
        for (uint32_t n = value_counts[value - begin]; n > 0; n--)
            keys->sorted[next++] = value;
}

/* The sum over all ranks of a hash of each key: the same for the same set of keys. */
static uint64_t hash_of_set(const uint32_t *keys, long n)
{
    uint64_t own = 0, all;

    for (long i = 0; i < n; i++)
        own += program_mix(keys[i] + 1);
    MPI_Allreduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* The same with each key's place in the sorted order; rank 0 has the result. */
static uint64_t hash_of_order(const struct keys *keys)
{
    uint64_t own = 0, all = 0;
    int64_t place = 0, n = keys->n_sorted;

    MPI_Exscan(&n, &place, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (program.rank == 0)
        place = 0;
    for (long i = 0; i < n; i++)
        own += program_mix(keys->sorted[i] + ((uint64_t)(place + i) << KEY_BITS));
    MPI_Reduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

/* NULL, or what is wrong with the order; compares with the largest key of all ranks before. */
static const char *check_order(const struct keys *keys)
{
    uint32_t largest = keys->n_sorted > 0 ? keys->sorted[keys->n_sorted - 1] : 0, before = 0;

    MPI_Exscan(&largest, &before, 1, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
    if (program.rank > 0 && keys->n_sorted > 0 && keys->sorted[0] < before)
        return "the smallest key is below a key of a rank before";
    for (long i = 1; i < keys->n_sorted; i++)
        if (keys->sorted[i] < keys->sorted[i - 1])
            return "the keys do not rise";
    return NULL;
}

static const char *sort_keys(void)
{
    struct keys keys = {0};
    struct exchange exchange = {0};
    size_t n_ranks = (size_t)program.n_ranks;
    int64_t counts[N_BUCKETS];
    const char *wrong = NULL;

    keys.n_unsorted = program_block(1L << size_log2, program.n_ranks, program.rank + 1) -
                      program_block(1L << size_log2, program.n_ranks, program.rank);
    keys.unsorted = program_alloc((size_t)keys.n_unsorted, sizeof *keys.unsorted);
    keys.by_bucket = program_alloc((size_t)keys.n_unsorted, sizeof *keys.by_bucket);
    exchange.send_counts = program_alloc(4 * n_ranks, sizeof *exchange.send_counts);
    exchange.send_offsets = exchange.send_counts + n_ranks;
    exchange.receive_counts = exchange.send_offsets + n_ranks;
    exchange.receive_offsets = exchange.receive_counts + n_ranks;
    uint32_t *value_counts = program_alloc((size_t)1 << KEY_BITS, sizeof *value_counts);

    make_keys(&keys);
    double begin_s = MPI_Wtime();
    for (long iteration = 0; iteration < n_iterations; iteration++) {
        change_keys(&keys, iteration);
        fill_buckets(&keys, counts);
        assign_buckets(&exchange, counts);
        send_keys(&keys, &exchange);
        count_keys(&keys, &exchange, value_counts);
    }
    program_time(&program, "sort", begin_s);

    if (program.spoiled && keys.n_sorted > 1)
        keys.sorted[keys.n_sorted / 2] ^= 1;
    uint64_t hash = hash_of_order(&keys);
    if (program.rank == 0)
        printf("%ld keys sorted %ld times, digest %016" PRIx64 "\n", 1L << size_log2, n_iterations,
               hash);
    wrong = check_order(&keys);
    if (hash_of_set(keys.unsorted, keys.n_unsorted) != hash_of_set(keys.sorted, keys.n_sorted))
        wrong = "the sorted keys are not those that were to be sorted";

    free(value_counts);
    free(exchange.send_counts);
    free(keys.sorted);
    free(keys.by_bucket);
    free(keys.unsorted);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    if (status < 0)
        status = program_end(&program, sort_keys());
    MPI_Finalize();
    return status;
}
