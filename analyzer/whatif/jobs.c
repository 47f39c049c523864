// SPDX-License-Identifier: BSD-3-Clause
// Predictions, one in each thread (jobs.h).
#include "analyzer/whatif/jobs.h"

#include <pthread.h>
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/threads.h"
#include "analyzer/whatif/whatif.h"

// --- one prediction

int whatif_job_plan(const struct whatif_batch *batch, const struct whatif_job *job,
                    struct whatif_plan *plan, struct error *err)
{
    struct advice_word *words = NULL;
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
    free(words);
    if (status == 0 && plan->is_list)
        return error_set(err, "a value with commas would be several");
    return status == 0 ? whatif_plan_complete(plan, batch->measured, err) : -1;
}

static void run_job(const struct whatif_batch *batch, struct whatif_job *job)
{
    struct whatif_plan plan;
    struct whatif_point point = {0};
    struct error err = {{0}};
    if (whatif_job_plan(batch, job, &plan, &err) == 0 &&
        whatif_run_quietly(&plan, batch->measured, batch->catalogue, &point, &job->result, &err) ==
            0) {
        job->predicted_ns = point.predicted_ns;
        job->window_ns = point.window_end_ns - point.window_begin_ns;
    } else {
        job->failure = memory_copy_text(err.text);
    }
    whatif_point_release(&point);
    whatif_plan_release(&plan);
}

// --- many

struct whatif_progress {
    struct progress bar;
    pthread_mutex_t lock;
    uint64_t n_done;
};

struct whatif_progress *whatif_progress_new(void)
{
    struct whatif_progress *progress = memory_zeroed(1, sizeof *progress);
    pthread_mutex_init(&progress->lock, NULL);
    progress_begin(&progress->bar, "trying changes", 1);
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

struct jobs {
    const struct whatif_batch *batch;
    struct whatif_job *items;
};

static void run_numbered(void *context, size_t number)
{
    struct jobs *jobs = context;
    run_job(jobs->batch, &jobs->items[number]);
    count_done(jobs->batch->progress);
}

void whatif_run_jobs(const struct whatif_batch *batch, struct whatif_job *jobs, size_t n)
{
    threads_each(n, run_numbered, &(struct jobs){batch, jobs});
}
