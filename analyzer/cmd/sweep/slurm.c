// SPDX-License-Identifier: BSD-3-Clause
// Job arrays by sbatch, squeue and scancel (see slurm.h).
#include "analyzer/cmd/sweep/slurm.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/memory.h"

/// TEXT in single quotes, for the shell.
static void write_quoted(FILE *file, const char *text)
{
    fputc('\'', file);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", file);
        else
            fputc(*text, file);
    fputc('\'', file);
}

/// The script of an array: task K runs the K-th of the points.
static int write_script(const struct sweep_array *array, const char *path, struct error *err)
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
    write_quoted(file, self);
    fprintf(file, " sweep --leave-result \"$1\"");
    for (size_t i = 0; array->arguments[i]; i++) {
        fputc(' ', file);
        write_quoted(file, array->arguments[i]);
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
    char *path = task_file(point_dir);
    FILE *file = fopen(path, "re");
    char text[64] = "";
    if (file && !fgets(text, sizeof text, file))
        text[0] = '\0';
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
    free(path);
    return memory_copy_text(text);
}

static int note_tasks(const struct sweep_array *array, const char *job, struct error *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < array->n; i++) {
        char *path = task_file(array->folders[i]);
        FILE *file = fopen(path, "we");
        bool is_written = file && fprintf(file, "%s_%zu\n", job, i) > 0;
        if (file)
            is_written = fclose(file) == 0 && is_written;
        if (!is_written)
            status = error_set(err, "cannot write %s: %s", path, strerror(errno));
        free(path);
    }
    return status;
}

int sweep_slurm_submit(const struct sweep_array *array, struct error *err)
{
    char *script = memory_format("%s/array-%zu.sh", array->dir, array->numbers[0]);
    char *command = NULL, *job = NULL;
    size_t length = 0;
    int status = write_script(array, script, err);
    FILE *text = status == 0 ? open_memstream(&command, &length) : NULL;
    if (text) {
        fprintf(text, "sbatch --parsable %s --array=0-%zu -o ", array->options, array->n - 1);
        write_quoted(text, "/dev/null");
        fputc(' ', text);
        write_quoted(text, script);
        fclose(text);
        job = output_of(command, "sbatch", err);
    }
    if (job)
        job[strspn(job, "0123456789")] = '\0'; // JOB[;CLUSTER]
    status = job && *job ? note_tasks(array, job, err) : -1;
    if (job && !*job)
        error_set(err, "sbatch gave no number of a job");
    free(command);
    free(job);
    free(script);
    return status;
}

int sweep_queue_read(struct sweep_queue *queue, struct error *err)
{
    queue->text = output_of("squeue -h -r -o '%F_%K %r'", "squeue", err);
    return queue->text ? 0 : -1;
}

bool sweep_queue_has(const struct sweep_queue *queue, const char *point_dir, char *reason)
{
    char *task = task_of(point_dir);
    size_t length = strlen(task);
    bool is_there = false;
    if (reason)
        *reason = '\0';
    for (const char *line = queue->text; length > 0 && !is_there && *line;) {
        size_t n = strcspn(line, "\n");
        while (n > 0 && isspace((unsigned char)*line))
            line++, n--;
        is_there = strncmp(line, task, length) == 0 &&
                   (line[length] == '\n' || line[length] == ' ' || line[length] == '\0');
        if (is_there && reason && n > length)
            snprintf(reason, SWEEP_REASON_SIZE, "%.*s", (int)(n - length - 1), line + length + 1);
        line += n + (line[n] == '\n');
    }
    free(task);
    return is_there;
}

void sweep_queue_release(struct sweep_queue *queue)
{
    free(queue->text);
    queue->text = NULL;
}

void sweep_slurm_cancel(const char *point_dir)
{
    struct error err;
    char *task = task_of(point_dir);
    if (*task && strspn(task, "0123456789_") == strlen(task)) {
        char *command = memory_format("scancel %s 2>/dev/null", task);
        free(output_of(command, "scancel", &err));
        free(command);
    }
    free(task);
}

int sweep_task_lock(const char *point_dir)
{
    char *path = memory_format("%s.lock", point_dir);
    int file = open(path, O_RDWR | O_CREAT, 0666);
    free(path);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0) {
        close(file);
        return -1;
    }
    return file;
}
