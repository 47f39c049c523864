// SPDX-License-Identifier: BSD-3-Clause
// Runs the points and takes what they leave (see driver.h). Whether one is finished is asked of the
// database, whose transactions are whole; the result files in the folder only save running a
// program again whose archive was not stored yet.
#include "analyzer/sweep/run/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/log.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/compare/severity.h"
#include "analyzer/launch/process.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/sweep/run/batch.h"
#include "analyzer/sweep/run/folder.h"
#include "db/database.h"
#include "db/points.h"
#include "db/query/figures.h"
#include "db/store.h"

/// What the database has of the experiment now. 0, or -1 and ERR.
static int read_stored(struct sweep_driver *driver, struct error *err)
{
    const struct sweep_place *place = &driver->setting->place;
    const struct trial_filter filter = {place->application, place->experiment};
    struct stat status;
    trial_list_release(&driver->stored);
    driver->stored = (struct trial_list){0};
    // A dry run may find no database, or one whose making was cut short.
    if (stat(place->database, &status) != 0 || status.st_size == 0)
        return 0;
    return trials_read(place->database, &filter, &driver->stored, err);
}

static const struct trial_summary *find_stored(const struct sweep_driver *driver, const char *name)
{
    for (size_t i = 0; i < driver->stored.n_trials; i++)
        if (strcmp(driver->stored.trials[i].name, name) == 0)
            return &driver->stored.trials[i];
    return NULL;
}

static char *reason_of(const struct sweep_result *result)
{
    if (result->is_over_limit)
        return memory_format("ended after %s", quantity_time(result->wall_ns).text);
    return memory_format("%s exit status %d", result->is_build ? "build with" : "with",
                         result->status);
}

/// What is known about a point before anything is run.
static struct sweep_row row_of(const struct sweep_driver *driver, const struct sweep_job *job)
{
    const struct sweep_setting *setting = driver->setting;
    const struct sweep_skip *skip = sweep_skips_find(setting->skips, &job->point);
    struct sweep_result result = {0};
    struct sweep_row row = {.name = memory_copy_text(job->point.name),
                            .command = memory_copy_text(job->command)};
    bool has_result = sweep_job_result(job, &result);
    row.wall_ns = result.wall_ns;
    if (find_stored(driver, job->point.name)) {
        row.state = SWEEP_STORED;
    } else if (skip) {
        row.state = SWEEP_SKIPPED;
        row.reason = memory_copy_text(*skip->reason ? skip->reason : skip->when);
    } else if (has_result && !setting->retries_failed &&
               (result.status != 0 || result.is_over_limit)) {
        row.state = result.is_over_limit ? SWEEP_TOO_LONG : SWEEP_FAILED;
        row.reason = reason_of(&result);
    }
    if (!row.reason)
        row.reason = memory_copy_text("");
    return row;
}

int sweep_driver_look(struct sweep_driver *driver, struct error *err)
{
    const struct sweep_setting *setting = driver->setting;
    struct sweep_report *report = driver->report;
    size_t n = sweep_plan_n_points(setting->plan);
    *report = (struct sweep_report){.database = setting->place.database,
                                    .experiment = setting->place.experiment,
                                    .dir = setting->place.dir};
    if (read_stored(driver, err) != 0)
        return -1;
    report->rows = memory_zeroed(n, sizeof *report->rows);
    for (size_t i = 0; i < n; i++) {
        struct sweep_job job;
        sweep_job_init(&job, setting->plan, &setting->place, i);
        report->rows[report->n_rows++] = row_of(driver, &job);
        sweep_job_release(&job);
    }
    return 0;
}

int sweep_driver_check_properties(struct sweep_driver *driver, struct error *err)
{
    const struct sweep_checkpoints *checkpoints = driver->setting->checkpoints;
    driver->catalogue = catalogue_load_shipped(NULL, 0, err);
    if (!driver->catalogue)
        return -1;
    for (size_t i = 0; i < checkpoints->n_series; i++) {
        const struct sweep_series *series = &checkpoints->series[i];
        if (severity_name_check(driver->catalogue, NULL, series->property, "a checkpoint", err) ||
            (series->region &&
             region_severity_check(series->property, series->region, NULL, "a checkpoint", err)))
            return -1;
    }
    return 0;
}

