// SPDX-License-Identifier: BSD-3-Clause
// Waiting for tasks (see batch.h). Slurm is asked before the result files are looked for: who
// is no longer in the queue has left a result, or never will.
#include "analyzer/cmd/sweep/batch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/log.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/cmd/sweep/folder.h"
#include "analyzer/cmd/sweep/slurm.h"
#include "analyzer/sweep/substitute.h"

enum { LOST_STATUS = 125, TIMES_MISSED = 3, TIMES_PENDING = 3 };

/// Why a task is pending.
struct pending {
    char reason[SWEEP_REASON_SIZE];
    unsigned n_seen; // times in a row
};

struct batch {
    struct sweep_driver *driver;
    struct sweep_job *jobs; // of all rows
    char **options;         // of sbatch, of rows that are to be submitted; else NULL
    bool *is_awaited;       // by row
    struct pending *pending;
    unsigned *n_missed; // neither in the queue nor with a result, times in a row
};

/// What is to be done about a point that is not stored: wait for its task, or submit it.
static int plan_row(struct batch *batch, const struct sweep_queue *queue, size_t i,
                    struct error *err)
{
    const struct sweep_job *job = &batch->jobs[i];
    struct sweep_result result;
    bool has_result = sweep_job_result(job, &result);
    batch->is_awaited[i] = true;
    if ((has_result && result.status == 0 && !result.is_over_limit) ||
        sweep_queue_has(queue, job->dir, NULL))
        return 0;
    batch->options[i] = sweep_substitute(job->plan, &job->point, job->dir, job->plan->batch);
    return sweep_folder_remove(job->dir, err); // of an earlier run that failed
}

/// The rows from FIRST on that have the same options become one array.
static int submit_from(struct batch *batch, size_t first, struct error *err)
{
    const struct sweep_setting *setting = batch->driver->setting;
    struct sweep_array *array = memory_zeroed(1, sizeof *array);
    char *options = batch->options[first];
    *array = (struct sweep_array){
        .dir = setting->place.dir, .options = options, .arguments = setting->arguments};
    for (size_t i = first; i < batch->driver->report->n_rows && array->n < SWEEP_MAX_TASKS; i++) {
        if (!batch->options[i] || strcmp(batch->options[i], options) != 0)
            continue;
        array->folders[array->n] = batch->jobs[i].dir;
        array->numbers[array->n++] = i + 1;
        if (i != first)
            free(batch->options[i]);
        batch->options[i] = NULL;
    }
    int status = sweep_slurm_submit(array, err);
    free(options);
    free(array);
    return status;
}

static int submit(struct batch *batch, struct error *err)
{
    const struct sweep_report *report = batch->driver->report;
    struct sweep_queue queue;
    if (sweep_queue_read(&queue, err) != 0)
        return -1;
    int status = 0;
    for (size_t i = 0; status == 0 && i < report->n_rows; i++)
        if (report->rows[i].state == SWEEP_TO_RUN)
            status = plan_row(batch, &queue, i, err);
    sweep_queue_release(&queue);
    for (size_t i = 0; status == 0 && i < report->n_rows; i++)
        if (batch->options[i])
            status = submit_from(batch, i, err);
    return status;
}

/// A task that was cancelled, or whose node failed.
static int give_up(const struct sweep_job *job, struct sweep_result *result, struct error *err)
{
    log_warning("%s: its Slurm task ended without a result", job->point.name);
    mkdir(job->dir, 0777); // it may have ended before it began
    *result = (struct sweep_result){.status = LOST_STATUS};
    return sweep_result_write(job->dir, job->command, result, err);
}

/// Takes row I if its task has ended. 0; 1: a checkpoint ends the sweep; -1 and ERR.
static int look_at(struct batch *batch, const struct sweep_queue *queue, size_t i,
                   struct error *err)
{
    const struct sweep_job *job = &batch->jobs[i];
    struct sweep_result result;
    if (!sweep_job_result(job, &result)) {
        char reason[SWEEP_REASON_SIZE];
        bool is_there = sweep_queue_has(queue, job->dir, reason);
        struct pending *pending = &batch->pending[i];
        pending->n_seen = strcmp(reason, pending->reason) == 0 ? pending->n_seen + 1 : 1;
        memcpy(pending->reason, reason, sizeof reason);
        batch->n_missed[i] = is_there ? 0U : batch->n_missed[i] + 1;
        if (batch->n_missed[i] < TIMES_MISSED)
            return 0;
        if (give_up(job, &result, err) != 0)
            return -1;
    }
    batch->is_awaited[i] = false;
    batch->pending[i] = (struct pending){"", 0};
    if (sweep_driver_take(batch->driver, job, i, &result, err) != 0)
        return error_wrap(err, "%s", job->point.name);
    return sweep_driver_check(batch->driver, i, err);
}

