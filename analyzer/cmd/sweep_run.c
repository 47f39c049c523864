// SPDX-License-Identifier: BSD-3-Clause
// The driver of a sweep (see sweep_run.h). Whether a point is finished is asked of the database,
// whose transactions are whole; the result files in the folder only save running a program again
// whose archive was not stored yet.
#include "analyzer/cmd/sweep_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/data_folder.h"
#include "analyzer/base/interrupt.h"
#include "analyzer/base/log.h"
#include "analyzer/base/memory.h"
#include "analyzer/cmd/replay_run.h"
#include "analyzer/cmd/shell_word.h"
#include "analyzer/cmd/sweep_folder.h"
#include "analyzer/cmd/sweep_launch.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/quantity.h"
#include "analyzer/sweep/substitute.h"
#include "db/database.h"
#include "db/store.h"
#include "db/trials.h"

/// A point while it is dealt with.
struct sweep_job {
    const struct sweep_plan *plan;
    const struct sweep_setting *setting;
    struct sweep_point point;
    char *dir;
    char **line;
    char *command; // the line as one text
};

struct sweep_driver {
    const struct sweep_plan *plan;
    const struct sweep_setting *setting;
    struct sweep_outcome *outcome;
    struct catalogue *catalogue;
    struct trial_list stored; // before
    uint64_t begin_ns;
    uint64_t ran_ns; // points run by this call
    size_t n_ran;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static char *command_of(char **line)
{
    char *command = memory_copy_text("");
    for (size_t i = 0; line[i]; i++) {
        // A word that begins with - is an option here, no file.
        char *word = line[i][0] == '-' ? memory_copy_text(line[i]) : shell_word(line[i]);
        char *longer = memory_format("%s%s%s", command, i ? " " : "", word);
        free(command);
        free(word);
        command = longer;
    }
    return command;
}

static void job_init(struct sweep_job *job, const struct sweep_plan *plan,
                     const struct sweep_setting *setting, size_t number)
{
    *job = (struct sweep_job){.plan = plan, .setting = setting};
    sweep_plan_point(plan, number, &job->point);
    job->dir = sweep_folder_of(setting->dir, job->point.name);
    job->line = sweep_line(plan, &job->point, job->dir);
    job->command = command_of(job->line);
}

static void job_release(struct sweep_job *job)
{
    sweep_point_release(&job->point);
    sweep_line_free(job->line);
    free(job->dir);
    free(job->command);
}

/// What the database has of the experiment. 0, or -1 and ERR.
static int read_stored(const struct sweep_setting *setting, struct trial_list *stored,
                       struct error *err)
{
    const struct trial_filter filter = {setting->application, setting->experiment};
    struct stat status;
    *stored = (struct trial_list){0};
    if (stat(setting->database, &status) == 0 && status.st_size == 0)
        return 0;
    if (access(setting->database, F_OK) != 0)
        return 0;
    return trials_read(setting->database, &filter, stored, err);
}

static bool is_stored(const struct trial_list *stored, const char *name)
{
    for (size_t i = 0; i < stored->n_trials; i++)
        if (strcmp(stored->trials[i].name, name) == 0)
            return true;
    return false;
}

static enum sweep_state state_of(const struct sweep_job *job, const struct trial_list *stored)
{
    struct sweep_result result;
    if (is_stored(stored, job->point.name))
        return SWEEP_STORED;
    if (job->setting->retries_failed || !sweep_result_read(job->dir, job->command, &result))
        return SWEEP_TO_RUN;
    if (result.is_over_limit)
        return SWEEP_TOO_LONG;
    return result.status == 0 ? SWEEP_TO_RUN : SWEEP_FAILED;
}

int sweep_show(const struct sweep_plan *plan, const struct sweep_setting *setting,
               struct error *err)
{
    static const char *const states[] = {"to run", "stored", "failed", "too long"};
    struct trial_list stored;
    if (read_stored(setting, &stored, err) != 0)
        return -1;
    size_t n = sweep_plan_n_points(plan);
    for (size_t i = 0; i < n; i++) {
        struct sweep_job job;
        job_init(&job, plan, setting, i);
        printf("%zu/%zu %s (%s): %s\n", i + 1, n, job.point.name, states[state_of(&job, &stored)],
               job.command);
        job_release(&job);
    }
    trial_list_release(&stored);
    return 0;
}

/// The line before the last of what the program wrote on stderr is rarely the cause, but the last
/// one often is.
static char *last_line(const char *dir)
{
    char *path = memory_format("%s/stderr", dir);
    FILE *file = fopen(path, "re");
    char *line = NULL, *last = memory_copy_text("");
    size_t capacity = 0;
    ssize_t length;
    while (file && (length = getline(&line, &capacity, file)) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[strspn(line, " \t-=*")] == '\0')
            continue;
        free(last);
        last = memory_format("%.200s", line);
    }
    if (file)
        fclose(file);
    free(line);
    free(path);
    return last;
}

/// Runs a job and leaves its result. 0; 1: the sweep was interrupted; -1 and ERR.
static int run_job(const struct sweep_job *job, struct sweep_result *result, struct error *err)
{
    struct sweep_end end;
    if (sweep_folder_make(job->dir, err) != 0 ||
        sweep_launch(job->line, job->dir, job->setting->point_limit_ns, &end, err) != 0)
        return -1;
    if (end.is_interrupted)
        return 1;
    *result = (struct sweep_result){end.status, end.is_over_limit, end.wall_ns};
    return sweep_result_write(job->dir, job->command, result, err);
}

