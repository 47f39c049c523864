// SPDX-License-Identifier: BSD-3-Clause
// Takes what points leave (see driver.h). Whether one is finished is asked of the database, whose
// transactions are whole; the result files in the folder only save running a program again whose
// archive was not stored yet.
#include "analyzer/sweep/run/driver.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/compare/resource_path.h"
#include "analyzer/replay/replay_run.h"
#include "db/database.h"
#include "db/query/figures.h"
#include "db/store.h"

/// What the database has of the experiment now. 0, or -1 and ERR.
static int read_stored(struct sweep_run *run, struct error *err)
{
    const struct sweep_place *place = &run->setting->place;
    const struct trial_filter filter = {place->application, place->experiment};
    struct stat status;
    trial_list_release(&run->stored);
    run->stored = (struct trial_list){0};
    // A dry run may find no database, or one whose making was cut short.
    if (stat(place->database, &status) != 0 || status.st_size == 0)
        return 0;
    return trials_read(place->database, &filter, &run->stored, err);
}

static const struct trial_summary *find_stored(const struct sweep_run *run, const char *name)
{
    return ITEM_BY(run->stored.trials, run->stored.n_trials, name, name);
}

static char *reason_of(const struct sweep_result *result)
{
    if (result->is_over_limit)
        return memory_format("ended after %s", quantity_time(result->wall_ns).text);
    return memory_format("%s exit status %d", result->is_build ? "build with" : "with",
                         result->status);
}

