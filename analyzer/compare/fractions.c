// SPDX-License-Identifier: BSD-3-Clause
// From the times of ranks that are stored with each trial (fractions.h).
#include "analyzer/compare/fractions.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "db/query/query.h"

const char *const fraction_names[N_FRACTIONS] = {"computing", "overhead", "waiting"};

enum rank_metric { USEFUL, MPI, WAIT, NO_CPU, N_RANK_METRICS };
static const char *const metric_names[N_RANK_METRICS] = {"useful_ns", "mpi_ns", "wait_ns",
                                                         "no_cpu_ns"};

/// What one metric of a trial is on each rank.
struct values {
    double *by_rank;
    size_t n_ranks, n_found;
};

static void keep_value(const struct query_value *value, void *user)
{
    struct values *values = user;
    size_t rank = strtoul(strrchr(value->part, '/') + 1, NULL, 10); // "/Process/3"
    if (rank < values->n_ranks) {
        values->by_rank[rank] = value->value;
        values->n_found++;
    }
}

static int read_metrics(struct database *database, const struct difference_run *run,
                        struct values values[N_RANK_METRICS], struct error *err)
{
    for (enum rank_metric m = 0; m < N_RANK_METRICS; m++) {
        const struct query_question question = {
            .metric = metric_names[m], .by = QUERY_BY_PROCESS, .trials = &run->id, .n_trials = 1};
        if (query_metric(database, &question, keep_value, &values[m], err) != 0)
            return -1;
    }
    return values[USEFUL].n_found > 0
               ? 0
               : error_set(err, "%s: it has no times of its ranks (useful_ns, mpi_ns, wait_ns)",
                           run->trial.name);
}

/// Adds the fractions of RUN, one of N_RUNS of its group, to the ranks of PAGE.
static int add_run(struct database *database, const struct difference_run *run, size_t n_runs,
                   struct fractions_page *page, struct error *err)
{
    size_t n = page->n_ranks;
    SCOPED double *all = memory_zeroed(N_RANK_METRICS * n + 1, sizeof *all);
    struct values values[N_RANK_METRICS];
    double whole_ns = 0;
    for (size_t m = 0; m < N_RANK_METRICS; m++)
        values[m] = (struct values){.by_rank = all + m * n, .n_ranks = n};
    if (read_metrics(database, run, values, err) != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        whole_ns = fmax(whole_ns, values[USEFUL].by_rank[i] + values[NO_CPU].by_rank[i] +
                                      values[MPI].by_rank[i]);
    for (size_t i = 0; i < n && whole_ns > 0; i++) {
        double computing = values[USEFUL].by_rank[i] / whole_ns;
        double overhead = (values[MPI].by_rank[i] - values[WAIT].by_rank[i]) / whole_ns;
        double *of = page->ranks[i].of[run->group];
        of[FRACTION_COMPUTING] += computing / (double)n_runs;
        of[FRACTION_OVERHEAD] += overhead / (double)n_runs;
        of[FRACTION_WAITING] += (1 - computing - overhead) / (double)n_runs;
    }
    return 0;
}

static void find_errors(struct fractions_page *page)
{
    SCOPED double *errors = memory_zeroed(page->n_ranks + 1, sizeof *errors);
    for (enum fraction f = 0; f < N_FRACTIONS; f++) {
        for (size_t i = 0; i < page->n_ranks; i++)
            errors[i] =
                fabs(page->ranks[i].of[DIFFERENCE_B][f] - page->ranks[i].of[DIFFERENCE_A][f]);
        page->errors[f] = (struct fraction_error){
            .mean = gsl_stats_mean(errors, 1, page->n_ranks),
            .deviation = page->n_ranks > 1 ? gsl_stats_sd(errors, 1, page->n_ranks) : NAN,
        };
    }
}

int fractions_page_read(struct database *database, const struct difference_choice *choice,
                        struct fractions_page *page, struct error *err)
{
    size_t n_runs[2] = {0, 0};
    *page = (struct fractions_page){.database = database->path};
    if (difference_runs_read(database, choice, &page->runs, err) != 0)
        return -1;
    const struct trial_time *first = &page->runs.list[0].trial;
    page->n_ranks = first->n_ranks;
    page->ranks = memory_zeroed(page->n_ranks + 1, sizeof *page->ranks);
    for (size_t i = 0; i < page->runs.n; i++) {
        const struct trial_time *trial = &page->runs.list[i].trial;
        n_runs[page->runs.list[i].group]++;
        if (trial->n_ranks != first->n_ranks)
            return error_set(err,
                             "%s has %llu ranks and %s %llu: fractions are compared rank by rank",
                             first->name, (unsigned long long)first->n_ranks, trial->name,
                             (unsigned long long)trial->n_ranks);
    }
    for (size_t i = 0; i < page->runs.n; i++) {
        const struct difference_run *run = &page->runs.list[i];
        if (add_run(database, run, n_runs[run->group], page, err) != 0)
            return -1;
    }
    find_errors(page);
    return 0;
}

void fractions_page_release(struct fractions_page *page)
{
    difference_runs_release(&page->runs);
    free(page->ranks);
    *page = (struct fractions_page){0};
}
