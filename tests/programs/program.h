// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the example programs share: options from a table, random numbers that depend on a seed and
 * an index only, work of a fixed number of operations, and a last word on whether the result is
 * right.
 *
 * Header only, because each program is built from one file. Result lines go to stdout and depend
 * neither on timing nor on the number of ranks (unless the program says so); times, asked for by
 * --time, go to stderr. main() calls MPI_Init and MPI_Finalize itself.
 */
#pragma once

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For functions called millions of times: no region in a build with instrumented functions. */
#define PROGRAM_INNER __attribute__((no_instrument_function)) static inline

enum { PROGRAM_MAX_OPTIONS = 16 };

/* One option: a whole number in min..max, or a switch (argument NULL) that sets *value to 1. */
struct program_option {
    const char *name;
    const char *argument;
    long *value;
    long min, max;
    const char *help;
};

/* A program: the first block is filled in by its author, the second by program_begin(). */
struct program {
    const char *name;
    const char *summary;
    const char *rank_rule;                /* one sentence: which numbers of ranks are valid */
    int min_ranks, max_ranks;             /* max_ranks 0: no limit */
    const struct program_option *options; /* ends with a NULL name */

    int rank, n_ranks;
    bool with_times;
    bool spoiled; /* --spoil: change one number of the result, the check has to find it */
};

PROGRAM_INNER void program_help(const struct program *program)
{
    printf("usage: mpirun -n RANKS %s [options]\n%s\n%s\n\n", program->name, program->summary,
           program->rank_rule);
    for (const struct program_option *o = program->options; o->name != NULL; o++) {
        char left[40];

        snprintf(left, sizeof left, "--%s%s%s", o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
        printf("  %-20s %s", left, o->help);
        if (o->argument != NULL)
            printf(" (%ld)", *o->value);
        putchar('\n');
    }
    printf("  %-20s %s\n", "--time", "print the time of each phase on stderr");
    printf("  %-20s %s\n", "--spoil", "make one number wrong, to see that the check finds it");
    printf("  %-20s %s\n", "--help", "print this and exit");
}

/* Stores `text` as the value of `option`; false, with a sentence on rank 0, when it is not one. */
PROGRAM_INNER bool program_set(const struct program *program, const struct program_option *option,
                               const char *text)
{
    char *end;

    if (option->argument == NULL) {
        *option->value = 1;
        return true;
    }
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && value >= option->min && value <= option->max) {
        *option->value = value;
        return true;
    }
    if (program->rank == 0)
        fprintf(stderr, "%s: --%s takes a whole number from %ld to %ld, not '%s'\n", program->name,
                option->name, option->min, option->max, text);
    return false;
}

/*
 * Reads the command line, after MPI_Init. Returns -1 when the program shall run, otherwise the exit
 * status (0 after --help, 2 after a wrong option or number of ranks, with one sentence on rank 0),
 * the same on all ranks.
 */
PROGRAM_INNER int program_begin(struct program *program, int argc, char **argv)
{
    struct option table[PROGRAM_MAX_OPTIONS + 4] = {{0}};
    int n_options = 0, code;

    MPI_Comm_rank(MPI_COMM_WORLD, &program->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &program->n_ranks);
    for (; program->options[n_options].name != NULL; n_options++)
        table[n_options] =
            (struct option){program->options[n_options].name,
                            program->options[n_options].argument ? required_argument : no_argument,
                            NULL, 256 + n_options};
    table[n_options] = (struct option){"time", no_argument, NULL, 't'};
    table[n_options + 1] = (struct option){"spoil", no_argument, NULL, 's'};
    table[n_options + 2] = (struct option){"help", no_argument, NULL, 'h'};
    opterr = program->rank == 0;
    while ((code = getopt_long(argc, argv, "h", table, NULL)) != -1) {
        if (code == 't') {
            program->with_times = true;
        } else if (code == 's') {
            program->spoiled = true;
        } else if (code == 'h') {
            if (program->rank == 0)
                program_help(program);
            return 0;
        } else if (code < 256 || !program_set(program, &program->options[code - 256], optarg)) {
            return 2;
        }
    }
    bool wrong_ranks = program->n_ranks < program->min_ranks ||
                       (program->max_ranks > 0 && program->n_ranks > program->max_ranks);
    if (optind < argc || wrong_ranks) {
        if (program->rank == 0 && optind < argc)
            fprintf(stderr, "%s: unexpected argument '%s'\n", program->name, argv[optind]);
        else if (program->rank == 0)
            fprintf(stderr, "%s: wrong number of ranks, %d: %s\n", program->name, program->n_ranks,
                    program->rank_rule);
        return 2;
    }
    return -1;
}

