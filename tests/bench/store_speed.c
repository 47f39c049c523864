// SPDX-License-Identifier: BSD-3-Clause
// How fast the database stores and finds: one run of a million tuples, then a thousand small runs
// and one focus over all of them.
//
//     build/bench/store_speed FILE.db      FILE.db must not exist; it is left for a look
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/base/memory.h"
#include "analyzer/result/result.h"
#include "db/query/query.h"
#include "db/query/selection.h"
#include "db/store.h"

/// Seconds on the clock and of the processor; the second does not depend on what else runs.
struct seconds {
    double wall, cpu;
};

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct seconds seconds_since(struct seconds begin)
{
    return (struct seconds){read_clock(CLOCK_MONOTONIC) - begin.wall,
                            read_clock(CLOCK_PROCESS_CPUTIME_ID) - begin.cpu};
}

static void print_row(const char *name, struct seconds spent, const char *detail)
{
    printf("%-60s %6.0f ms  (%.0f ms of the processor)%s\n", name, spent.wall * 1e3,
           spent.cpu * 1e3, detail);
}

/// A run of N_PATHS call paths (a main with leaves) on N_RANKS ranks, 3 values each.
static void make_run(struct result *run, uint32_t n_paths, uint32_t n_ranks)
{
    *run = (struct result){.trace_path = memory_copy_text("bench"),
                           .program = memory_copy_text("bench"),
                           .time_ns = 1000000000,
                           .n_ranks = n_ranks,
                           .n_paths = n_paths,
                           .n_regions = n_paths,
                           .n_path_ranks = (size_t)n_paths * n_ranks};
    run->ranks = memory_zeroed(n_ranks, sizeof *run->ranks);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        run->ranks[rank].name = memory_format("rank %" PRIu32, rank);
        run->ranks[rank].node = RESULT_NONE;
    }
    run->regions = memory_zeroed(n_paths, sizeof *run->regions);
    run->paths = memory_zeroed(n_paths, sizeof *run->paths);
    run->path_ranks = memory_zeroed(run->n_path_ranks, sizeof *run->path_ranks);
    struct result_path_rank *value = run->path_ranks;
    for (uint32_t path = 0; path < n_paths; path++) {
        run->regions[path].name = memory_format("function_%" PRIu32, path);
        run->regions[path].file = memory_format("file_%" PRIu32 ".c", path % 17);
        run->paths[path].path = memory_copy_text("");
        run->paths[path].region = path;
        run->paths[path].parent = path ? 0 : RESULT_NONE;
        for (uint32_t rank = 0; rank < n_ranks; rank++)
            *value++ = (struct result_path_rank){path, rank, 1 + rank, 5000 + path, 3000 + rank};
    }
}

/// Stores a run; ends the program when it fails.
static void fail(const struct error *err)
{
    fprintf(stderr, "store_speed: %s\n", err->text);
    exit(1);
}

static void store(const char *path, const struct result *run)
{
    struct error err;
    if (store_result(path, run, NULL, &err))
        fail(&err);
}

struct sum {
    size_t n_trials;
    double value;
};

static void add_value(const struct query_value *value, void *user)
{
    struct sum *sum = user;
    sum->n_trials++;
    sum->value += value->value;
}

static void query(const char *path, const char *metric, const char *focus)
{
    struct error err;
    struct sum sum = {0};
    struct seconds begin = seconds_since((struct seconds){0, 0});
    const struct trial_conditions any = {0};
    struct trial_group all;
    struct database *database;
    if (database_open_snapshot(&database, path, &err) ||
        trial_selection_find(database, &any, &all, &err))
        fail(&err);
    const struct query_question question = {
        .metric = metric, .focus = focus, .trials = all.ids, .n_trials = all.n_ids};
    if (query_metric(database, &question, add_value, &sum, &err))
        fail(&err);
    trial_group_release(&all);
    database_close(database);
    char name[100], detail[60];
    snprintf(name, sizeof name, "%s of %s", metric, focus);
    snprintf(detail, sizeof detail, "  %zu runs, sum %.0f", sum.n_trials, sum.value);
    print_row(name, seconds_since(begin), detail);
}

int main(int argc, char **argv)
{
    enum { N_TRIALS = 1000 };
    if (argc != 2) {
        fprintf(stderr, "usage: store_speed FILE.db\n");
        return 2;
    }
    struct result large, small;
    make_run(&large, 1302, 256);
    make_run(&small, 100, 64);
    char name[100];
    struct seconds begin = seconds_since((struct seconds){0, 0});
    store(argv[1], &large);
    snprintf(name, sizeof name, "one run of %zu tuples", 3 * large.n_path_ranks);
    print_row(name, seconds_since(begin), "");
    begin = seconds_since((struct seconds){0, 0});
    store(argv[1], &large);
    print_row("the same again, its foci known", seconds_since(begin), "");
    begin = seconds_since((struct seconds){0, 0});
    for (int i = 0; i < N_TRIALS; i++)
        store(argv[1], &small);
    snprintf(name, sizeof name, "%d runs of %zu tuples", N_TRIALS, 3 * small.n_path_ranks);
    print_row(name, seconds_since(begin), "");
    query(argv[1], "time_ns", "</Code, /Machine, /Process>");
    query(argv[1], "exclusive_ns", "</CallPath/function_0/function_50, /Process/7>");
    query(argv[1], "inclusive_ns", "</CallPath/function_0/function_50>");
    query(argv[1], "exclusive_ns", "</Code/file_3.c/(function_3,function_20)>");
    query(argv[1], "exclusive_ns", "</Code/file_3.c>");
    query(argv[1], "exclusive_ns", "</Process/9>");
    result_release(&large);
    result_release(&small);
    return 0;
}
