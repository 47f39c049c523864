// SPDX-License-Identifier: BSD-3-Clause
// Scratch directories (see scratch.h).
#include "tests/tools/lib/scratch.h"

#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "analyzer/base/memory.h"

#define MIN_ROOM_BYTES (1ULL << 30) // several tests run at a time

static void die(const char *path)
{
    perror(path);
    exit(1);
}

// Archives of random programs are made by the thousand, which memory bears better than a disk; but
// many containers have 64 MB of it, which MPI programs want as well.
const char *scratch_parent(void)
{
    const char *parent = getenv("TMPDIR");
    struct statvfs room;
    if (parent && *parent)
        return parent;
    if (access("/dev/shm", W_OK | X_OK) == 0 && statvfs("/dev/shm", &room) == 0 &&
        (uint64_t)room.f_bavail * room.f_frsize >= MIN_ROOM_BYTES)
        return "/dev/shm";
    return "/tmp";
}

char *scratch_directory(void)
{
    char *path = memory_format("%s/pagoda-test-XXXXXX", scratch_parent());
    if (!mkdtemp(path))
        die(path);
    return path;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    return remove(path);
}

void scratch_remove(char *directory)
{
    nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(directory);
}

char *scratch_read(const char *path, size_t *size_bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        die(path);
    char *content = NULL;
    size_t capacity = 0, n;
    *size_bytes = 0;
    do {
        content = array_reserve(content, &capacity, *size_bytes + 4097, 1);
        n = fread(content + *size_bytes, 1, 4096, file);
        *size_bytes += n;
    } while (n);
    content[*size_bytes] = '\0';
    fclose(file);
    return content;
}

void scratch_write(const char *path, const void *content, size_t size_bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(content, 1, size_bytes, file) != size_bytes || fclose(file) != 0)
        die(path);
}

char *scratch_file;
static char *folder_of_file;

int scratch_file_make(void **state)
{
    folder_of_file = scratch_directory();
    scratch_file = memory_format("%s/file.xml", folder_of_file);
    return 0;
}

int scratch_file_remove(void **state)
{
    scratch_remove(folder_of_file);
    free(scratch_file);
    return 0;
}
