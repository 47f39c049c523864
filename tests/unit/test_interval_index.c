// SPDX-License-Identifier: BSD-3-Clause
// With an index the results of intervals are those without, byte for byte: of random runs, with
// skewed clocks, missing records and threads, in random intervals, each rank with a part of its own
// or all with the same. The index has points as close to each other as can be, or a few of them.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/replay/interval.h"
#include "analyzer/report/report.h"
#include "tests/reference/engine_findings.h"
#include "tests/reference/program.h"
#include "tests/reference/scenarios.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/seeds.h"
#include "tests/unit/unit_test.h"

enum { DEFAULT_SEEDS = CASES(200, 40) };
enum { N_INTERVALS = 8, LONGER = 20000, ALL_POINTS = 4096 };

static struct pag_index_settings settings = {.events_between = 1,
                                             .turns_between = 1,
                                             .max_points = ALL_POINTS,
                                             .max_bytes = (size_t)32 << 20};

static uint64_t n_indexed; // replays of all seeds

static uint64_t random_time(struct random *random, uint64_t length_ns)
{
    return random_next(random) % (length_ns + 1);
}

/// Any interval, short ones as often as long ones.
static struct pag_part random_part(struct random *random, uint64_t length_ns)
{
    uint64_t begin_ns = random_time(random, length_ns);
    uint64_t longest_ns = length_ns >> random_below(random, 10);
    uint64_t end_ns = begin_ns + 1 + random_time(random, longest_ns);
    return (struct pag_part){begin_ns, end_ns < length_ns ? end_ns : length_ns + 1};
}

static void choose_intervals(struct interval *intervals, uint64_t seed, size_t n_locations,
                             uint64_t length_ns)
{
    struct random random = {.state = seed};
    for (size_t k = 0; k < N_INTERVALS; k++) {
        struct interval *interval = &intervals[k];
        *interval = (struct interval){.what = memory_format("%zu", k),
                                      .is_phase = random_chance(&random, 30),
                                      .parts = memory_zeroed(n_locations, sizeof(struct pag_part))};
        struct pag_part part = random_part(&random, length_ns);
        for (size_t i = 0; i < n_locations; i++) {
            bool is_absent = interval->is_phase && random_chance(&random, 20);
            interval->parts[i] = is_absent ? (struct pag_part){0} : part;
            if (interval->is_phase)
                part = random_part(&random, length_ns);
        }
    }
}

static int print(void *context, const struct interval *interval, struct result *result,
                 struct error *err)
{
    json_print(result, NULL, context);
    return 0;
}

/// The result of N intervals as JSON, to be freed; or why there is none.
static char *replay(const char *archive, const struct interval *intervals, size_t n,
                    const struct pag_index_settings *index)
{
    char *text = NULL;
    size_t size_bytes = 0;
    struct error err = {{0}};
    FILE *out = open_memstream(&text, &size_bytes);
    struct interval_replay run = {.trace = trace_open(archive, &err),
                                  .catalogue = shipped_catalogue,
                                  .each = print,
                                  .context = out,
                                  .max_bytes = INTERVAL_REPLAY_BYTES,
                                  .index = index};
    if (!run.trace || interval_replay(&run, intervals, n, &err) != 0)
        fprintf(out, "%s\n", err.text);
    trace_close(run.trace);
    n_indexed += run.n_indexed;
    fclose(out);
    return text;
}

/// Whether the intervals of ARCHIVE are the same with and without an index.
static bool is_same(const char *archive, const struct interval *intervals, FILE *stream)
{
    bool is_right = true;
    free(replay(archive, intervals, 1, &settings)); // makes it
    for (size_t k = 0; k < N_INTERVALS; k++) {
        char *without = replay(archive, &intervals[k], 1, NULL);
        char *with = replay(archive, &intervals[k], 1, &settings);
        if (strcmp(without, with) != 0) {
            fprintf(stream, "  interval %zu (%" PRIu64 " to %" PRIu64 ") differs\n", k,
                    intervals[k].parts[0].begin_ns, intervals[k].parts[0].end_ns);
            is_right = false;
        }
        FREE_ALL(without, with);
    }
    char *without = replay(archive, intervals, N_INTERVALS, NULL);
    char *with = replay(archive, intervals, N_INTERVALS, &settings);
    if (strcmp(without, with) != 0)
        fprintf(stream, "  all intervals together differ\n");
    is_right = is_right && strcmp(without, with) == 0;
    FREE_ALL(without, with);
    return is_right;
}

