// SPDX-License-Identifier: BSD-3-Clause
// Finding the shipped files (data_folder.h).
#include "analyzer/base/data_folder.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"

#ifndef PAGODA_DATADIR
#define PAGODA_DATADIR "/usr/local/share/pagoda"
#endif

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

char *data_folder(struct error *err)
{
    char command[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", command, sizeof(command) - 1);
    command[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(command, '/');
    if (slash)
        *slash = '\0';
    static const char *const beside[] = {"../patterns", "../share/pagoda/patterns"};
    for (size_t i = 0; slash && i < sizeof(beside) / sizeof(beside[0]); i++) {
        char *path = memory_format("%s/%s", command, beside[i]);
        char *directory = is_directory(path) ? realpath(path, NULL) : NULL;
        free(path);
        if (directory)
            return directory;
    }
    if (is_directory(PAGODA_DATADIR "/patterns"))
        return memory_copy_text(PAGODA_DATADIR "/patterns");
    error_set(err,
              "the folder of patterns is neither beside the command (%s/../patterns) nor in %s",
              command, PAGODA_DATADIR);
    return NULL;
}
