// SPDX-License-Identifier: BSD-3-Clause
// Points as tasks of Slurm job arrays: each task runs this command for one point and leaves a
// result file for the driver. The queue is read before the result files, so a task that is not in
// it either has left a result or never will.
#include "analyzer/sweep/run/driver.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/sweep/plan.h"

// ---- tasks of Slurm

enum { MAX_TASKS = 1000, REASON_SIZE = 80 }; // Slurm allows 1001 unless configured

/// An array that is to be submitted: for each task the number (from 1) and the folder of its point.
struct task_array {
    const char *dir;     // folder of the sweep
    const char *options; // of sbatch, as shell text
    char **arguments;    // of this command after its name, up to NULL
    size_t numbers[MAX_TASKS];
    char *folders[MAX_TASKS];
    size_t n;
};

static void write_word(FILE *file, const char *text)
{
    SCOPED char *word = shell_word(text);
    fputs(word, file);
}

/// The script of an array: task K runs the K-th of the points.
static int write_script(const struct task_array *array, const char *path, struct error *err)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    FILE *file = fopen(path, "we");
    if (!file)
        return error_set(err, "cannot write %s: %s", path, strerror(errno));
    fprintf(file, "#!/bin/sh\nset --");
    for (size_t i = 0; i < array->n; i++)
        fprintf(file, " %zu", array->numbers[i]);
    fprintf(file, "\nshift \"$SLURM_ARRAY_TASK_ID\"\nexec ");
    write_word(file, self);
    fprintf(file, " sweep --leave-result \"$1\"");
    for (size_t i = 0; array->arguments[i]; i++) {
        fputc(' ', file);
        write_word(file, array->arguments[i]);
    }
    fputc('\n', file);
    if (fclose(file) != 0)
        return error_set(err, "cannot write %s: %s", path, strerror(errno));
    return 0;
}

/// What COMMAND prints, to be freed. NULL and ERR: it failed.
static char *output_of(const char *command, const char *name, struct error *err)
{
    FILE *pipe = popen(command, "re");
    char *text = NULL;
    size_t capacity = 0;
    if (!pipe || getdelim(&text, &capacity, '\0', pipe) < 0) {
        free(text);
        text = memory_copy_text("");
    }
    int status = pipe ? pclose(pipe) : -1;
    if (status == 0)
        return text;
    error_set(err, "%s failed%s", name,
              status > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127 ? ": is it installed?"
                                                                            : "");
    free(text);
    return NULL;
}

static char *task_file(const char *point_dir)
{
    return memory_format("%s.task", point_dir);
}

/// "JOB_INDEX" of the point, "" for none. To be freed.
static char *task_of(const char *point_dir)
{
    SCOPED char *path = task_file(point_dir);
    FILE *file = fopen(path, "re");
    char text[64] = "";
    if (file && !fgets(text, sizeof text, file))
        text[0] = '\0';
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return memory_copy_text(text);
}

static int note_tasks(const struct task_array *array, const char *job, struct error *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < array->n; i++) {
        SCOPED char *path = task_file(array->folders[i]);
        FILE *file = fopen(path, "we");
        bool is_written = file && fprintf(file, "%s_%zu\n", job, i) > 0;
        if (file)
            is_written = fclose(file) == 0 && is_written;
        if (!is_written)
            status = error_set(err, "cannot write %s: %s", path, strerror(errno));
    }
    return status;
}

/// Submits the array, and notes in a file beside each point's folder which task it is. 0, or -1 and
/// ERR.
static int submit_array(const struct task_array *array, struct error *err)
{
    SCOPED char *script = memory_format("%s/array-%zu.sh", array->dir, array->numbers[0]);
    SCOPED char *command = NULL, *job = NULL;
    size_t length = 0;
    int status = write_script(array, script, err);
    FILE *text = status == 0 ? open_memstream(&command, &length) : NULL;
    if (text) {
        fprintf(text, "sbatch --parsable %s --array=0-%zu -o /dev/null ", array->options,
                array->n - 1);
        write_word(text, script);
        fclose(text);
        job = output_of(command, "sbatch", err);
    }
    if (job)
        job[strspn(job, "0123456789")] = '\0'; // JOB[;CLUSTER]
    status = job && *job ? note_tasks(array, job, err) : -1;
    if (job && !*job)
        error_set(err, "sbatch gave no number of a job");
    return status;
}

