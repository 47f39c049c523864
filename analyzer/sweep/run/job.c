// SPDX-License-Identifier: BSD-3-Clause
// Points as something to run (see driver.h).
#include "analyzer/sweep/run/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/launch/process.h"
#include "analyzer/sweep/plan.h"

static char *command_of(char **line)
{
    char *command = memory_copy_text("");
    for (size_t i = 0; line[i]; i++) {
        char *word = shell_word(line[i]);
        text_append(&command, "%s%s", i ? " " : "", word);
        free(word);
    }
    return command;
}

static bool is_replay(char **line)
{
    return strcmp(path_base_name(line[0]), "pagoda") == 0 && line[1] &&
           strcmp(line[1], "replay") == 0;
}

void sweep_job_init(struct sweep_job *job, const struct sweep_plan *plan,
                    const struct sweep_place *place, size_t number)
{
    *job = (struct sweep_job){.plan = plan, .place = place};
    sweep_plan_point(plan, number, &job->point);
    job->dir = sweep_folder_of(place->dir, job->point.name);
    job->line = sweep_line(plan, &job->point, job->dir);
    job->command = command_of(job->line);
    job->is_replay = is_replay(job->line);
}

void sweep_job_release(struct sweep_job *job)
{
    sweep_point_release(&job->point);
    words_free(job->line);
    free(job->dir);
    free(job->command);
    *job = (struct sweep_job){0};
}

static void add_option(char ***words, const char *name, const char *value)
{
    if (!value)
        return;
    words_add(words, name);
    words_add(words, value);
}

/// pagoda replay ... that stores what it predicts as the trial of the point.
static void add_replay(char ***words, const struct sweep_job *job)
{
    words_add(words, "replay");
    add_option(words, "--store", job->place->database);
    const char *application = job->place->application;
    char *path = memory_format("%s/%s/%s", application ? application : "", job->place->experiment,
                               job->point.name);
    add_option(words, "--as", path);
    free(path);
    for (size_t i = 0; i < job->plan->n_parameters; i++) {
        if (!job->point.values[i])
            continue;
        char *parameter = memory_format("%s=%s:%s", job->plan->parameters[i].name,
                                        job->point.values[i], job->plan->parameters[i].role);
        add_option(words, "--prediction-parameter", parameter);
        free(parameter);
    }
    for (size_t i = 2; job->line[i]; i++)
        words_add(words, job->line[i]);
}

static void add_trace(char ***words, const struct sweep_job *job)
{
    char *trace = memory_format("%s/trace", job->dir);
    words_add(words, "trace");
    add_option(words, "-o", trace);
    words_add(words, "--");
    for (size_t i = 0; job->line[i]; i++)
        words_add(words, job->line[i]);
    free(trace);
}

/// Runs one step and adds how it ended to RESULT. 0; 1: interrupted; -1 and ERR.
static int run_step(const struct sweep_job *job, const struct process_start *start,
                    struct sweep_result *result, struct error *err)
{
    struct process_end end;
    struct process_start with_files = *start;
    char *output = memory_format("%s/stdout", job->dir);
    char *errors = memory_format("%s/stderr", job->dir);
    with_files.output = output;
    with_files.errors = errors;
    with_files.limit_ns = job->place->point_limit_ns;
    int status = process_run(&with_files, &end, err);
    if (status == 0 && end.is_interrupted)
        status = 1;
    result->status = end.status;
    result->is_over_limit = end.is_over_limit;
    result->wall_ns += end.wall_ns;
    free(output);
    free(errors);
    return status;
}

static int run_build(const struct sweep_job *job, struct sweep_result *result, struct error *err)
{
    char *text = sweep_substitute(job->plan, &job->point, job->dir, job->plan->build);
    char *words[] = {(char *)"sh", (char *)"-c", text, NULL};
    const struct process_start start = {.program = "/bin/sh", .words = words};
    result->is_build = true;
    int status = run_step(job, &start, result, err);
    free(text);
    return status;
}

int sweep_job_check_replay(const struct sweep_job *job, sweep_replay_check *check,
                           struct error *err)
{
    // Files that the point makes for itself are not there yet.
    bool has_all_files = !job->plan->build && job->plan->n_templates == 0;
    char **words = NULL;
    add_replay(&words, job);
    int status = check((int)words_count(words), words, has_all_files, err);
    words_free(words);
    return status;
}

static int run_program(const struct sweep_job *job, struct sweep_result *result, struct error *err)
{
    char **words = NULL;
    words_add(&words, "pagoda");
    if (job->is_replay)
        add_replay(&words, job);
    else
        add_trace(&words, job);
    const struct process_start start = {
        .program = PROCESS_PAGODA, .words = words, .hands_on = true};
    result->is_build = false;
    int status = run_step(job, &start, result, err);
    words_free(words);
    return status;
}

int sweep_job_run(const struct sweep_job *job, struct sweep_result *result, struct error *err)
{
    *result = (struct sweep_result){0};
    if (sweep_folder_make(job->dir, err) != 0 ||
        sweep_template_write(job->plan, &job->point, job->dir, err) != 0)
        return -1;
    int status = job->plan->build ? run_build(job, result, err) : 0;
    if (status == 0 && result->status == 0 && !result->is_over_limit)
        status = run_program(job, result, err);
    return status != 0 ? status : sweep_result_write(job->dir, job->command, result, err);
}

bool sweep_job_result(const struct sweep_job *job, struct sweep_result *result)
{
    return sweep_result_read(job->dir, job->command, result);
}

char *sweep_job_last_line(const struct sweep_job *job, const struct sweep_result *result)
{
    char *path = memory_format("%s/stderr", job->dir);
    FILE *file = fopen(path, "re");
    char *line = NULL, *last = memory_copy_text("");
    size_t capacity = 0;
    ssize_t length;
    while (file && (length = getline(&line, &capacity, file)) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        bool is_empty = line[strspn(line, " \t-=*")] == '\0';
        bool is_ours = !result->is_build && strstr(line, "; next: pagoda replay ");
        if (is_empty || is_ours)
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
