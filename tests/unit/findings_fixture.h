// SPDX-License-Identifier: BSD-3-Clause
// A made result of two ranks, and what is found in it.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/report.h"
#include "analyzer/result/findings/findings.h"
#include "analyzer/trace/definitions.h"
#include "tests/unit/unit_test.h"

enum { MS = 1000000 };

#define REGION(text) .name = (char *)(text), .shown = (char *)(text)
#define PATH(text)   .path = (char *)(text), .shown = (char *)(text)
static const struct result_region first_regions[] = {
    {REGION("solve"), .file = (char *)"solve.c", .line = 56, .exclusive_ns = 100 * MS,
     .max_rank = 1, .max_ns = 60 * MS},
    {REGION("MPI_Recv"), .mpi_class = MPI_CLASS_POINT_TO_POINT, .file = (char *)"", .is_mpi = true},
    {REGION("MPI_Init"), .file = (char *)"", .is_mpi = true},
};
static const struct result_path first_paths[] = {
    {PATH("solve"), .parent = RESULT_NONE, .exclusive_ns = 100 * MS},
    {PATH("solve/MPI_Recv"), .region = 1, .depth = 1, .visits = 9, .exclusive_ns = 80 * MS},
    {PATH("MPI_Init"), .region = 2, .parent = RESULT_NONE, .visits = 2, .exclusive_ns = 900 * MS},
};
static struct result_region regions[6]; // the first three are those above
static struct result_path paths[7];
static struct result_rank ranks[2];
static struct result_amount on_rank_0[] = {{0, 3, 30 * MS}};
static struct result_amount in_receive[] = {{1, 3, 30 * MS}};
static struct result_amount for_rank_1[] = {{1, 2, 20 * MS}};
static struct result_pattern patterns[1];
static struct result_path_share on_path[] = {
    {2, RESULT_NONE, 60 * MS, 0.6, RESULT_NONE, RESULT_NONE},
    {0, RESULT_NONE, 40 * MS, 0.4, RESULT_NONE, RESULT_NONE}};

/// Two ranks, 100 ms, all of it judged; 50 and 50 ms useful, the rest MPI.
static inline struct result make_result(void)
{
    memcpy(regions, first_regions, sizeof first_regions);
    memcpy(paths, first_paths, sizeof first_paths);
    ranks[0] = ranks[1] = (struct result_rank){.useful_ns = 50 * MS, .mpi_ns = 50 * MS};
    patterns[0] = (struct result_pattern){
        .id = (char *)"late-sender",
        .parent = (char *)"",
        .name = (char *)"Late Sender",
        .is_top = true,
        .is_evaluated = true,
        .confidence = 1,
        .worst = {RESULT_NONE, RESULT_NONE, RESULT_NONE, 0, 0, RESULT_NONE}};
    return (struct result){.trace_path = (char *)"x",
                           .program = (char *)"",
                           .arguments = (char *)"",
                           .creator = (char *)"",
                           .time_ns = 100 * MS,
                           .window_end_ns = 100 * MS,
                           .total_ns = 200 * MS,
                           .useful_ns = 100 * MS,
                           .other_mpi_ns = 100 * MS,
                           .efficiency = {0.5, 1, 0.5, NAN, NAN, NAN},
                           .ranks = ranks,
                           .n_ranks = 2,
                           .regions = regions,
                           .n_regions = 3,
                           .paths = paths,
                           .n_paths = 3,
                           .patterns = patterns,
                           .n_patterns = 1,
                           .critical_path = {.by_region = on_path, .n_by_region = 2}};
}

static inline void add_late_sender(struct result *result, uint64_t window_ns)
{
    result->wait_ns = window_ns;
    result->other_mpi_ns -= window_ns;
    patterns[0].count = 3;
    patterns[0].total_ns = 30 * MS;
    patterns[0].window_ns = window_ns;
    patterns[0].by_rank = on_rank_0, patterns[0].n_by_rank = 1;
    patterns[0].by_path = in_receive, patterns[0].n_by_path = 1;
    patterns[0].by_cause = for_rank_1, patterns[0].n_by_cause = 1;
}

/// The waits have these N origins.
static inline void set_origins(struct result_path_share *origins, size_t n)
{
    patterns[0].origins = (struct result_origins){
        .explained_ns = 30 * MS, .by_path_rank = origins, .n_by_path_rank = n};
}

/// SITES, whose texts that are not set become empty, are those of RESULT.
static inline void set_sites(struct result *result, struct result_site *sites, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char **texts[] = {&sites[i].function, &sites[i].function_shown, &sites[i].file,
                          &sites[i].source};
        for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
            if (!*texts[t])
                *texts[t] = (char *)"";
    }
    result->sites = sites;
    result->n_sites = n;
}

static struct catalogue *catalogue;
static struct result found; // by the last find()

/// Frees what findings_write() has added.
static inline void forget(void)
{
    struct result own = {.findings = found.findings,
                         .n_findings = found.n_findings,
                         .headline = found.headline,
                         .remark = found.remark,
                         .certainty = found.certainty,
                         .conclusion = found.conclusion};
    result_release(&own);
    found = (struct result){0};
}

static inline int load(void **state)
{
    struct error err;
    (void)state;
    catalogue = catalogue_load("patterns", NULL, 0, &err);
    return catalogue ? 0 : -1;
}

static inline int unload(void **state)
{
    forget();
    catalogue_free(catalogue);
    return 0;
}

/// The result with what findings_write() adds to it is in `found`, until the next one.
static inline void find(const struct result *result)
{
    forget();
    found = *result;
    findings_write(&catalogue->findings, &catalogue->tunings, &found);
    assert_non_null(found.headline);
    assert_non_null(found.conclusion);
}

/// And what stands at PLACE among the findings is of KIND.
static inline void find_kind(const struct result *result, size_t place, const char *kind)
{
    find(result);
    assert_string_equal(found.findings[place].kind, kind);
}

static inline void assert_says(const char *part)
{
    if (!strstr(found.conclusion, part))
        fail_msg("\"%s\" is not in: %s", part, found.conclusion);
}

static inline void assert_says_not(const char *part)
{
    if (strstr(found.conclusion, part))
        fail_msg("\"%s\" is in: %s", part, found.conclusion);
}

/// Rank 0 waits 30 ms for RANK_NS by rank in solve, of which rank 0 spends OWN_NS.
static inline void add_origin(struct result *result, uint64_t own_ns, const int64_t rank_ns[2])
{
    static struct result_path_share by_place[2];
    static struct result_path_rank times[2];
    add_late_sender(result, 30 * MS);
    times[0] = (struct result_path_rank){0, 0, 1, own_ns, own_ns, 0};
    times[1] = (struct result_path_rank){0, 1, 1, 100 * MS - own_ns, 100 * MS - own_ns, 0};
    for (uint32_t i = 0; i < 2; i++)
        by_place[i] = (struct result_path_share){0, i, rank_ns[i], 0, RESULT_NONE, 0};
    result->path_ranks = times;
    result->n_path_ranks = 2;
    set_origins(by_place, 2);
}
