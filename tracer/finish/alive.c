// SPDX-License-Identifier: BSD-3-Clause
// A process that records holds a lock on each of its files. Where that does not tell (the program
// closed the descriptor, the file system has no locks), the process itself is looked for, if it ran
// under this kernel. When a launcher was killed its processes may take a moment to notice, or go
// on.
#include "tracer/finish/alive.h"

#include "tracer/finish/memory.h"
#include "tracer/finish/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS         20
#define LEAVING_SECONDS 30

static bool read_line(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    bool done = file != NULL && fgets(text, (int)size, file) != NULL;

    if (file != NULL)
        fclose(file);
    if (done)
        text[strcspn(text, "\n")] = '\0';
    return done;
}

// Did the process run under this kernel? The clock domain begins with the kernel's boot.
static bool is_local(const struct spool_header *header)
{
    char boot_id[64];

    return read_line("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id) &&
           strncmp(header->clock_domain, boot_id, strlen(boot_id)) == 0;
}

// Neither gone, nor ended and waiting to be noticed, nor another one with the same number.
static bool is_running(const struct spool_header *header)
{
    char path[64];
    char text[1024];
    const char *word;

    snprintf(path, sizeof path, "/proc/%u/stat", header->pid);
    if (header->process_start == 0 || !read_line(path, text, sizeof text))
        return false;
    word = strrchr(text, ')');
    if (word == NULL || word[1] == '\0' || strchr("ZX", word[2]) != NULL)
        return false;
    for (int i = 0; i < 20 && word != NULL; i++)
        word = strchr(word + 1, ' ');
    return word != NULL && strtoull(word, NULL, 10) == header->process_start;
}

// A process without memory has been ended, and is about to be gone; one with much of it takes a
// while.
static bool has_memory(const struct spool_header *header)
{
    char path[64];
    char program[1];

    snprintf(path, sizeof path, "/proc/%u/exe", header->pid);
    return readlink(path, program, sizeof program) >= 0 || errno != ENOENT;
}

static bool is_locked(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Also whether it is about to be no longer. A lock outlives no process that is seen to have ended.
static bool is_alive(const char *path, struct spool_header *header, bool *leaves)
{
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is_open = fd >= 0;
    bool alive = false;

    if (!is_open) // another user's, or a folder one may only read
        fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
        spool_is_header(header) && header->stop_errno == 0) {
        bool runs = is_local(header) && is_running(header);

        *leaves = runs && !has_memory(header);
        alive = runs || (is_open && is_locked(fd));
    }
    close(fd);
    return alive;
}

struct alive alive_count(const char *dir)
{
    static struct spool_header header; // large
    struct alive alive = {0};
    DIR *folder = opendir(dir);
    const struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char *path = format_or_die("%s/%s", dir, entry->d_name);
        bool leaves = false;

        if (spool_is_name(entry->d_name) && is_alive(path, &header, &leaves) &&
            header.thread == 0) {
            alive.n_leaving += leaves;
            if (alive.n++ == 0 || header.rank < alive.rank) {
                alive.rank = header.rank;
                alive.pid = header.pid;
                memcpy(alive.host, header.host, sizeof alive.host);
            }
        }
        free(path);
    }
    if (folder != NULL)
        closedir(folder);
    return alive;
}

struct alive alive_wait(const char *dir, unsigned seconds)
{
    const struct timespec moment = {0, POLL_MS * 1000000L};
    struct alive alive = alive_count(dir);

    for (unsigned long i = 0; alive.n > 0; i++) {
        unsigned most =
            alive.n_leaving == alive.n && seconds < LEAVING_SECONDS ? LEAVING_SECONDS : seconds;
        if (i >= most * 1000UL / POLL_MS)
            break;
        nanosleep(&moment, NULL);
        alive = alive_count(dir);
    }
    return alive;
}