/// So that a database that cannot be written is found before the first point is run, and one whose
/// making was cut short is whole.
static int make_database(const char *path, struct error *err)
{
    struct database *database;
    if (database_open(&database, path, DATABASE_CREATE, err) != 0)
        return -1;
    database_close(database);
    return 0;
}

int sweep_driver_prepare(struct sweep_driver *driver, struct error *err)
{
    if (sweep_driver_check_properties(driver, err) != 0 ||
        make_database(driver->setting->place.database, err) != 0)
        return -1;
    return sweep_driver_look(driver, err);
}

/// The parameters of a point that have a value. The array is the caller's to free.
static struct result_named *parameters_of(const struct sweep_plan *plan,
                                          const struct sweep_point *point, size_t *n)
{
    struct result_named *parameters = memory_zeroed(plan->n_parameters + 1, sizeof *parameters);
    *n = 0;
    for (size_t i = 0; i < plan->n_parameters; i++)
        if (point->values[i])
            parameters[(*n)++] =
                (struct result_named){plan->parameters[i].name, (char *)point->values[i]};
    return parameters;
}

/// Adds the roles of the parameters to their values, which the caller then frees.
static void add_roles(const struct sweep_plan *plan, const struct sweep_point *point,
                      struct result_named *parameters)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->n_parameters; i++)
        if (point->values[i])
            parameters[n++].value =
                memory_format("%s:%s", point->values[i], plan->parameters[i].role);
}

/// Replays the archive of a point and stores it. 0, or -1 and ERR.
static int store_trace(const struct sweep_driver *driver, const struct sweep_job *job,
                       struct error *err)
{
    struct store_names names = {.application = job->place->application,
                                .experiment = job->place->experiment,
                                .trial = job->point.name};
    struct result_named *parameters = parameters_of(job->plan, &job->point, &names.n_parameters);
    add_roles(job->plan, &job->point, parameters);
    names.parameters = parameters;
    struct replay_run run;
    char *trace = memory_format("%s/trace", job->dir);
    int status = replay_run_open(&run, trace, err);
    if (status == 0)
        status = replay_run(&run, driver->catalogue, NULL, false, NULL, err);
    if (status == 0)
        status = store_result(job->place->database, &run.result, &names, err);
    replay_run_release(&run);
    if (status == 0 && driver->setting->keeps_no_traces)
        status = scratch_folder_remove(trace, err);
    free(trace);
    for (size_t i = 0; i < names.n_parameters; i++)
        free(parameters[i].value);
    free(parameters);
    return status;
}

/// "; about 2 min left", by the mean of the points run so far.
static char *time_left(const struct sweep_driver *driver, size_t n_left)
{
    if (n_left == 0 || driver->n_ran == 0)
        return memory_copy_text("");
    double left_s = (double)driver->ran_ns / 1e9 / (double)driver->n_ran * (double)n_left;
    if (left_s < 90)
        return memory_format("; about %.0f s left", left_s);
    if (left_s < 90.0 * 60)
        return memory_format("; about %.0f min left", left_s / 60);
    return memory_format("; about %.1f h left", left_s / 3600);
}

static void say_stored(const struct sweep_driver *driver, size_t number,
                       const struct trial_summary *trial)
{
    const struct sweep_report *report = driver->report;
    char *left = time_left(driver, sweep_report_count(report, SWEEP_TO_RUN));
    log_note("%zu/%zu %s: %s, %s%s", number + 1, report->n_rows, trial->name,
             quantity_count(trial->n_ranks, "rank").text, quantity_time(trial->time_ns).text, left);
    free(left);
}

static void say_failed(const struct sweep_driver *driver, const struct sweep_job *job,
                       size_t number, const struct sweep_result *result)
{
    size_t n = driver->report->n_rows;
    char *last = sweep_job_last_line(job, result);
    if (result->is_over_limit)
        log_warning("%zu/%zu %s: ended after %s, its limit", number + 1, n, job->point.name,
                    quantity_time(result->wall_ns).text);
    else
        log_warning("%zu/%zu %s: %sfailed with exit status %d%s%s (all in %s/stderr)", number + 1,
                    n, job->point.name, result->is_build ? "its build " : "", result->status,
                    *last ? ": " : "", last, job->dir);
    free(last);
}

