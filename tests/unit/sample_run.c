// SPDX-License-Identifier: BSD-3-Clause
// The run of sample_run.h. All sums are consistent: inclusive time of a path is its exclusive time
// plus that of the paths below it.
#include "tests/unit/sample_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"

const char sample_hostile_name[] = "operator,(a/b) <\"x'y\"> \\";
const char sample_hostile_path[] = "/CallPath/main/operator\\,\\(a\\/b\\) \\<\"x'y\"\\> \\\\";

static void *copy(const void *array, size_t size_bytes)
{
    return memcpy(memory_new(size_bytes), array, size_bytes);
}

#define COPY(...) copy(__VA_ARGS__, sizeof __VA_ARGS__)

static struct result_named named(const char *name, const char *value)
{
    return (struct result_named){memory_copy_text(name), memory_copy_text(value)};
}

static void fill_facts(struct result *run)
{
    *run = (struct result){.trace_path = memory_copy_text("/nowhere/ring-trace/traces.otf2"),
                           .program = memory_copy_text("/opt/bin/ring"),
                           .creator = memory_copy_text("a tracer 1.0"),
                           .n_locations = 2,
                           .n_events = 40,
                           .n_messages = 3,
                           .n_collectives = 1,
                           .time_ns = SAMPLE_TIME_NS,
                           .window_begin_ns = 10,
                           .window_end_ns = 990,
                           .realtime_ns = 1793232000000000000,
                           .efficiency = {0.75, 0.9, 0.8, (double)__builtin_nan(""), 0.95, 0.7},
                           .headline = memory_copy_text("waiting for late senders"),
                           .conclusion = memory_copy_text("Rank 0 waits for rank 1.")};
    run->n_properties = 2;
    run->properties = memory_zeroed(2, sizeof *run->properties);
    run->properties[0] = named("command", "./ring '1' \"2\"; DROP TABLE trial; --");
    run->properties[1] = named("MPI_VERSION", "Open MPI 4.1.4");
    run->n_nodes = 2;
    run->nodes = memory_zeroed(2, sizeof *run->nodes);
    run->nodes[0] =
        (struct result_node){memory_copy_text("alpha"), memory_copy_text("Linux"), 0, 1};
    run->nodes[1] = (struct result_node){memory_copy_text("beta"), memory_copy_text("Linux"), 8, 1};
    run->n_ranks = 2;
    run->ranks = memory_zeroed(2, sizeof *run->ranks);
    for (uint32_t rank = 0; rank < 2; rank++)
        run->ranks[rank] = (struct result_rank){.name = memory_format("MPI Rank %" PRIu32, rank),
                                                .node = rank,
                                                .last_ns = SAMPLE_TIME_NS,
                                                .useful_ns = 700 + rank,
                                                .mpi_ns = 200 + rank,
                                                .wait_ns = 100 - 50 * rank};
    run->n_warnings = 1;
    run->warnings = memory_zeroed(1, sizeof *run->warnings);
    run->warnings[0] = (struct result_warning){
        .code = memory_copy_text("unmatched-send"),
        .count = 2,
        .text = memory_copy_text("two sends have no receive"),
    };
    run->n_hints = 1;
    run->hints = memory_zeroed(1, sizeof *run->hints);
    run->hints[0] =
        (struct result_hint){memory_copy_text("late-sender"), memory_copy_text("send earlier"),
                             memory_copy_text("solve.c:56"), memory_copy_text("solve.c")};
}

static struct result_region region(const char *name, const char *file, uint64_t visits,
                                   uint64_t inclusive_ns, uint64_t exclusive_ns)
{
    return (struct result_region){.name = memory_copy_text(name),
                                  .shown = memory_copy_text(name),
                                  .file = memory_copy_text(file),
                                  .is_mpi = !strcmp(file, "MPI"),
                                  .visits = visits,
                                  .inclusive_ns = inclusive_ns,
                                  .exclusive_ns = exclusive_ns,
                                  .max_rank = RESULT_NONE};
}