/* With --time: prints on stderr how long, on the slowest rank, `phase` took since `begin_s`. */
PROGRAM_INNER void program_time(const struct program *program, const char *phase, double begin_s)
{
    double own_s = MPI_Wtime() - begin_s, longest_s;

    if (!program->with_times)
        return;
    MPI_Reduce(&own_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (program->rank == 0)
        fprintf(stderr, "time: %s %.6f s\n", phase, longest_s);
}

/*
 * The program's exit status, the same on all ranks: 0, or 1 when a rank has something `wrong` (a
 * sentence, NULL when all is well); the lowest such rank prints it.
 */
PROGRAM_INNER int program_end(const struct program *program, const char *wrong)
{
    int mine = wrong != NULL ? program->rank : program->n_ranks, lowest;

    MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (lowest == program->n_ranks)
        return 0;
    if (program->rank == lowest)
        fprintf(stderr, "%s: wrong result on rank %d: %s\n", program->name, lowest, wrong);
    return 1;
}

/* Memory for n > 0 elements, zeroed; a program without memory ends. */
PROGRAM_INNER void *program_alloc(size_t n, size_t size_bytes)
{
    void *memory = calloc(n > 0 ? n : 1, size_bytes);

    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", n * size_bytes);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return memory;
}

/* The first of the n things that part `part` of n_parts has; part + 1 gives the end. */
PROGRAM_INNER long program_block(long n, int n_parts, int part)
{
    return n * part / n_parts;
}

/*
 * The same where parts grow evenly, the last one by `skew` percent over the first: badly balanced
 * work with the same result. No skew: program_block().
 */
PROGRAM_INNER long program_skewed_block(long n, int n_parts, int part, long skew)
{
    double step = n_parts > 1 ? (double)skew / 100 / (n_parts - 1) : 0;
    double all = n_parts + step * n_parts * (n_parts - 1) / 2;
    double before = part + step * part * (part - 1) / 2;

    return skew == 0 ? program_block(n, n_parts, part) : (long)((double)n * before / all);
}

/* The mixing step of Steele, Lea and Flood's SplitMix64 (OOPSLA 2014). */
PROGRAM_INNER uint64_t program_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Random number `index` of the stream `seed`: any rank can compute any of them. */
PROGRAM_INNER uint64_t program_random(uint64_t seed, uint64_t index)
{
    return program_mix(program_mix(seed) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* The same as a number in [0, 1). */
PROGRAM_INNER double program_uniform(uint64_t seed, uint64_t index)
{
    return (double)(program_random(seed, index) >> 11) * 0x1p-53;
}

/* `value` as a whole number of 2^-bits: sums of these do not depend on the order. */
PROGRAM_INNER int64_t program_fixed(double value, int bits)
{
    return llround(ldexp(value, bits));
}

/* Knuth's MMIX generator: x -> a x + c; one unit of work is PROGRAM_STEPS of it, about 1 us. */
#define PROGRAM_A UINT64_C(6364136223846793005)
#define PROGRAM_C UINT64_C(1442695040888963407)
enum { PROGRAM_STEPS = 1000 };

/* Does n_units of work on x and returns the result. */
__attribute__((unused, noinline, no_instrument_function)) static uint64_t
program_work(uint64_t n_units, uint64_t x)
{
    for (uint64_t i = 0; i < n_units * PROGRAM_STEPS; i++)
        x = PROGRAM_A * x + PROGRAM_C;
    return x;
}

/* What program_work() must return, in O(log n_units): the steps composed by repeated squaring. */
PROGRAM_INNER uint64_t program_work_result(uint64_t n_units, uint64_t x)
{
    uint64_t factor = PROGRAM_A, term = PROGRAM_C;

    for (uint64_t n = n_units * PROGRAM_STEPS; n > 0; n >>= 1) {
        if (n & 1)
            x = factor * x + term;
        term *= factor + 1;
        factor *= factor;
    }
    return x;
}