/// Stores a job that has run. 0, or -1 and ERR.
static int store_job(struct sweep_driver *driver, const struct sweep_job *job, size_t number,
                     struct error *err)
{
    if ((!job->is_replay && store_trace(driver, job, err) != 0) || read_stored(driver, err) != 0)
        return -1;
    const struct trial_summary *trial = find_stored(driver, job->point.name);
    if (!trial)
        return error_set(err, "it was not stored: does %s store elsewhere?", job->command);
    driver->report->rows[number].state = SWEEP_STORED;
    driver->report->n_stored_now++;
    say_stored(driver, number, trial);
    return 0;
}

int sweep_driver_take(struct sweep_driver *driver, const struct sweep_job *job, size_t number,
                      const struct sweep_result *result, struct error *err)
{
    struct sweep_row *row = &driver->report->rows[number];
    row->wall_ns = result->wall_ns;
    if (result->status == 0 && !result->is_over_limit)
        return store_job(driver, job, number, err);
    row->state = result->is_over_limit ? SWEEP_TOO_LONG : SWEEP_FAILED;
    free(row->reason);
    row->reason = reason_of(result);
    say_failed(driver, job, number, result);
    return 0;
}

/// Notes how severe what a checkpoint asks for is in TRIAL. 0, or -1 and ERR.
static int note_severity(struct sweep_driver *driver, struct database *database,
                         const struct trial_summary *trial, size_t number, struct error *err)
{
    struct sweep_checkpoints *checkpoints = driver->setting->checkpoints;
    struct sweep_series *series = &checkpoints->series[number];
    struct error why = {{0}};
    double severity, confidence;
    if (series->region)
        severity =
            region_severity_read(database, trial->id, series->property, series->region, &why);
    else if (trial_severity_read(database, trial->id, series->property, &severity, &confidence,
                                 err) != 0)
        return -1;
    if (*why.text && !series->is_unknown)
        log_warning("%s: a checkpoint cannot be checked: %s", trial->name, why.text);
    series->is_unknown = series->is_unknown || *why.text;
    sweep_checkpoints_note(checkpoints, number, severity);
    return 0;
}

int sweep_driver_check(struct sweep_driver *driver, size_t number, struct error *err)
{
    struct sweep_checkpoints *checkpoints = driver->setting->checkpoints;
    const struct trial_summary *trial = find_stored(driver, driver->report->rows[number].name);
    struct database *database;
    int status = 0;
    if (checkpoints->n == 0 || !trial)
        return 0;
    if (database_open(&database, driver->setting->place.database, DATABASE_READ, err) != 0)
        return -1;
    for (size_t i = 0; i < checkpoints->n_series && status == 0; i++)
        status = note_severity(driver, database, trial, i, err);
    database_close(database);
    if (status != 0)
        return -1;
    const struct sweep_checkpoint *reached = sweep_checkpoints_reached(checkpoints);
    if (reached)
        driver->report->stopped_by = memory_copy_text(reached->text);
    return reached ? 1 : 0;
}

int sweep_driver_note(const struct sweep_driver *driver, struct error *err)
{
    const struct sweep_place *place = &driver->setting->place;
    const struct sweep_plan *plan = driver->setting->plan;
    const struct sweep_report *report = driver->report;
    struct point_note *notes = memory_zeroed(report->n_rows + 1, sizeof *notes);
    struct sweep_point *points = memory_zeroed(report->n_rows + 1, sizeof *points);
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct sweep_row *row = &report->rows[i];
        bool has_gap = row->state != SWEEP_STORED && row->state != SWEEP_TO_RUN;
        notes[i] = (struct point_note){.name = row->name, .reason = row->reason};
        if (!has_gap)
            continue;
        sweep_plan_point(plan, i, &points[i]);
        notes[i].state = sweep_state_names[row->state];
        notes[i].parameters = parameters_of(plan, &points[i], &notes[i].n_parameters);
    }
    int status = points_note(place->database, place->application, place->experiment, notes,
                             report->n_rows, err);
    for (size_t i = 0; i < report->n_rows; i++) {
        free((void *)notes[i].parameters);
        if (notes[i].state)
            sweep_point_release(&points[i]);
    }
    free(notes);
    free(points);
    return status;
}

void sweep_driver_release(struct sweep_driver *driver)
{
    trial_list_release(&driver->stored);
    catalogue_free(driver->catalogue);
}

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
            setting->limit_ns && process_now_ns() - driver->begin_ns >= setting->limit_ns;
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
    struct sweep_driver driver = {
        .setting = setting, .report = report, .begin_ns = process_now_ns()};
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