static void fill_profile(struct result *run)
{
    const struct result_region regions[] = {
        region("main", "/home/u/src/ring.c", 2, 2000, 600),
        region("solve", "solve.c", 20, 1300, 1000),
        region("MPI_Recv", "MPI", 6, 300, 300),
        region(sample_hostile_name, "", 2, 100, 100),
    };
    const struct result_path paths[] = {
        {memory_copy_text("main"), memory_copy_text("main"), 0, RESULT_NONE, 0, 2, 2000, 600},
        {memory_copy_text("main/solve"), memory_copy_text("main/solve"), 1, 0, 1, 20, 1300, 1000},
        {memory_copy_text("main/solve/MPI_Recv"), memory_copy_text("main/solve/MPI_Recv"), 2, 1, 2,
         6, 300, 300},
        {memory_copy_text("main/hostile"), memory_copy_text("main/hostile"), 3, 0, 1, 2, 100, 100},
    };
    const struct result_path_rank path_ranks[] = {
        {0, 0, 1, 1000, 300}, {0, 1, 1, 1000, 300}, {1, 0, 10, 650, 450}, {1, 1, 10, 650, 550},
        {2, 0, 3, 200, 200},  {2, 1, 3, 100, 100},  {3, 0, 1, 50, 50},    {3, 1, 1, 50, 50},
    };
    run->n_regions = 4;
    run->regions = COPY(regions);
    run->n_paths = 4;
    run->paths = COPY(paths);
    run->n_path_ranks = 8;
    run->path_ranks = COPY(path_ranks);
    const struct result_path_share by_region_rank[] = {{1, 1, 550, 0.55, RESULT_NONE},
                                                       {0, 0, 300, 0.3, RESULT_NONE},
                                                       {2, 0, 150, 0.15, RESULT_NONE}};
    const struct result_path_share by_region[] = {{1, RESULT_NONE, 550, 0.55, RESULT_NONE},
                                                  {0, RESULT_NONE, 300, 0.3, RESULT_NONE},
                                                  {2, RESULT_NONE, 150, 0.15, RESULT_NONE}};
    run->critical_path.length_ns = SAMPLE_TIME_NS;
    run->critical_path.n_by_region = 3;
    run->critical_path.by_region = COPY(by_region);
    run->critical_path.n_by_region_rank = 3;
    run->critical_path.by_region_rank = COPY(by_region_rank);
    const struct result_traffic traffic[] = {{0, 1, 2, 2048}, {1, 0, 1, 16}};
    run->n_traffic = 2;
    run->traffic = COPY(traffic);
}

static struct result_pattern pattern_named(const char *id, const char *parent, bool is_evaluated)
{
    return (struct result_pattern){.id = memory_copy_text(id),
                                   .parent = memory_copy_text(parent),
                                   .name = memory_copy_text(id),
                                   .summary = memory_format("time lost to %s", id),
                                   .unit = memory_copy_text("s"),
                                   .diagnosis = memory_copy_text("look closely"),
                                   .is_evaluated = is_evaluated,
                                   .confidence = 1};
}

static void fill_patterns(struct result *run)
{
    const struct result_amount by_rank[] = {{0, 2, 100}, {1, 1, 50}};
    const struct result_amount by_path[] = {{2, 3, 150}};
    const struct result_instance_sum sums[] = {{2, 0, 2, 100}, {2, 1, 1, 50}};
    run->n_patterns = 2;
    run->patterns = memory_zeroed(2, sizeof *run->patterns);
    run->patterns[0] = pattern_named("late-sender", "point-to-point", true);
    run->patterns[1] = pattern_named("wait-at-barrier", "", false);
    struct result_pattern *late_sender = &run->patterns[0];
    late_sender->is_top = true;
    late_sender->count = 3;
    late_sender->total_ns = 150;
    late_sender->window_ns = 150;
    late_sender->severity = 150.0 / (2 * SAMPLE_TIME_NS);
    late_sender->confidence = 0.5;
    late_sender->n_by_rank = 2;
    late_sender->by_rank = COPY(by_rank);
    late_sender->n_by_path = 1;
    late_sender->by_path = COPY(by_path);
    late_sender->n_sums = 2;
    late_sender->sums = COPY(sums);
    const struct result_amount by_cause[] = {{1, 2, 100}, {0, 1, 50}};
    late_sender->n_by_cause = 2;
    late_sender->by_cause = COPY(by_cause);
    late_sender->worst.rank = 0;
    late_sender->worst.path = 2;
    late_sender->worst.cause_rank = 1;
    late_sender->worst.time_ns = 400;
    late_sender->worst.wait_ns = 80;
}

void sample_run_init(struct result *run)
{
    fill_facts(run);
    fill_profile(run);
    fill_patterns(run);
}

/// Ranks, regions and paths beyond the sample's are added, never removed.
void sample_run_enlarge(struct result *run, uint32_t n_paths, uint32_t n_ranks)
{
    run->ranks = memory_resize(run->ranks, run->n_ranks + n_ranks, sizeof *run->ranks);
    for (uint32_t i = 0; i < n_ranks; i++) {
        size_t rank = run->n_ranks++;
        run->ranks[rank] =
            (struct result_rank){.name = memory_format("MPI Rank %zu", rank), .node = RESULT_NONE};
    }
    run->regions = memory_resize(run->regions, run->n_regions + n_paths, sizeof *run->regions);
    run->paths = memory_resize(run->paths, run->n_paths + n_paths, sizeof *run->paths);
    run->path_ranks =
        memory_resize(run->path_ranks, run->n_path_ranks + (size_t)n_paths * run->n_ranks,
                      sizeof *run->path_ranks);
    for (uint32_t i = 0; i < n_paths; i++) {
        uint32_t code = (uint32_t)run->n_regions++, path = (uint32_t)run->n_paths++;
        char name[24];
        snprintf(name, sizeof name, "function_%" PRIu32, i);
        run->regions[code] = region(name, "more.c", run->n_ranks, 0, 0);
        run->paths[path] = (struct result_path){.path = memory_format("main/%s", name),
                                                .shown = memory_format("main/%s", name),
                                                .region = code,
                                                .depth = 1,
                                                .visits = run->n_ranks};
        for (uint32_t rank = 0; rank < run->n_ranks; rank++)
            run->path_ranks[run->n_path_ranks++] = (struct result_path_rank){path, rank, 1, 0, 0};
    }
}
