// SPDX-License-Identifier: BSD-3-Clause
// Causes and findings of random MPI programs, measured and with their remedies predicted: parts sum
// to no more than what they are parts of, and findings with the rest to all that the ranks lost.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/advise/advise.h"
#include "analyzer/base/memory.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/result/findings/findings.h"
#include "tests/reference/engine_findings.h"
#include "tests/reference/program.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/seeds.h"
#include "tests/unit/unit_test.h"

enum { DEFAULT_SEEDS = CASES(500, 60) };

static uint64_t sum(const uint64_t *amounts_ns, size_t n)
{
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < n; i++)
        sum_ns += amounts_ns[i];
    return sum_ns;
}

static bool causes_add_up(const struct result *result, FILE *stream)
{
    struct causes causes;
    causes_collect(&causes, result);
    uint64_t all_ns = causes.rest_ns, waits_ns = 0, of_threads_ns = causes.rest_ns;
    bool is_right = true;
    for (size_t i = 0; i < causes.n; i++) {
        const struct cause *cause = &causes.causes[i];
        uint64_t of_patterns_ns = sum(cause->by_pattern_ns, result->n_patterns);
        all_ns += cause->loss_ns;
        waits_ns += of_patterns_ns;
        if (cause->subject == FINDING_threads)
            of_threads_ns += cause->loss_ns - of_patterns_ns;
        is_right &= of_patterns_ns <= cause->loss_ns &&
                    sum(cause->by_rank_ns, result->n_ranks) <= cause->loss_ns &&
                    (i == 0 || cause->loss_ns <= causes.causes[i - 1].loss_ns);
    }
    if (!is_right || all_ns > findings_lost_ns(result) || waits_ns > result->wait_ns ||
        of_threads_ns < result->threads.lost_ns) {
        fprintf(stream, "  %zu causes: %llu of %llu ns, waits %llu of %llu, threads %llu of %llu\n",
                causes.n, (unsigned long long)all_ns, (unsigned long long)findings_lost_ns(result),
                (unsigned long long)waits_ns, (unsigned long long)result->wait_ns,
                (unsigned long long)of_threads_ns, (unsigned long long)result->threads.lost_ns);
        is_right = false;
    }
    causes_release(&causes);
    return is_right;
}

static bool findings_add_up(const struct result *result, FILE *stream)
{
    uint64_t all_ns = result->found_rest_ns;
    double share = 0;
    bool is_right = true;
    for (size_t i = 0; i < result->n_findings; i++) {
        const struct result_finding *finding = &result->findings[i];
        all_ns += finding->loss_ns;
        share += finding->share;
        for (size_t k = 0; k < finding->n_remedies; k++)
            is_right &= finding->remedies[k].is_predicted && finding->remedies[k].gain_ns > 0;
        is_right &= !strstr(finding->text, "  ");
    }
    // Corrected clocks may have ranks lose more than the judged time.
    bool is_bounded = findings_lost_ns(result) <= result->total_ns;
    is_right &= result->threads.lost_ns <= result->useful_ns;
    if (!is_right || all_ns != findings_lost_ns(result) || (is_bounded && share > 1.000001)) {
        fprintf(stream, "  findings and the rest are %llu of %llu ns, share %g: %s\n",
                (unsigned long long)all_ns, (unsigned long long)findings_lost_ns(result), share,
                result->conclusion);
        is_right = false;
    }
    return is_right;
}

static bool check_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    struct replay_run run = {0};
    struct error err = {{0}};
    char *scratch = scratch_directory(), *archive = memory_format("%s/archive", scratch);
    *text = sim_program_trace_text(seed, &PROGRAM_LIMITS_ALL);
    int status = text_trace_write(*text, archive, &err);
    if (status == 0)
        status = replay_run_open(&run, archive, &err);
    if (status == 0)
        status = replay_run(&run, shipped_catalogue, NULL, true, NULL, &err);
    if (status == 0)
        findings_predict(&run, &err);
    if (status != 0 || run.result.unpredicted)
        fprintf(stream, "  %s\n", status != 0 ? err.text : run.result.unpredicted);
    bool is_right = status == 0 && !run.result.unpredicted && causes_add_up(&run.result, stream);
    is_right = is_right && findings_add_up(&run.result, stream);
    replay_run_release(&run);
    free(archive);
    scratch_remove(scratch);
    return is_right;
}

TEST(test_losses_add_up)
{
    seeds_check(DEFAULT_SEEDS, check_seed, NULL);
}

AROUND_ALL(shipped_catalogue_load, shipped_catalogue_unload)
