// SPDX-License-Identifier: BSD-3-Clause
// One point after the other (see run.h); what is done about each is in driver.c.
#include "analyzer/cmd/sweep/run.h"

#include <time.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/cmd/sweep/batch.h"
#include "analyzer/cmd/sweep/folder.h"

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int sweep_check_predictions(const struct sweep_setting *setting, struct error *err)
{
    size_t n = sweep_plan_n_points(setting->plan);
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        struct sweep_job job;
        sweep_job_init(&job, setting->plan, &setting->place, i);
        bool is_to_run = job.is_replay && !sweep_skips_find(setting->skips, &job.point);
        if (is_to_run && sweep_job_check_replay(&job, err) != 0)
            status = error_wrap(err, "%s", job.point.name);
        sweep_job_release(&job);
    }
    return status;
}

int sweep_look(const struct sweep_setting *setting, struct sweep_report *report, struct error *err)
{
    struct sweep_driver driver = {.setting = setting, .report = report};
    int status = sweep_driver_check_properties(&driver, err);
    if (status == 0)
        status = sweep_driver_look(&driver, err);
    sweep_driver_release(&driver);
    return status;
}

/// Runs the job, or takes what an earlier call has left of it. 0; 1: the sweep was interrupted; -1
/// and ERR.
static int run_job(struct sweep_driver *driver, const struct sweep_job *job, size_t number,
                   struct error *err)
{
    struct sweep_result result;
    if (job->is_replay || !sweep_job_result(job, &result) || result.status != 0 ||
        result.is_over_limit) {
        int status = sweep_job_run(job, &result, err);
        if (status != 0)
            return status;
        driver->ran_ns += result.wall_ns;
        driver->n_ran++;
    }
    return sweep_driver_take(driver, job, number, &result, err);
}

/// 0; 1: the sweep ends here; -1 and ERR.
static int advance(struct sweep_driver *driver, size_t number, struct error *err)
{
    const struct sweep_setting *setting = driver->setting;
    struct sweep_report *report = driver->report;
    struct sweep_row *row = &report->rows[number];
    if (row->state == SWEEP_TO_RUN) {
        report->is_over_limit =
            setting->limit_ns && now_ns() - driver->begin_ns >= setting->limit_ns;
        report->is_interrupted = interrupt_has_come();
        if (report->is_over_limit || report->is_interrupted)
            return 1;
        struct sweep_job job;
        sweep_job_init(&job, setting->plan, &setting->place, number);
        int status = run_job(driver, &job, number, err);
        if (status < 0)
            error_wrap(err, "%s", job.point.name);
        sweep_job_release(&job);
        report->is_interrupted = status > 0;
        if (status != 0)
            return status;
    }
    return row->state == SWEEP_STORED ? sweep_driver_check(driver, number, err) : 0;
}

static int run_points(struct sweep_driver *driver, struct error *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < driver->report->n_rows; i++)
        status = advance(driver, i, err);
    return status < 0 ? -1 : 0;
}

int sweep_run(const struct sweep_setting *setting, struct sweep_report *report, struct error *err)
{
    struct sweep_driver driver = {.setting = setting, .report = report, .begin_ns = now_ns()};
    *report = (struct sweep_report){0};
    int lock = sweep_folder_open(setting->place.dir, err);
    if (lock < 0)
        return -1;
    interrupt_begin();
    int status = sweep_driver_prepare(&driver, err);
    if (status == 0)
        status = sweep_driver_note(&driver, err); // as far as is known now, should this be killed
    if (status == 0)
        status = setting->plan->batch ? sweep_batch_run(&driver, err) : run_points(&driver, err);
    if (report->n_rows > 0 && sweep_driver_note(&driver, status < 0 ? NULL : err) != 0)
        status = -1;
    interrupt_end();
    sweep_driver_release(&driver);
    close(lock);
    return status < 0 ? -1 : 0;
}