/// What is known about a point before anything is run.
static struct sweep_row row_of(const struct sweep_run *run, const struct sweep_job *job)
{
    const struct sweep_setting *setting = run->setting;
    const struct sweep_skip *skip = sweep_skips_find(setting->skips, &job->point);
    struct sweep_result result = {0};
    struct sweep_row row = {.name = memory_copy_text(job->point.name),
                            .command = memory_copy_text(job->command)};
    bool has_result = sweep_job_result(job, &result);
    row.wall_ns = result.wall_ns;
    if (find_stored(run, job->point.name)) {
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

/// 0, or -1 and ERR: checkpoints ask for what there is not.
static int check_properties(struct sweep_run *run, struct error *err)
{
    const struct sweep_checkpoints *checkpoints = run->setting->checkpoints;
    run->catalogue = catalogue_load_shipped(NULL, 0, err);
    if (!run->catalogue)
        return -1;
    for (size_t i = 0; i < checkpoints->n_series; i++) {
        const struct sweep_series *series = &checkpoints->series[i];
        if (severity_name_check(run->catalogue, NULL, series->property, "a checkpoint", err) ||
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
    SCOPED_BY(database_leave) struct database *database = NULL;
    return database_open(&database, path, DATABASE_CREATE, err);
}

int sweep_run_begin(struct sweep_run *run, const struct sweep_setting *setting,
                    struct sweep_report *report, bool makes_database, struct error *err)
{
    size_t n = sweep_plan_n_points(setting->plan);
    *run = (struct sweep_run){.setting = setting, .report = report};
    *report = (struct sweep_report){.database = setting->place.database,
                                    .experiment = setting->place.experiment,
                                    .dir = setting->place.dir};
    if (check_properties(run, err) != 0 ||
        (makes_database && make_database(setting->place.database, err) != 0) ||
        read_stored(run, err) != 0)
        return -1;
    run->jobs = memory_zeroed(n, sizeof *run->jobs);
    report->rows = memory_zeroed(n, sizeof *report->rows);
    for (; run->n_jobs < n; run->n_jobs++) {
        struct sweep_job *job = &run->jobs[run->n_jobs];
        sweep_job_init(job, setting->plan, &setting->place, run->n_jobs);
        report->rows[report->n_rows++] = row_of(run, job);
    }
    return 0;
}

void sweep_run_release(struct sweep_run *run)
{
    for (size_t i = 0; i < run->n_jobs; i++)
        sweep_job_release(&run->jobs[i]);
    free(run->jobs);
    trial_list_release(&run->stored);
    catalogue_free(run->catalogue);
}

/// The parameters of a point that have a value. The array is the caller's to free.
static struct result_named *parameters_of(const struct sweep_job *job, size_t *n)
{
    const struct sweep_plan *plan = job->plan;
    struct result_named *parameters = memory_zeroed(plan->n_parameters + 1, sizeof *parameters);
    *n = 0;
    for (size_t i = 0; i < plan->n_parameters; i++)
        if (job->point.values[i])
            parameters[(*n)++] =
                (struct result_named){plan->parameters[i].name, (char *)job->point.values[i]};
    return parameters;
}

/// Replays the archive of a point and stores it. 0, or -1 and ERR.
static int store_trace(const struct sweep_run *run, const struct sweep_job *job, struct error *err)
{
    struct store_names names = {.application = job->place->application,
                                .experiment = job->place->experiment,
                                .trial = job->point.name};
    struct result_named *parameters = parameters_of(job, &names.n_parameters);
    for (size_t i = 0, n = 0; i < job->plan->n_parameters; i++)
        if (job->point.values[i])
            parameters[n++].value =
                memory_format("%s:%s", job->point.values[i], job->plan->parameters[i].role);
    names.parameters = parameters;
    struct replay_run replay;
    SCOPED char *trace = memory_format("%s/trace", job->dir);
    int status = replay_run_open(&replay, trace, err);
    if (status == 0)
        status = replay_run(&replay, run->catalogue, NULL, false, NULL, err);
    if (status == 0)
        status = store_result(job->place->database, &replay.result, &names, err);
    replay_run_release(&replay);
    if (status == 0 && run->setting->keeps_no_traces)
        status = scratch_folder_remove(trace, err);
    FREE_MEMBERS(parameters, names.n_parameters, value);
    free(parameters);
    return status;
}

/// "; about 2 min left", by the mean of the points run so far.
static char *time_left(const struct sweep_run *run, size_t n_left)
{
    if (n_left == 0 || run->n_ran == 0)
        return memory_copy_text("");
    double left_s = (double)run->ran_ns / 1e9 / (double)run->n_ran * (double)n_left;
    if (left_s < 90)
        return memory_format("; about %.0f s left", left_s);
    if (left_s < 90.0 * 60)
        return memory_format("; about %.0f min left", left_s / 60);
    return memory_format("; about %.1f h left", left_s / 3600);
}

static void say_stored(const struct sweep_run *run, size_t number,
                       const struct trial_summary *trial)
{
    const struct sweep_report *report = run->report;
    SCOPED char *left = time_left(run, sweep_report_count(report, SWEEP_TO_RUN));
    log_note("%zu/%zu %s: %s, %s%s", number + 1, report->n_rows, trial->name,
             quantity_count(trial->n_ranks, "rank").text, quantity_time(trial->time_ns).text, left);
}

static void say_failed(const struct sweep_run *run, size_t number,
                       const struct sweep_result *result)
{
    const struct sweep_job *job = &run->jobs[number];
    size_t n = run->report->n_rows;
    SCOPED char *last = sweep_job_last_line(job, result);
    if (result->is_over_limit)
        log_warning("%zu/%zu %s: ended after %s, its limit", number + 1, n, job->point.name,
                    quantity_time(result->wall_ns).text);
    else
        log_warning("%zu/%zu %s: %sfailed with exit status %d%s%s (all in %s/stderr)", number + 1,
                    n, job->point.name, result->is_build ? "its build " : "", result->status,
                    *last ? ": " : "", last, job->dir);
}

/// Stores a job that has run. 0, or -1 and ERR.
static int store_job(struct sweep_run *run, size_t number, struct error *err)
{
    const struct sweep_job *job = &run->jobs[number];
    if ((!job->is_replay && store_trace(run, job, err) != 0) || read_stored(run, err) != 0)
        return -1;
    const struct trial_summary *trial = find_stored(run, job->point.name);
    if (!trial)
        return error_set(err, "it was not stored: does %s store elsewhere?", job->command);
    run->report->rows[number].state = SWEEP_STORED;
    run->report->n_stored_now++;
    say_stored(run, number, trial);
    return 0;
}

int sweep_run_take(struct sweep_run *run, size_t number, const struct sweep_result *result,
                   struct error *err)
{
    struct sweep_row *row = &run->report->rows[number];
    row->wall_ns = result->wall_ns;
    if (result->status == 0 && !result->is_over_limit)
        return store_job(run, number, err);
    row->state = result->is_over_limit ? SWEEP_TOO_LONG : SWEEP_FAILED;
    free(row->reason);
    row->reason = reason_of(result);
    say_failed(run, number, result);
    return 0;
}

/// Notes how severe what a checkpoint asks for is in TRIAL. 0, or -1 and ERR.
static int note_severity(struct sweep_run *run, struct database *database,
                         const struct trial_summary *trial, size_t number, struct error *err)
{
    struct sweep_checkpoints *checkpoints = run->setting->checkpoints;
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

int sweep_run_check(struct sweep_run *run, size_t number, struct error *err)
{
    struct sweep_checkpoints *checkpoints = run->setting->checkpoints;
    const struct trial_summary *trial = find_stored(run, run->report->rows[number].name);
    SCOPED_BY(database_leave) struct database *database = NULL;
    int status = 0;
    if (checkpoints->n == 0 || !trial)
        return 0;
    if (database_open(&database, run->setting->place.database, DATABASE_READ, err) != 0)
        return -1;
    for (size_t i = 0; i < checkpoints->n_series && status == 0; i++)
        status = note_severity(run, database, trial, i, err);
    if (status != 0)
        return -1;
    const struct sweep_checkpoint *reached = sweep_checkpoints_reached(checkpoints);
    if (reached)
        run->report->stopped_by = memory_copy_text(reached->text);
    return reached ? 1 : 0;
}

int sweep_run_note(const struct sweep_run *run, struct error *err)
{
    const struct sweep_place *place = &run->setting->place;
    SCOPED struct point_note *notes = memory_zeroed(run->n_jobs + 1, sizeof *notes);
    for (size_t i = 0; i < run->n_jobs; i++) {
        const struct sweep_row *row = &run->report->rows[i];
        notes[i] = (struct point_note){.name = row->name, .reason = row->reason};
        if (row->state == SWEEP_STORED || row->state == SWEEP_TO_RUN)
            continue;
        notes[i].state = sweep_state_names[row->state];
        notes[i].parameters = parameters_of(&run->jobs[i], &notes[i].n_parameters);
    }
    int status = points_note(place->database, place->application, place->experiment, notes,
                             run->n_jobs, err);
    FREE_MEMBERS(notes, run->n_jobs, parameters);
    return status;
}