/// How long the run of ARCHIVE takes.
static uint64_t length_of(const char *archive, size_t *n_locations)
{
    struct error err = {{0}};
    struct pag_result run;
    struct trace *trace = trace_open(archive, &err);
    if (!trace || pag_run(trace, &PAG_OPTIONS_DEFAULT, NULL, &run, &err) != 0)
        fail_msg("%s", err.text);
    uint64_t length_ns = run.time_ns;
    *n_locations = run.n_locations;
    pag_result_release(&run);
    trace_close(trace);
    return length_ns;
}

static bool check_archive(const char *archive, uint64_t seed, FILE *stream)
{
    struct interval intervals[N_INTERVALS];
    size_t n_locations;
    uint64_t length_ns = length_of(archive, &n_locations);
    choose_intervals(intervals, seed, n_locations, length_ns);
    bool is_right = is_same(archive, intervals, stream);
    for (size_t k = 0; k < N_INTERVALS; k++) {
        FREE_ALL(intervals[k].what, intervals[k].parts);
    }
    return is_right;
}

/// TEXT with times, of the processor as well, so long that descheduled ranks lose some.
static char *stretch(char *text)
{
    char *longer = NULL, *rest = text, *line;
    size_t size_bytes;
    FILE *out = open_memstream(&longer, &size_bytes);
    while ((line = strtok_r(rest, "\n", &rest))) {
        char location[16], record[16];
        uint64_t time, cpu;
        int length = 0;
        if (sscanf(line, "%15[0-9.] %" SCNu64 "%n", location, &time, &length) != 2)
            fprintf(out, "%s\n", line);
        else if (sscanf(line + length, " %15s %" SCNu64, record, &cpu) == 2 &&
                 strcmp(record, "cpu") == 0)
            fprintf(out, "%s %" PRIu64 " cpu %" PRIu64 "\n", location, time * LONGER, cpu * LONGER);
        else
            fprintf(out, "%s %" PRIu64 "%s\n", location, time * LONGER, line + length);
    }
    fclose(out);
    free(text);
    return longer;
}

static char *random_text(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_probes = limits.allow_files = true;
    return seed % 2 == 0 ? stretch(scenario_shared_trace_text(seed, &limits))
                         : sim_program_trace_text(seed, &limits);
}

static bool check_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    struct error err = {{0}};
    char *directory = scratch_directory();
    settings.max_points = seed % 3 ? ALL_POINTS : 1 + seed % 10;
    *text = random_text(seed);
    bool is_right =
        text_trace_write(*text, directory, &err) == 0 && check_archive(directory, seed, stream);
    scratch_remove(directory);
    return is_right;
}

TEST(test_random_runs)
{
    seeds_check(DEFAULT_SEEDS, check_seed, NULL);
    assert_true(n_indexed > 0);
    settings.max_points = ALL_POINTS;
}

// --- the file

/// An archive of a random run, with an interval.
struct example {
    char *directory, *index, *expected;
    struct interval interval;
};

static void remove_example(struct example *example)
{
    FREE_ALL(example->interval.what, example->interval.parts, example->index, example->expected);
    scratch_remove(example->directory);
}

