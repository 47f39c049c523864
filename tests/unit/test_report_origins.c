// SPDX-License-Identifier: BSD-3-Clause
// Origins of waits in the result of random runs: by region, by region and rank, by call path,
// and with what is not known they sum to the waits exactly, and no part exceeds its whole. No rank
// is charged more than the others wait. Waits by communicator and tag sum to the waits, too.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/result/collect.h"
#include "tests/reference/engine_findings.h"
#include "tests/reference/program.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/seeds.h"
#include "tests/unit/unit_test.h"

enum { DEFAULT_SEEDS = CASES(1000, 250) };

/// Completions have no origins, nor have parts of other waits: wrong order, Late Complete.
static bool has_origins(const struct result_pattern *pattern)
{
    return strstr(pattern->id, "completion") == NULL && strstr(pattern->id, "order") == NULL &&
           strcmp(pattern->id, "late-complete") != 0;
}

/// The sum of the parts of REGION, RESULT_NONE: of all; -1 when one of them is not what a part must
/// be.
static int64_t sum_of(const struct result_path_share *parts, size_t count, uint32_t region,
                      uint64_t total_ns)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_share = parts[i].share == (double)parts[i].time_ns / (double)total_ns;
        bool is_sorted = i == 0 || parts[i - 1].time_ns >= parts[i].time_ns;
        if (parts[i].time_ns <= 0 || parts[i].share > 1 || !is_share || !is_sorted)
            return -1;
        if (region == RESULT_NONE || parts[i].region == region)
            sum_ns += parts[i].time_ns;
    }
    return sum_ns;
}

/// The sum of the parts by path of REGION on RANK.
static int64_t paths_of(const struct result_origins *origins, uint32_t region, uint32_t rank)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < origins->n_by_path_rank; i++)
        if (origins->by_path_rank[i].region == region && origins->by_path_rank[i].rank == rank)
            sum_ns += origins->by_path_rank[i].time_ns;
    return sum_ns;
}

/// The longest of PATTERN's waits that ranks other than RANK can have had.
static uint64_t waits_of_others(const struct result_pattern *pattern, uint32_t rank)
{
    uint64_t waits_ns = pattern->total_ns;
    for (size_t i = 0; i < pattern->n_by_rank; i++)
        waits_ns -= pattern->by_rank[i].key == rank ? pattern->by_rank[i].ns : 0;
    return waits_ns;
}

/// Whether the rank of the part INDEX by region and rank is charged no more than the others wait.
static bool is_bounded(const struct result_pattern *pattern, size_t index)
{
    const struct result_origins *origins = &pattern->origins;
    uint32_t rank = origins->by_region_rank[index].rank;
    uint64_t charged_ns = 0;
    for (size_t i = 0; i < origins->n_by_region_rank; i++)
        if (origins->by_region_rank[i].rank == rank)
            charged_ns += (uint64_t)origins->by_region_rank[i].time_ns;
    return rank == RESULT_NONE || charged_ns <= waits_of_others(pattern, rank);
}

/// Whether the waits by communicator and tag sum to all waits for messages and collective
/// operations.
static bool has_objects(const struct result_pattern *pattern)
{
    static const char *const of_none[] = {"wait-at-finalize", "lock-contention", "late-post",
                                          "early-wait", "late-complete"};
    uint64_t objects_ns = 0, total_ns = pattern->total_ns;
    for (size_t i = 0; i < sizeof of_none / sizeof *of_none; i++)
        total_ns = strcmp(pattern->id, of_none[i]) == 0 ? 0 : total_ns;
    for (size_t i = 0; i < pattern->n_by_object; i++)
        objects_ns += pattern->by_object[i].ns;
    return objects_ns == total_ns;
}

