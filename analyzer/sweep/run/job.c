// SPDX-License-Identifier: BSD-3-Clause
// Points as something to run (see driver.h).
#include "analyzer/sweep/run/driver.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/launch/process.h"
#include "analyzer/sweep/plan.h"

static char *command_of(char **line)
{
    char *command = memory_copy_text("");
    for (size_t i = 0; line[i]; i++) {
        SCOPED char *word = shell_word(line[i]);
        text_append(&command, "%s%s", i ? " " : "", word);
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
    FREE_ALL(job->dir, job->command);
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
    SCOPED char *path = memory_format("%s/%s/%s", application ? application : "",
                                      job->place->experiment, job->point.name);
    add_option(words, "--as", path);
    for (size_t i = 0; i < job->plan->n_parameters; i++) {
        if (!job->point.values[i])
            continue;
        SCOPED char *parameter = memory_format("%s=%s:%s", job->plan->parameters[i].name,
                                               job->point.values[i], job->plan->parameters[i].role);
        add_option(words, "--prediction-parameter", parameter);
    }
    for (size_t i = 2; job->line[i]; i++)
        words_add(words, job->line[i]);
}

static void add_trace(char ***words, const struct sweep_job *job)
{
    SCOPED char *trace = memory_format("%s/trace", job->dir);
    words_add(words, "trace");
    add_option(words, "-o", trace);
    words_add(words, "--");
    for (size_t i = 0; job->line[i]; i++)
        words_add(words, job->line[i]);
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
    FREE_ALL(output, errors);
    return status;
}

static int run_build(const struct sweep_job *job, struct sweep_result *result, struct error *err)
{
    SCOPED char *text = sweep_substitute(job->plan, &job->point, job->dir, job->plan->build);
    char *words[] = {(char *)"sh", (char *)"-c", text, NULL};
    const struct process_start start = {.program = "/bin/sh", .words = words};
    result->is_build = true;
    return run_step(job, &start, result, err);
}

int sweep_job_check_replay(const struct sweep_job *job, sweep_replay_check *check,
                           struct error *err)
{
    // Files that the point makes for itself are not there yet.
    bool has_all_files = !job->plan->build && job->plan->n_templates == 0;
    SCOPED_BY(words_leave) char **words = NULL;
    add_replay(&words, job);
    return check((int)words_count(words), words, has_all_files, err);
}

static int run_program(const struct sweep_job *job, struct sweep_result *result, struct error *err)
{
    SCOPED_BY(words_leave) char **words = NULL;
    words_add(&words, "pagoda");
    if (job->is_replay)
        add_replay(&words, job);
    else
        add_trace(&words, job);
    const struct process_start start = {
        .program = PROCESS_PAGODA, .words = words, .hands_on = true};
    result->is_build = false;
    return run_step(job, &start, result, err);
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
    SCOPED char *path = memory_format("%s/stderr", job->dir);
    SCOPED_FILE FILE *file = fopen(path, "re");
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
    free(line);
    return last;
}

// --- folders and result files of a sweep

static int make_folders(const char *dir, struct error *err)
{
    SCOPED char *path = memory_copy_text(dir);
    int status = 0;
    for (char *end = path + 1; status == 0; end++) {
        if (*end != '/' && *end != '\0')
            continue;
        char mark = *end;
        *end = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            status = error_set(err, "cannot make the folder %s: %s", path, strerror(errno));
        *end = mark;
        if (mark == '\0')
            break;
    }
    return status;
}

/// A program whose sweep was killed is being ended: that takes moments.
static bool lock_within_seconds(int file, int seconds)
{
    const struct timespec pause = {0, 50000000};
    for (int i = 0; flock(file, LOCK_EX | LOCK_NB) != 0; i++) {
        if (i >= seconds * 20 || errno != EWOULDBLOCK)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

int sweep_folder_open(const char *dir, struct error *err)
{
    if (make_folders(dir, err) != 0)
        return -1;
    SCOPED char *path = memory_format("%s/lock", dir);
    // Without O_CLOEXEC: each process that runs a point has the lock.
    int file = open(path, O_RDWR | O_CREAT, 0666);
    if (file < 0)
        error_set(err, "cannot write %s: %s", path, strerror(errno));
    else if (!lock_within_seconds(file, 20)) {
        error_set(err,
                  "another sweep runs in %s, or the program of one that was killed: wait for its "
                  "end, or choose another folder with --output",
                  dir);
        close(file);
        file = -1;
    }
    return file;
}

/// FNV-1a: tells names apart that only differ in characters a folder cannot have.
static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261U;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619U;
    return hash;
}

char *sweep_folder_of(const char *dir, const char *name)
{
    enum { MAX_NAME = 120 };
    char *plain = memory_copy_text(name);
    for (char *c = plain; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("=,.#+_-", *c))
            *c = '_';
    bool is_same = strcmp(plain, name) == 0 && strlen(name) <= MAX_NAME && plain[0] != '.';
    char *path =
        is_same ? memory_format("%s/%s", dir, plain)
                : memory_format("%s/%.*s-%08" PRIx32, dir, (int)MAX_NAME, plain, hash_of(name));
    free(plain);
    return path;
}

int sweep_folder_make(const char *point_dir, struct error *err)
{
    if (scratch_folder_remove(point_dir, err) != 0)
        return -1;
    if (mkdir(point_dir, 0777) != 0)
        return error_set(err, "cannot make the folder %s: %s", point_dir, strerror(errno));
    return 0;
}

int sweep_result_write(const char *point_dir, const char *command,
                       const struct sweep_result *result, struct error *err)
{
    SCOPED char *path = memory_format("%s/result", point_dir);
    SCOPED char *unfinished = memory_format("%s/result.new", point_dir);
    FILE *file = fopen(unfinished, "we");
    bool is_written = file != NULL;
    if (file) {
        fprintf(file, "status %d\nover_limit %d\nbuild %d\nwall_ns %" PRIu64 "\ncommand %s\n",
                result->status, result->is_over_limit, result->is_build, result->wall_ns, command);
        is_written = fflush(file) == 0 && fsync(fileno(file)) == 0;
        is_written = fclose(file) == 0 && is_written && rename(unfinished, path) == 0;
    }
    return is_written ? 0 : error_set(err, "cannot write %s: %s", path, strerror(errno));
}

bool sweep_result_read(const char *point_dir, const char *command, struct sweep_result *result)
{
    SCOPED char *path = memory_format("%s/result", point_dir);
    SCOPED_FILE FILE *file = fopen(path, "re");
    SCOPED char *line = NULL;
    size_t capacity = 0;
    int over_limit = 0, build = 0;
    *result = (struct sweep_result){0};
    bool is_there =
        file && fscanf(file, "status %d\nover_limit %d\nbuild %d\nwall_ns %" SCNu64 "\n",
                       &result->status, &over_limit, &build, &result->wall_ns) == 4;
    ssize_t length = is_there ? getdelim(&line, &capacity, '\0', file) : -1;
    result->is_over_limit = over_limit != 0;
    result->is_build = build != 0;
    if (length > 0 && line[length - 1] == '\n')
        line[length - 1] = '\0';
    return length > 0 && strncmp(line, "command ", 8) == 0 && strcmp(line + 8, command) == 0;
}
