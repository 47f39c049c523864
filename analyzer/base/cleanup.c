// SPDX-License-Identifier: BSD-3-Clause
// Scratch files, with and without names, and noted signals (see cleanup.h).
#include "analyzer/base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"

const char *scratch_file_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

int scratch_file_open(const char *folder)
{
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    // A file system that knows no files without names.
    SCOPED char *path = memory_format("%s/.pagoda-XXXXXX", folder);
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

int scratch_file_write(int file, const void *bytes, size_t n, uint64_t at)
{
    const unsigned char *from = bytes;
    for (size_t done = 0; done < n;) {
        ssize_t written = pwrite(file, from + done, n - done, (off_t)(at + done));
        if (written > 0)
            done += (size_t)written;
        else if (written == 0 || errno != EINTR)
            return written == 0 ? ENOSPC : errno;
    }
    return 0;
}

ssize_t scratch_file_read(int file, void *bytes, size_t n, uint64_t at)
{
    unsigned char *to = bytes;
    size_t done = 0;
    while (done < n) {
        ssize_t got = pread(file, to + done, n - done, (off_t)(at + done));
        if (got == 0)
            break;
        if (got > 0)
            done += (size_t)got;
        else if (errno != EINTR)
            return -1;
    }
    return (ssize_t)done;
}

// --- paths

enum { MAX_PATHS = 256 };

static const int fatal_numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

/// Read in a signal handler: a path is whole before it stands here.
static _Atomic(char *) paths[MAX_PATHS];

static void remove_paths(int number)
{
    for (int i = MAX_PATHS - 1; i >= 0; i--) {
        const char *path = paths[i];
        if (path && unlink(path) != 0)
            rmdir(path);
    }
    // The handler was there for one signal: raised again, it ends the program.
    raise(number);
}

static void catch_fatal(void)
{
    struct sigaction action = {.sa_handler = remove_paths, .sa_flags = (int)SA_RESETHAND}, former;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof fatal_numbers / sizeof fatal_numbers[0]; i++)
        if (sigaction(fatal_numbers[i], NULL, &former) == 0 && former.sa_handler == SIG_DFL)
            sigaction(fatal_numbers[i], &action, NULL);
}

void scratch_path_begin(const char *path)
{
    int i = 0;
    while (i < MAX_PATHS && paths[i])
        i++;
    if (i == MAX_PATHS)
        return;
    catch_fatal();
    paths[i] = memory_copy_text(path);
}

void scratch_path_end(const char *path)
{
    remove(path);
    for (int i = 0; i < MAX_PATHS; i++) {
        char *named = paths[i];
        if (named && strcmp(named, path) == 0) {
            paths[i] = NULL;
            free(named);
            return;
        }
    }
}

// --- signals

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_SIGNALS = sizeof numbers / sizeof numbers[0] };

static volatile sig_atomic_t has_come;
static struct sigaction before[N_SIGNALS];

static void note(int number)
{
    (void)number;
    has_come = 1;
}

void interrupt_begin(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    has_come = 0;
    for (size_t i = 0; i < N_SIGNALS; i++) {
        sigaction(numbers[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

bool interrupt_has_come(void)
{
    return has_come;
}

void interrupt_end(void)
{
    for (size_t i = 0; i < N_SIGNALS; i++)
        sigaction(numbers[i], &before[i], NULL);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

int scratch_folder_remove(const char *dir, struct error *err)
{
    enum { MAX_OPEN = 16 };
    if (nftw(dir, remove_one, MAX_OPEN, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
        return error_set(err, "cannot remove %s: %s", dir, strerror(errno));
    return 0;
}
