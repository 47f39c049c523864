// SPDX-License-Identifier: BSD-3-Clause
// One replay serves many intervals: the results are those of the intervals replayed one by one, in
// whatever order and however they overlap, and the number of replays does not grow with that of the
// intervals.
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/replay/interval.h"
#include "analyzer/report/report.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/unit_test.h"

enum { N_RANKS = 3, N_STEPS = 300 };

static struct catalogue *catalogue;
static char *directory;
static struct trace *trace;

/// Each rank computes in `step` for a time of its own, then waits in a barrier, and each but the
/// first receives late from the one before it.
static void write_steps(FILE *out)
{
    for (int step = 0; step < N_STEPS; step++) {
        for (int rank = 0; rank < N_RANKS; rank++) {
            int begin = 1000 * step + 7 * rank, computes = 50 + (step * 31 + rank * 17) % 90;
            int end = 1000 * step + 250;
            fprintf(out, "%d %d enter step\n", rank, begin);
            if (rank > 0)
                fprintf(out,
                        "%d %d enter MPI_Recv\n%d %d recv world %d 0 8\n%d %d leave MPI_Recv\n",
                        rank, begin + 1, rank, begin + 30, rank - 1, rank, begin + 30);
            if (rank + 1 < N_RANKS)
                fprintf(out,
                        "%d %d enter MPI_Send\n%d %d send world %d 0 8\n%d %d leave MPI_Send\n",
                        rank, begin + 32, rank, begin + 32, rank + 1, rank, begin + 34);
            fprintf(out, "%d %d enter MPI_Barrier\n%d %d coll-begin\n", rank, begin + computes,
                    rank, begin + computes);
            fprintf(out, "%d %d coll-end barrier world - 0 0\n%d %d leave MPI_Barrier\n", rank, end,
                    rank, end);
            fprintf(out, "%d %d leave step\n", rank, end + 3 * rank);
        }
    }
}

static int set_up(void **state)
{
    SCOPED char *text = NULL;
    size_t size_bytes = 0;
    struct error err = {{0}};
    FILE *out = open_memstream(&text, &size_bytes);
    write_steps(out);
    fclose(out);
    directory = scratch_directory();
    catalogue = catalogue_load("patterns", NULL, 0, &err);
    int status = text_trace_write(text, directory, &err);
    trace = status == 0 ? trace_open(directory, &err) : NULL;
    return catalogue && trace ? 0 : -1;
}

static int tear_down(void **state)
{
    catalogue_free(catalogue);
    trace_close(trace);
    scratch_remove(directory);
    return 0;
}

static int print(void *context, const struct interval *interval, struct result *result,
                 struct error *err)
{
    json_print(result, NULL, context);
    return 0;
}

/// The results of N intervals as JSON, to be freed.
static char *results(const struct interval *intervals, size_t n, size_t max_bytes, size_t *n_passes)
{
    char *text = NULL;
    size_t size_bytes = 0;
    struct error err = {{0}};
    FILE *out = open_memstream(&text, &size_bytes);
    struct interval_replay replay = {.trace = trace,
                                     .catalogue = catalogue,
                                     .each = print,
                                     .context = out,
                                     .max_bytes = max_bytes};
    if (interval_replay(&replay, intervals, n, &err) != 0)
        fail_msg("%s", err.text);
    fclose(out);
    *n_passes = replay.n_passes;
    return text;
}

/// Visits of a region after times that overlap them and each other, the later ones first.
static struct interval_list find_intervals(void)
{
    static const char *const texts[] = {"150us:299us", ":290us",   "step#*",   "10us:10100ns",
                                        "step#7-200",  "5us:90us", "40ns:60ns"};
    struct interval_list list = {0};
    struct interval_replay replay = {.trace = trace, .catalogue = catalogue};
    struct error err = {{0}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (interval_find(&list, &replay, texts[i], &err) != 0)
            fail_msg("%s", err.text);
    assert_int_equal(list.n, N_STEPS + 6);
    return list;
}

TEST(test_many_intervals_take_two_replays)
{
    struct interval_list list = find_intervals();
    size_t n_passes;
    free(results(list.items, 1, INTERVAL_REPLAY_BYTES, &n_passes));
    assert_int_equal(n_passes, 1);
    free(results(list.items, list.n / 2, INTERVAL_REPLAY_BYTES, &n_passes));
    assert_int_equal(n_passes, 2);
    free(results(list.items, list.n, INTERVAL_REPLAY_BYTES, &n_passes));
    assert_int_equal(n_passes, 2);
    interval_list_release(&list);
}

TEST(test_results_are_those_of_single_intervals)
{
    struct interval_list list = find_intervals();
    size_t n_alone, n_some, n_all;
    SCOPED char *alone = results(list.items, list.n, 1, &n_alone);
    SCOPED char *some = results(list.items, list.n, (size_t)1 << 20, &n_some);
    SCOPED char *all = results(list.items, list.n, INTERVAL_REPLAY_BYTES, &n_all);
    assert_int_equal(n_alone, list.n);
    assert_true(n_some > n_all && n_some < n_alone / 4);
    assert_string_equal(some, alone);
    assert_string_equal(all, alone);
    interval_list_release(&list);
}

/// Fails at the third interval.
static int count(void *context, const struct interval *interval, struct result *result,
                 struct error *err)
{
    int *n = context;
    (void)interval;
    (void)result;
    return ++*n < 3 ? 0 : error_set(err, "enough");
}

TEST(test_nothing_follows_a_failure)
{
    struct interval_list list = find_intervals();
    struct error err = {{0}};
    int n = 0;
    struct interval_replay replay = {.trace = trace,
                                     .catalogue = catalogue,
                                     .each = count,
                                     .context = &n,
                                     .max_bytes = INTERVAL_REPLAY_BYTES};
    assert_int_equal(interval_replay(&replay, list.items, list.n, &err), -1);
    assert_string_equal(err.text, "enough");
    assert_int_equal(n, 3);
    interval_list_release(&list);
}

AROUND_ALL(set_up, tear_down)
