// SPDX-License-Identifier: BSD-3-Clause
// Runs the points (see driver.h).
#include "analyzer/sweep/run/driver.h"

#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"
#include "analyzer/launch/process.h"

int sweep_check_predictions(const struct sweep_setting *setting, struct error *err)
{
    size_t n = sweep_plan_n_points(setting->plan);
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        struct sweep_job job;
        sweep_job_init(&job, setting->plan, &setting->place, i);
        bool is_to_run = job.is_replay && !sweep_skips_find(setting->skips, &job.point);
        if (is_to_run && sweep_job_check_replay(&job, setting->check_replay, err) != 0)
            status = error_wrap(err, "%s", job.point.name);
        sweep_job_release(&job);
    }
    return status;
}

int sweep_look(const struct sweep_setting *setting, struct sweep_report *report, struct error *err)
{
    SCOPED_BY(sweep_run_release) struct sweep_run run;
    return sweep_run_begin(&run, setting, report, false, err);
}

/// Runs point NUMBER, or takes what an earlier call has left of it. 0; 1: the sweep was
/// interrupted; -1 and ERR.
static int run_point(struct sweep_run *run, size_t number, struct error *err)
{
    const struct sweep_job *job = &run->jobs[number];
    struct sweep_result result;
    int status = 0;
    if (job->is_replay || !sweep_job_result(job, &result) || result.status != 0 ||
        result.is_over_limit) {
        status = sweep_job_run(job, &result, err);
        run->ran_ns += result.wall_ns;
        run->n_ran++;
    }
    if (status == 0)
        status = sweep_run_take(run, number, &result, err);
    return status < 0 ? error_wrap(err, "%s", job->point.name) : status;
}

/// In order, the sweep having begun at BEGIN_NS.
static int run_points(struct sweep_run *run, uint64_t begin_ns, struct error *err)
{
    struct sweep_report *report = run->report;
    uint64_t limit_ns = run->setting->limit_ns;
    int status = 0;
    for (size_t i = 0; status == 0 && i < run->n_jobs; i++) {
        if (report->rows[i].state == SWEEP_TO_RUN) {
            report->is_over_limit = limit_ns && process_now_ns() - begin_ns >= limit_ns;
            report->is_interrupted = interrupt_has_come();
            if (report->is_over_limit || report->is_interrupted)
                return 0;
            status = run_point(run, i, err);
            report->is_interrupted = status > 0;
        }
        if (status == 0 && report->rows[i].state == SWEEP_STORED)
            status = sweep_run_check(run, i, err);
    }
    return status;
}

int sweep_carry_out(const struct sweep_setting *setting, struct sweep_report *report,
                    struct error *err)
{
    struct sweep_run run;
    uint64_t begin_ns = process_now_ns();
    *report = (struct sweep_report){0};
    int lock = sweep_folder_open(setting->place.dir, err);
    if (lock < 0)
        return -1;
    interrupt_begin();
    int status = sweep_run_begin(&run, setting, report, true, err);
    if (status == 0)
        status = sweep_run_note(&run, err); // as far as is known now, should this be killed
    if (status == 0)
        status =
            setting->plan->batch ? sweep_batch_run(&run, err) : run_points(&run, begin_ns, err);
    if (report->n_rows > 0 && sweep_run_note(&run, status < 0 ? NULL : err) != 0)
        status = -1;
    interrupt_end();
    sweep_run_release(&run);
    close(lock);
    return status < 0 ? -1 : 0;
}
