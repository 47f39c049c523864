// SPDX-License-Identifier: BSD-3-Clause
// Anchor file of an archive (see anchor.h).
#include "analyzer/trace/anchor.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"

static int is_anchor_name(const struct dirent *entry)
{
    return fnmatch("*.otf2", entry->d_name, 0) == 0;
}

static char *find_in_directory(const char *directory, struct error *err)
{
    struct dirent **entries = NULL;
    int n = scandir(directory, &entries, is_anchor_name, alphasort);
    if (n < 0) {
        error_set(err, "cannot read the directory '%s': %s", directory, strerror(errno));
        return NULL;
    }
    char *path = NULL;
    const char *slash = directory[strlen(directory) - 1] == '/' ? "" : "/";
    if (n == 1)
        path = memory_format("%s%s%s", directory, slash, entries[0]->d_name);
    else if (n == 0)
        error_set(err, "no archive in the directory '%s': it holds no *.otf2 file", directory);
    else
        error_set(err, "%d archives in the directory '%s' (%s, %s%s): name one of them", n,
                  directory, entries[0]->d_name, entries[1]->d_name, n > 2 ? ", ..." : "");
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
    return path;
}

char *anchor_find(const char *path, struct error *err)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        error_set(err, "cannot open '%s': %s", path, strerror(errno));
        return NULL;
    }
    if (S_ISDIR(status.st_mode))
        return find_in_directory(path, err);
    if (!S_ISREG(status.st_mode)) {
        error_set(err, "'%s' is neither a file nor a directory", path);
        return NULL;
    }
    if (status.st_size == 0) {
        error_set(err, "'%s' is no OTF2 archive: it is empty", path);
        return NULL;
    }
    if (fnmatch("*.otf2", path, 0) != 0) { // OTF2 would not open it either
        error_set(err, "'%s' is no OTF2 archive: the name of its anchor file ends in .otf2", path);
        return NULL;
    }
    return memory_copy_text(path);
}