static struct example new_example(void)
{
    struct example example = {.directory = scratch_directory()};
    struct error err = {{0}};
    SCOPED char *text = sim_program_trace_text(3, &PROGRAM_LIMITS_ALL);
    assert_int_equal(text_trace_write(text, example.directory, &err), 0);
    size_t n_locations;
    uint64_t length_ns = length_of(example.directory, &n_locations);
    example.index = memory_format("%s/traces.pagoda-index", example.directory);
    example.interval =
        (struct interval){.what = memory_copy_text("part"),
                          .parts = memory_zeroed(n_locations, sizeof(struct pag_part))};
    for (size_t i = 0; i < n_locations; i++)
        example.interval.parts[i] = (struct pag_part){length_ns / 2, length_ns / 2 + length_ns / 4};
    example.expected = replay(example.directory, &example.interval, 1, NULL);
    return example;
}

/// Replays the interval: whether an index was used.
static bool is_indexed(const struct example *example)
{
    uint64_t n_before = n_indexed;
    SCOPED char *found = replay(example->directory, &example->interval, 1, &settings);
    assert_string_equal(found, example->expected);
    return n_indexed > n_before;
}

TEST(test_a_changed_archive_has_no_index)
{
    struct example example = new_example();
    SCOPED char *events = memory_format("%s/traces/0.evt", example.directory);
    assert_false(is_indexed(&example));
    assert_true(is_indexed(&example));
    struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    assert_int_equal(utimensat(AT_FDCWD, events, times, 0), 0);
    assert_false(is_indexed(&example));
    assert_true(is_indexed(&example));
    remove_example(&example);
}

TEST(test_a_moved_archive_keeps_its_index)
{
    struct example example = new_example();
    assert_false(is_indexed(&example));
    char *moved = memory_format("%s-moved", example.directory);
    assert_int_equal(rename(example.directory, moved), 0);
    free(example.directory);
    example.directory = moved;
    free(example.expected);
    example.expected = replay(example.directory, &example.interval, 1, NULL);
    assert_true(is_indexed(&example));
    remove_example(&example);
}

TEST(test_a_damaged_index_is_made_anew)
{
    struct example example = new_example();
    assert_false(is_indexed(&example));
    size_t size_bytes;
    SCOPED char *content = scratch_read(example.index, &size_bytes);
    for (size_t i = 0; i < 24; i++) {
        size_t place = i < 12 ? 2 * i : i * size_bytes / 24;
        content[place] ^= 0x10;
        scratch_write(example.index, content, i % 5 ? size_bytes : place);
        content[place] ^= 0x10;
        assert_false(is_indexed(&example));
        assert_true(is_indexed(&example));
    }
    remove_example(&example);
}

TEST(test_an_index_may_be_in_the_cache)
{
    struct example example = new_example();
    SCOPED char *cache = memory_format("%s/cache", example.directory);
    setenv("XDG_CACHE_HOME", cache, 1);
    assert_int_equal(mkdir(example.index, S_IRWXU), 0); // so it cannot be beside the archive
    assert_false(is_indexed(&example));
    assert_true(is_indexed(&example));
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1); // nor there
    assert_false(is_indexed(&example));
    assert_false(is_indexed(&example));
    unsetenv("XDG_CACHE_HOME");
    remove_example(&example);
}

/// The state of a point that ends too early, or says too much, is damage, and nothing worse.
TEST(test_a_damaged_point_is_noticed)
{
    struct example example = new_example();
    struct error err = {{0}};
    struct pag_index *index = pag_index_new(&settings);
    const struct pag_part *parts[] = {example.interval.parts};
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    options.explains = false;
    options.parts = parts;
    options.n_parts = 1;
    options.index = index;
    struct pag_result result;
    struct trace *trace = trace_open(example.directory, &err);
    assert_int_equal(pag_run(trace, &options, NULL, &result, &err), 0);
    assert_true(index->is_complete && index->n_points > 10);
    pag_result_release(&result);
    for (size_t i = 0; i < index->n_points; i++)
        index->points[i].state.n /= 2;
    struct trace *again = trace_again(trace, &err);
    assert_int_equal(pag_run(again, &options, NULL, &result, &err), -1);
    assert_true(index->is_damaged);
    pag_result_release(&result);
    trace_close(trace);
    pag_index_free(index);
    remove_example(&example);
}

AROUND_ALL(shipped_catalogue_load, shipped_catalogue_unload)
