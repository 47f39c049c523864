// SPDX-License-Identifier: BSD-3-Clause
// Predictions, one in each thread (jobs.h).
#include "analyzer/whatif/jobs.h"

#include <pthread.h>
#include <stdlib.h>

#include "analyzer/base/checksum.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/threads.h"
#include "analyzer/simulation/change/set_work.h"
#include "analyzer/spread/spread.h"
#include "analyzer/whatif/kinds.h"

// --- progress

struct whatif_progress {
    struct progress bar;
    pthread_mutex_t lock;
    uint64_t n_done;
};

struct whatif_progress *whatif_progress_new(const char *label)
{
    struct whatif_progress *progress = memory_zeroed(1, sizeof *progress);
    pthread_mutex_init(&progress->lock, NULL);
    progress_begin(&progress->bar, label, 1);
    return progress;
}

void whatif_progress_free(struct whatif_progress *progress)
{
    if (!progress)
        return;
    progress_end(&progress->bar);
    pthread_mutex_destroy(&progress->lock);
    free(progress);
}

void whatif_progress_expect(struct whatif_progress *progress, size_t n)
{
    if (progress)
        progress->bar.total = progress->n_done + n;
}

static void count_done(struct whatif_progress *progress)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    progress_update(&progress->bar, ++progress->n_done);
    pthread_mutex_unlock(&progress->lock);
}

// --- one prediction

int whatif_job_plan(const struct whatif_batch *batch, const struct whatif_job *job,
                    struct whatif_plan *plan, struct error *err)
{
    SCOPED struct advice_word *words = NULL;
    size_t n = 0, capacity = 0;
    bool has_target = false;
    for (int i = 0; i < 2 && job->candidates[i]; i++)
        has_target = has_target || job->candidates[i]->has_target;
    for (int i = has_target ? 0 : -1; i < 2 && (i < 0 || job->candidates[i]); i++) {
        const struct advice_word *added = i < 0 ? batch->words : job->candidates[i]->words;
        size_t n_added = i < 0 ? batch->n_words : job->candidates[i]->n_words;
        words = array_reserve(words, &capacity, n + n_added, sizeof *words);
        for (size_t k = 0; k < n_added; k++)
            words[n++] = added[k];
    }
    int status = whatif_plan_read(plan, words, n, err);
    if (status == 0 && batch->is_completed)
        return whatif_plan_prepare(plan, trace_definitions(batch->measured->trace), err);
    if (status == 0 && plan->is_list)
        return error_set(err, "a value with commas would be several");
    return status == 0 ? whatif_plan_complete(plan, batch->measured, err) : -1;
}

/// What is kept of RUN, or made of its POINTS, for the cases of PLAN.
static void put_results(struct result *results, const struct whatif_plan *plan,
                        const struct result *measured, struct replay_run *run,
                        const struct whatif_point *points)
{
    if (whatif_case_is_estimate(&plan->cases[0])) {
        for (size_t i = 0; i < plan->n_cases; i++)
            results[i] = whatif_estimate_result(measured, &points[i]);
        return;
    }
    results[0] = run->result;
    run->result = (struct result){0};
}

/// 0, or -1 and ERR; the caller releases POINTS in either case.
static int predict_cases(const struct whatif_batch *batch, const struct whatif_job *job,
                         struct whatif_plan *plan, struct whatif_point *points, struct error *err)
{
    const struct whatif_input input = {.measured = batch->measured,
                                       .catalogue = batch->catalogue,
                                       .is_quiet = true,
                                       .finds_path = job->run != NULL,
                                       .compares_slowdown =
                                           batch->is_completed && !job->draw &&
                                           !whatif_case_is_estimate(&plan->cases[0])};
    SCOPED_BY(whatif_report_release) struct whatif_report noted = {0};
    struct visits *counted = NULL;
    SCOPED_BY(replay_run_release) struct replay_run own = {0};
    struct replay_run *run = job->run ? job->run : &own;
    int status = 0;
    if (batch->is_completed)
        plan->cases[0].scenario.visits = batch->visits;
    else
        status = whatif_count_work(plan, batch->measured, &noted, &counted, err);
    if (status == 0)
        status = whatif_predict(&input, &plan->cases[0].scenario, run, points, plan->n_cases, err);
    if (status == 0)
        status = whatif_estimate(plan->cases, plan->n_cases, batch->measured, points, err);
    if (status == 0 && job->results)
        put_results(job->results, plan, &batch->measured->result, run, points);
    visits_free(counted);
    return status;
}