/// Replays the archive of a point and stores it. 0; -1 and ERR.
static int store_job(const struct sweep_driver *driver, const struct sweep_job *job,
                     struct replay_run *run, struct error *err)
{
    struct result_named parameters[SWEEP_MAX_PARAMETERS];
    struct store_names names = {.application = job->setting->application,
                                .experiment = job->setting->experiment,
                                .trial = job->point.name,
                                .parameters = parameters};
    for (size_t i = 0; i < job->plan->n_parameters; i++)
        if (job->point.values[i])
            parameters[names.n_parameters++] =
                (struct result_named){job->plan->parameters[i].name, (char *)job->point.values[i]};
    char *trace = memory_format("%s/trace", job->dir);
    int status = replay_run_open(run, trace, err);
    if (status == 0)
        status = replay_run(run, driver->catalogue, NULL, false, NULL, err);
    if (status == 0)
        status = store_result(job->setting->database, &run->result, &names, err);
    if (status == 0 && job->setting->keeps_no_traces)
        status = sweep_folder_remove(trace, err);
    free(trace);
    return status;
}

/// " about 2 min left", by the mean of the points run so far.
static char *time_left(const struct sweep_driver *driver, size_t n_left)
{
    if (n_left == 0 || driver->n_ran == 0)
        return memory_copy_text("");
    double left_s = (double)driver->ran_ns / 1e9 / (double)driver->n_ran * (double)n_left;
    if (left_s < 90)
        return memory_format("; about %.0f s left", left_s);
    if (left_s < 90 * 60)
        return memory_format("; about %.0f min left", left_s / 60);
    return memory_format("; about %.1f h left", left_s / 3600);
}

static void say_stored(const struct sweep_driver *driver, const struct sweep_job *job,
                       size_t number, const struct result *result)
{
    size_t n = driver->outcome->n_points;
    char *left = time_left(driver, n - number - 1);
    fprintf(stderr, "pagoda: %zu/%zu %s: %s", number + 1, n, job->point.name,
            quantity_count(result->n_ranks, "rank").text);
    fprintf(stderr, ", %s%s\n", quantity_time(result->time_ns).text, left);
    free(left);
}

static void say_failed(const struct sweep_driver *driver, const struct sweep_job *job,
                       size_t number, const struct sweep_result *result)
{
    char *last = last_line(job->dir);
    if (result->is_over_limit)
        log_warning("%zu/%zu %s: ended after %s, its limit", number + 1, driver->outcome->n_points,
                    job->point.name, quantity_time(result->wall_ns).text);
    else
        log_warning("%zu/%zu %s: failed with exit status %d%s%s (all in %s/stderr)", number + 1,
                    driver->outcome->n_points, job->point.name, result->status, *last ? ": " : "",
                    last, job->dir);
    free(last);
}

/// Runs and stores the job unless that is done. 0; 1: the sweep was interrupted; -1 and ERR.
static int advance(struct sweep_driver *driver, const struct sweep_job *job, size_t number,
                   struct error *err)
{
    struct sweep_outcome *outcome = driver->outcome;
    enum sweep_state state = state_of(job, &driver->stored);
    struct sweep_result result;
    struct replay_run run = {0};
    if (state == SWEEP_STORED) {
        outcome->n_stored_before++;
        return 0;
    }
    if (state != SWEEP_TO_RUN) {
        outcome->n_failed++;
        return 0;
    }
    if (!sweep_result_read(job->dir, job->command, &result) || result.status != 0 ||
        result.is_over_limit) {
        int status = run_job(job, &result, err);
        if (status != 0)
            return status;
        driver->ran_ns += result.wall_ns;
        driver->n_ran++;
    }
    if (result.status != 0 || result.is_over_limit) {
        outcome->n_failed++;
        say_failed(driver, job, number, &result);
        return 0;
    }
    int status = store_job(driver, job, &run, err);
    if (status == 0) {
        outcome->n_stored++;
        say_stored(driver, job, number, &run.result);
    }
    replay_run_release(&run);
    return status;
}

static int load_patterns(struct sweep_driver *driver, struct error *err)
{
    char *directory = data_folder(err);
    driver->catalogue = directory ? catalogue_load(directory, NULL, 0, err) : NULL;
    free(directory);
    return driver->catalogue ? 0 : -1;
}

static int run_points(struct sweep_driver *driver, struct error *err)
{
    struct sweep_outcome *outcome = driver->outcome;
    const struct sweep_setting *setting = driver->setting;
    int status = 0;
    for (size_t i = 0; status == 0 && i < outcome->n_points; i++) {
        struct sweep_job job;
        if (interrupt_has_come())
            status = 1;
        outcome->is_over_limit =
            setting->limit_ns && now_ns() - driver->begin_ns >= setting->limit_ns;
        if (status != 0 || outcome->is_over_limit)
            break;
        job_init(&job, driver->plan, setting, i);
        status = advance(driver, &job, i, err);
        if (status < 0)
            error_wrap(err, "%s", job.point.name);
        job_release(&job);
    }
    outcome->is_interrupted = status > 0;
    return status < 0 ? -1 : 0;
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

int sweep_run(const struct sweep_plan *plan, const struct sweep_setting *setting,
              struct sweep_outcome *outcome, struct error *err)
{
    struct sweep_driver driver = {
        .plan = plan, .setting = setting, .outcome = outcome, .begin_ns = now_ns()};
    *outcome = (struct sweep_outcome){.n_points = sweep_plan_n_points(plan)};
    int lock = sweep_folder_open(setting->dir, err);
    if (lock < 0)
        return -1;
    int status = load_patterns(&driver, err);
    if (status == 0)
        status = make_database(setting->database, err);
    if (status == 0)
        status = read_stored(setting, &driver.stored, err);
    interrupt_begin();
    if (status == 0)
        status = run_points(&driver, err);
    interrupt_end();
    trial_list_release(&driver.stored);
    catalogue_free(driver.catalogue);
    close(lock);
    return status;
}
