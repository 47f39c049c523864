// SPDX-License-Identifier: BSD-3-Clause
// See new_archive.h.
#include "analyzer/rewrite/new_archive.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"

char *rewrite_parent(const char *directory)
{
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    while (length > 0 && directory[length - 1] != '/')
        length--;
    while (length > 1 && directory[length - 1] == '/')
        length--;
    return length == 0 ? memory_copy_text(".") : memory_format("%.*s", (int)length, directory);
}

int rewrite_check(const char *directory, struct error *err)
{
    DIR *folder = opendir(directory);
    if (!folder) {
        if (errno == ENOENT) {
            char *parent = rewrite_parent(directory);
            int status = access(parent, W_OK | X_OK) == 0
                             ? 0
                             : error_set(err, "cannot make '%s': %s: %s", directory, parent,
                                         strerror(errno));
            free(parent);
            return status;
        }
        return error_set(err, "'%s' cannot hold an archive: %s", directory, strerror(errno));
    }
    const struct dirent *entry;
    bool is_empty = true;
    while ((entry = readdir(folder)))
        is_empty = is_empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
    closedir(folder);
    return is_empty ? 0
                    : error_set(err, "'%s' is not empty: give a folder that is, or does not exist",
                                directory);
}

/// Removes the folder PATH with its files, and those in its folders DEPTH levels down.
static void remove_folder(const char *path, int depth)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        char *inner = memory_format("%s/%s", path, entry->d_name);
        if (unlink(inner) != 0 && depth > 0)
            remove_folder(inner, depth - 1);
        free(inner);
    }
    if (folder)
        closedir(folder);
    rmdir(path);
}

void rewrite_folder_remove(const char *path)
{
    remove_folder(path, 1);
}

char *rewrite_folder_make(const char *directory, struct error *err)
{
    char *parent = rewrite_parent(directory);
    char *path = memory_format("%s/.pagoda-out-XXXXXX", parent);
    free(parent);
    mode_t mask = umask(0);
    umask(mask);
    if (mkdtemp(path) && chmod(path, 0777 & ~mask) == 0)
        return path;
    error_set(err, "cannot make a folder for '%s': %s", directory, strerror(errno));
    free(path);
    return NULL;
}