static bool is_right(const struct result_pattern *pattern, FILE *stream)
{
    const struct result_origins *origins = &pattern->origins;
    uint64_t waits_ns = pattern->window_ns > 0 ? pattern->window_ns : pattern->total_ns;
    uint64_t total_ns = has_origins(pattern) ? waits_ns : 0;
    int64_t explained_ns = (int64_t)origins->explained_ns;
    bool is_sound =
        has_objects(pattern) && origins->explained_ns + origins->unexplained_ns == total_ns &&
        origins->direct_ns + origins->indirect_ns == origins->explained_ns &&
        origins->explained_ns <= total_ns && origins->offset_ns <= 0 &&
        sum_of(origins->by_region, origins->n_by_region, RESULT_NONE, total_ns) == explained_ns &&
        sum_of(origins->by_region_rank, origins->n_by_region_rank, RESULT_NONE, total_ns) ==
            explained_ns &&
        sum_of(origins->by_path_rank, origins->n_by_path_rank, RESULT_NONE, total_ns) ==
            explained_ns &&
        sum_of(origins->by_site, origins->n_by_site, RESULT_NONE, total_ns) >= 0;
    for (size_t i = 0; i < origins->n_by_region; i++) {
        const struct result_path_share *region = &origins->by_region[i];
        int64_t ranks_ns =
            sum_of(origins->by_region_rank, origins->n_by_region_rank, region->region, total_ns);
        int64_t sites_ns = sum_of(origins->by_site, origins->n_by_site, region->region, total_ns);
        is_sound = is_sound && ranks_ns == region->time_ns && sites_ns <= region->time_ns;
    }
    for (size_t i = 0; i < origins->n_by_region_rank; i++) {
        const struct result_path_share *part = &origins->by_region_rank[i];
        is_sound = is_sound && paths_of(origins, part->region, part->rank) == part->time_ns &&
                   is_bounded(pattern, i);
    }
    if (!is_sound)
        fprintf(stream, "  %s: waits %llu, explained %llu, not known %llu\n", pattern->id,
                (unsigned long long)pattern->total_ns, (unsigned long long)origins->explained_ns,
                (unsigned long long)origins->unexplained_ns);
    return is_sound;
}

/// Replays TRACE and checks all patterns of its result.
static bool are_right(struct trace *trace, uint64_t *n_netted, FILE *stream)
{
    struct error err = {{0}};
    struct matcher *matcher = matcher_new(shipped_catalogue, trace_definitions(trace));
    const struct pag_options options = PAG_OPTIONS_DEFAULT;
    const struct pag_listener listener = {.trigger = {matcher_trigger, matcher},
                                          .window_moved = {matcher_window_moved, matcher}};
    struct pag_result replay = {0};
    struct result result = {0};
    bool is_sound = pag_run(trace, &options, &listener, &replay, &err) == 0;
    if (is_sound)
        collect_result(&(struct collect_input){.trace = trace,
                                               .catalogue = shipped_catalogue,
                                               .matcher = matcher,
                                               .replay = &replay},
                       &result);
    else
        fprintf(stream, "  %s\n", err.text);
    for (size_t p = 0; p < result.n_patterns; p++) {
        is_sound = is_right(&result.patterns[p], stream) && is_sound;
        *n_netted += result.patterns[p].origins.offset_ns < 0;
    }
    result_release(&result);
    pag_result_release(&replay);
    matcher_free(matcher);
    return is_sound;
}

static bool check_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    uint64_t *n_netted = *(uint64_t *const *)context;
    struct error err = {{0}};
    char *scratch = scratch_directory();
    SCOPED char *archive = memory_format("%s/archive", scratch);
    *text = sim_program_trace_text(seed, &PROGRAM_LIMITS_ALL);
    struct trace *trace =
        text_trace_write(*text, archive, &err) == 0 ? trace_open(archive, &err) : NULL;
    bool is_sound = trace && are_right(trace, n_netted, stream);
    if (!trace)
        fprintf(stream, "  %s\n", err.text);
    trace_close(trace);
    scratch_remove(scratch);
    return is_sound;
}

TEST(test_parts_sum_to_the_waits)
{
    uint64_t n_netted = 0, *counter = &n_netted;
    seeds_check(DEFAULT_SEEDS, check_seed, &counter);
    assert_true(n_netted > 0); // there was something to take off
}

AROUND_ALL(shipped_catalogue_load, shipped_catalogue_unload)