static void release_points(struct whatif_point *points, size_t n)
{
    for (size_t i = 0; points && i < n; i++)
        whatif_point_release(&points[i]);
}

void whatif_run_job(const struct whatif_batch *batch, struct whatif_job *job)
{
    struct whatif_plan plan;
    struct error err = {{0}};
    int status = whatif_job_plan(batch, job, &plan, &err);
    SCOPED struct whatif_point *own = job->points ? NULL : memory_zeroed(plan.n_cases, sizeof *own);
    struct whatif_point *points = job->points ? job->points : own;
    if (status == 0 && job->draw)
        plan.cases[0].settings.draw = job->draw;
    if (status == 0)
        status = predict_cases(batch, job, &plan, points, &err);
    if (status == 0) {
        job->predicted_ns = points[0].predicted_ns;
        job->window_ns = points[0].window_end_ns - points[0].window_begin_ns;
    } else {
        job->failure = memory_copy_text(err.text);
    }
    release_points(own, plan.n_cases);
    whatif_plan_release(&plan);
    count_done(batch->progress);
}

void whatif_move_job(const struct whatif_batch *batch, struct whatif_job *job, struct owned *walk)
{
    if (walk->purpose == OWNED_READ) {
        release_points(job->points, job->n_cases);
        count_done(batch->progress);
    }
    owned_block(walk, &job->predicted_ns, sizeof job->predicted_ns);
    owned_block(walk, &job->window_ns, sizeof job->window_ns);
    owned_block(walk, &job->failure, sizeof job->failure);
    owned_text(walk, &job->failure);
    for (size_t i = 0; job->points && i < job->n_cases; i++) {
        owned_block(walk, &job->points[i], sizeof job->points[i]);
        whatif_point_owned(walk, &job->points[i]);
    }
    for (size_t i = 0; job->results && i < job->n_cases; i++) {
        owned_block(walk, &job->results[i], sizeof job->results[i]);
        result_owned(walk, &job->results[i]);
    }
}

// --- many

struct jobs {
    const struct whatif_batch *batch;
    struct whatif_job *items;
};

uint64_t whatif_input(const struct replay_run *measured)
{
    const struct pag_result *run = &measured->replay;
    const uint64_t numbers[] = {run->n_locations,  run->n_ranks,       run->n_events,
                                run->n_messages,   run->n_collectives, run->time_ns,
                                run->window_end_ns};
    return checksum_bytes(0, numbers, sizeof numbers);
}

static void run_numbered(void *context, size_t number)
{
    struct jobs *jobs = context;
    whatif_run_job(jobs->batch, &jobs->items[number]);
}

static void move_numbered(void *context, size_t number, struct owned *walk)
{
    struct jobs *jobs = context;
    whatif_move_job(jobs->batch, &jobs->items[number], walk);
}

void whatif_run_jobs(const struct whatif_batch *batch, struct whatif_job *jobs, size_t n)
{
    if (batch->is_of_one_process) {
        threads_each(n, run_numbered, &(struct jobs){batch, jobs});
        return;
    }
    spread_each(&(struct spread_jobs){.n = n,
                                      .input = whatif_input(batch->measured),
                                      .context = &(struct jobs){batch, jobs},
                                      .run = run_numbered,
                                      .move = move_numbered});
}