static bool is_to_be_said(const struct pending *pending)
{
    return pending->n_seen == TIMES_PENDING && *pending->reason &&
           strcmp(pending->reason, "None") != 0;
}

/// Says why tasks are pending, once for each reason: some can never start.
static void say_pending(struct batch *batch)
{
    size_t n_rows = batch->driver->report->n_rows;
    for (size_t i = 0; i < n_rows; i++) {
        struct pending first = batch->pending[i];
        size_t n_more = 0;
        if (!is_to_be_said(&first))
            continue;
        for (size_t k = i; k < n_rows; k++)
            if (is_to_be_said(&batch->pending[k]) &&
                strcmp(batch->pending[k].reason, first.reason) == 0) {
                batch->pending[k].n_seen++;
                n_more += k > i;
            }
        if (n_more > 0)
            log_warning("%s and %s are pending, Slurm says: %s", batch->jobs[i].point.name,
                        quantity_count(n_more, "more point").text, first.reason);
        else
            log_warning("%s is pending, Slurm says: %s", batch->jobs[i].point.name, first.reason);
    }
}

/// One look at all that is awaited; *N_LEFT is how many still are.
static int look_at_all(struct batch *batch, size_t *n_left, struct error *err)
{
    struct sweep_queue queue;
    int status = sweep_queue_read(&queue, err);
    if (status != 0)
        return -1;
    *n_left = 0;
    for (size_t i = 0; status == 0 && i < batch->driver->report->n_rows; i++) {
        if (batch->is_awaited[i])
            status = look_at(batch, &queue, i, err);
        *n_left += batch->is_awaited[i];
    }
    sweep_queue_release(&queue);
    say_pending(batch);
    return status;
}

static int await_all(struct batch *batch, struct error *err)
{
    struct timespec pause = {0, 200000000};
    size_t n_left = 0;
    for (;;) {
        int status = look_at_all(batch, &n_left, err);
        if (interrupt_has_come()) {
            batch->driver->report->is_interrupted = true;
            return 1;
        }
        if (status != 0 || n_left == 0)
            return status;
        nanosleep(&pause, NULL);
        pause = pause.tv_sec < 4 ? (struct timespec){pause.tv_sec + 1, 0} : pause;
    }
}

static void cancel_rest(const struct batch *batch)
{
    for (size_t i = 0; i < batch->driver->report->n_rows; i++)
        if (batch->is_awaited[i])
            sweep_slurm_cancel(batch->jobs[i].dir);
}

int sweep_batch_run(struct sweep_driver *driver, struct error *err)
{
    const struct sweep_setting *setting = driver->setting;
    size_t n = driver->report->n_rows;
    struct batch batch = {
        .driver = driver,
        .jobs = memory_zeroed(n, sizeof *batch.jobs),
        .options = memory_zeroed(n, sizeof *batch.options),
        .is_awaited = memory_zeroed(n, sizeof *batch.is_awaited),
        .pending = memory_zeroed(n, sizeof *batch.pending),
        .n_missed = memory_zeroed(n, sizeof *batch.n_missed),
    };
    int status = 0;
    for (size_t i = 0; i < n; i++)
        sweep_job_init(&batch.jobs[i], setting->plan, &setting->place, i);
    for (size_t i = 0; status == 0 && i < n; i++)
        status = sweep_driver_check(driver, i, err); // what is stored already
    if (status == 0)
        status = submit(&batch, err);
    if (status == 0)
        status = await_all(&batch, err);
    if (driver->report->stopped_by)
        cancel_rest(&batch);
    for (size_t i = 0; i < n; i++) {
        sweep_job_release(&batch.jobs[i]);
        free(batch.options[i]);
    }
    free(batch.jobs);
    free(batch.options);
    free(batch.is_awaited);
    free(batch.pending);
    free(batch.n_missed);
    return status;
}

int sweep_batch_leave(const struct sweep_setting *setting, size_t number, struct error *err)
{
    struct sweep_job job;
    struct sweep_result result;
    if (number == 0 || number > sweep_plan_n_points(setting->plan))
        return error_set(err, "there is no point %zu", number);
    sweep_job_init(&job, setting->plan, &setting->place, number - 1);
    int lock = sweep_task_lock(job.dir);
    int status = 0;
    bool is_done = sweep_job_result(&job, &result) && result.status == 0 && !result.is_over_limit;
    if (lock >= 0 && !is_done) {
        interrupt_begin();
        status = sweep_job_run(&job, &result, err);
        interrupt_end();
    }
    if (status > 0)
        status = error_set(err, "%s: interrupted", job.point.name);
    if (lock >= 0)
        close(lock);
    sweep_job_release(&job);
    return status;
}