/// The tasks that are pending or running, and why they are pending, on a line each; to be freed.
/// NULL and ERR: Slurm does not answer.
static char *queue_read(struct error *err)
{
    return output_of("squeue -h -r -o '%F_%K %r'", "squeue", err);
}

/// Whether the point of this folder has a task in the queue. REASON, unless NULL, gets Slurm's word
/// for why it is pending: "None" for a task that runs, "" for no task.
static bool queue_has(const char *queue, const char *point_dir, char *reason)
{
    SCOPED char *task = task_of(point_dir);
    size_t length = strlen(task);
    bool is_there = false;
    if (reason)
        *reason = '\0';
    for (const char *line = queue; length > 0 && !is_there && *line;) {
        size_t n = strcspn(line, "\n");
        while (n > 0 && isspace((unsigned char)*line))
            line++, n--;
        is_there = strncmp(line, task, length) == 0 &&
                   (line[length] == '\n' || line[length] == ' ' || line[length] == '\0');
        if (is_there && reason && n > length)
            snprintf(reason, REASON_SIZE, "%.*s", (int)(n - length - 1), line + length + 1);
        line += n + (line[n] == '\n');
    }
    return is_there;
}

/// Takes the task of the point out of the queue, if there is one.
static void cancel_task(const char *point_dir)
{
    struct error err;
    SCOPED char *task = task_of(point_dir);
    if (*task && strspn(task, "0123456789_") == strlen(task)) {
        SCOPED char *command = memory_format("scancel %s 2>/dev/null", task);
        free(output_of(command, "scancel", &err));
    }
}

/// For the task: locks the point, so that it is run once at a time. The lock, or -1: another has
/// it.
static int lock_task(const char *point_dir)
{
    SCOPED char *path = memory_format("%s.lock", point_dir);
    int file = open(path, O_RDWR | O_CREAT, 0666);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0) {
        close(file);
        return -1;
    }
    return file;
}

// ---- the sweep

enum { LOST_STATUS = 125, TIMES_MISSED = 3, TIMES_PENDING = 3 };

/// A point.
struct batch_row {
    const struct sweep_job *job;
    char *options; // of sbatch, if it is to be submitted; else NULL
    bool is_awaited;
    char reason[REASON_SIZE]; // why its task is pending
    unsigned n_seen;          // that reason, times in a row
    unsigned n_missed;        // neither in the queue nor with a result, times in a row
};

struct batch {
    struct sweep_run *run;
    struct batch_row *rows;
    size_t n;
};

/// What is to be done about a point that is not stored: wait for its task, or submit it.
static int plan_row(struct batch_row *row, const char *queue, struct error *err)
{
    const struct sweep_job *job = row->job;
    struct sweep_result result;
    bool has_result = sweep_job_result(job, &result);
    row->is_awaited = true;
    if ((has_result && result.status == 0 && !result.is_over_limit) ||
        queue_has(queue, job->dir, NULL))
        return 0;
    row->options = sweep_substitute(job->plan, &job->point, job->dir, job->plan->batch);
    return scratch_folder_remove(job->dir, err); // of an earlier run that failed
}

/// The rows from FIRST on that have the same options become one array.
static int submit_from(struct batch *batch, size_t first, struct error *err)
{
    const struct sweep_setting *setting = batch->run->setting;
    SCOPED struct task_array *array = memory_zeroed(1, sizeof *array);
    SCOPED char *options = batch->rows[first].options;
    *array = (struct task_array){
        .dir = setting->place.dir, .options = options, .arguments = setting->arguments};
    for (size_t i = first; i < batch->n && array->n < MAX_TASKS; i++) {
        struct batch_row *row = &batch->rows[i];
        if (!row->options || strcmp(row->options, options) != 0)
            continue;
        array->folders[array->n] = row->job->dir;
        array->numbers[array->n++] = i + 1;
        if (i != first)
            free(row->options);
        row->options = NULL;
    }
    return submit_array(array, err);
}

