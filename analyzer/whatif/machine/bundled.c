// SPDX-License-Identifier: BSD-3-Clause
// The machines that come with the command, patterns/machines/NAME.xml.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/data_folder.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/spelling.h"
#include "analyzer/whatif/machine/reader.h"

enum { MAX_BUNDLED = 256 };

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/// Names of the machines in FOLDER, sorted; the caller frees each.
static size_t list(const char *folder, char *names[MAX_BUNDLED])
{
    DIR *stream = opendir(folder);
    const struct dirent *entry;
    size_t n = 0;
    while (stream && n < MAX_BUNDLED && (entry = readdir(stream))) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".xml") == 0)
            names[n++] = memory_format("%.*s", (int)length - 4, entry->d_name);
    }
    if (stream)
        closedir(stream);
    qsort(names, n, sizeof *names, compare);
    return n;
}

static int say_unknown(const char *name, char *const names[], size_t n, struct error *err)
{
    const char *nearest = spelling_nearest(name, (const char *const *)names, n);
    char *all = memory_copy_text("");
    for (size_t i = 0; i < n; i++) {
        char *more = memory_format("%s%s%s", all, i ? ", " : "", names[i]);
        free(all);
        all = more;
    }
    int status =
        nearest
            ? error_set(err, "%s: no such file, and no bundled machine; is it %s?", name, nearest)
            : error_set(err, "%s: no such file, and none of the bundled machines (%s)", name, all);
    free(all);
    return status;
}

char *machine_path(const char *name, struct error *err)
{
    size_t length = strlen(name);
    bool is_file = access(name, F_OK) == 0 || strchr(name, '/') ||
                   (length > 4 && strcmp(name + length - 4, ".xml") == 0);
    char *data = is_file ? NULL : data_folder(err);
    if (is_file || !data)
        return is_file ? memory_copy_text(name) : NULL;
    char *folder = memory_format("%s/machines", data);
    char *path = memory_format("%s/%s.xml", folder, name);
    if (access(path, F_OK) != 0) {
        char *names[MAX_BUNDLED];
        size_t n = list(folder, names);
        say_unknown(name, names, n, err);
        while (n > 0)
            free(names[--n]);
        free(path);
        path = NULL;
    }
    free(folder);
    free(data);
    return path;
}
