// SPDX-License-Identifier: BSD-3-Clause
// Folders and result files of a sweep (see driver.h).
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

static int make_folders(const char *dir, struct error *err)
{
    char *path = memory_copy_text(dir);
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
    free(path);
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
    char *path = memory_format("%s/lock", dir);
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
    free(path);
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
    char *path = memory_format("%s/result", point_dir);
    char *unfinished = memory_format("%s/result.new", point_dir);
    FILE *file = fopen(unfinished, "we");
    bool is_written = file != NULL;
    if (file) {
        fprintf(file, "status %d\nover_limit %d\nbuild %d\nwall_ns %" PRIu64 "\ncommand %s\n",
                result->status, result->is_over_limit, result->is_build, result->wall_ns, command);
        is_written = fflush(file) == 0 && fsync(fileno(file)) == 0;
        is_written = fclose(file) == 0 && is_written && rename(unfinished, path) == 0;
    }
    int status = is_written ? 0 : error_set(err, "cannot write %s: %s", path, strerror(errno));
    free(path);
    free(unfinished);
    return status;
}

bool sweep_result_read(const char *point_dir, const char *command, struct sweep_result *result)
{
    char *path = memory_format("%s/result", point_dir);
    FILE *file = fopen(path, "re");
    char *line = NULL;
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
    is_there = length > 0 && strncmp(line, "command ", 8) == 0 && strcmp(line + 8, command) == 0;
    free(line);
    if (file)
        fclose(file);
    free(path);
    return is_there;
}