static int submit(struct batch *batch, struct error *err)
{
    SCOPED char *queue = queue_read(err);
    int status = queue ? 0 : -1;
    for (size_t i = 0; status == 0 && i < batch->n; i++)
        if (batch->run->report->rows[i].state == SWEEP_TO_RUN)
            status = plan_row(&batch->rows[i], queue, err);
    for (size_t i = 0; status == 0 && i < batch->n; i++)
        if (batch->rows[i].options)
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
static int look_at(struct batch *batch, const char *queue, size_t i, struct error *err)
{
    struct batch_row *row = &batch->rows[i];
    struct sweep_result result;
    if (!sweep_job_result(row->job, &result)) {
        char reason[REASON_SIZE];
        bool is_there = queue_has(queue, row->job->dir, reason);
        row->n_seen = strcmp(reason, row->reason) == 0 ? row->n_seen + 1 : 1;
        memcpy(row->reason, reason, sizeof reason);
        row->n_missed = is_there ? 0U : row->n_missed + 1;
        if (row->n_missed < TIMES_MISSED)
            return 0;
        if (give_up(row->job, &result, err) != 0)
            return -1;
    }
    row->is_awaited = false;
    row->n_seen = 0;
    if (sweep_run_take(batch->run, i, &result, err) != 0)
        return error_wrap(err, "%s", row->job->point.name);
    return sweep_run_check(batch->run, i, err);
}

static bool is_pending_long(const struct batch_row *row)
{
    return row->n_seen == TIMES_PENDING && *row->reason && strcmp(row->reason, "None") != 0;
}

/// Says why tasks are pending, once for each reason: some can never start.
static void say_pending(struct batch *batch)
{
    for (size_t i = 0; i < batch->n; i++) {
        const char *name = batch->rows[i].job->point.name, *reason = batch->rows[i].reason;
        size_t n = 0;
        if (!is_pending_long(&batch->rows[i]))
            continue;
        for (size_t k = i; k < batch->n; k++)
            if (is_pending_long(&batch->rows[k]) && strcmp(batch->rows[k].reason, reason) == 0) {
                batch->rows[k].n_seen++;
                n++;
            }
        if (n > 1)
            log_warning("%s and %s are pending, Slurm says: %s", name,
                        quantity_count(n - 1, "more point").text, reason);
        else
            log_warning("%s is pending, Slurm says: %s", name, reason);
    }
}

/// One look at all that is awaited; *N_LEFT is how many still are.
static int look_at_all(struct batch *batch, size_t *n_left, struct error *err)
{
    SCOPED char *queue = queue_read(err);
    int status = 0;
    if (!queue)
        return -1;
    *n_left = 0;
    for (size_t i = 0; status == 0 && i < batch->n; i++) {
        if (batch->rows[i].is_awaited)
            status = look_at(batch, queue, i, err);
        *n_left += batch->rows[i].is_awaited;
    }
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
            batch->run->report->is_interrupted = true;
            return 1;
        }
        if (status != 0 || n_left == 0)
            return status;
        nanosleep(&pause, NULL);
        pause = pause.tv_sec < 4 ? (struct timespec){pause.tv_sec + 1, 0} : pause;
    }
}

int sweep_batch_run(struct sweep_run *run, struct error *err)
{
    struct batch batch = {.run = run, .n = run->n_jobs};
    int status = 0;
    batch.rows = memory_zeroed(batch.n, sizeof *batch.rows);
    for (size_t i = 0; i < batch.n; i++)
        batch.rows[i].job = &run->jobs[i];
    for (size_t i = 0; status == 0 && i < batch.n; i++)
        status = sweep_run_check(run, i, err); // what is stored already
    if (status == 0)
        status = submit(&batch, err);
    if (status == 0)
        status = await_all(&batch, err);
    for (size_t i = 0; i < batch.n; i++) {
        if (run->report->stopped_by && batch.rows[i].is_awaited)
            cancel_task(batch.rows[i].job->dir);
        free(batch.rows[i].options);
    }
    free(batch.rows);
    return status;
}

int sweep_batch_leave(const struct sweep_setting *setting, size_t number, struct error *err)
{
    struct sweep_job job;
    struct sweep_result result;
    if (number == 0 || number > sweep_plan_n_points(setting->plan))
        return error_set(err, "there is no point %zu", number);
    sweep_job_init(&job, setting->plan, &setting->place, number - 1);
    int lock = lock_task(job.dir);
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
