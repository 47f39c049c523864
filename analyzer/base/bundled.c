// SPDX-License-Identifier: BSD-3-Clause
// Finding bundled files (bundled.h).
#include "analyzer/base/bundled.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/data_folder.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/spelling.h"
#include "analyzer/base/xml_folder.h"

static const char ending[] = ".xml";

static bool has_ending(const char *name)
{
    size_t length = strlen(name);
    return length >= sizeof ending && strcmp(name + length - (sizeof ending - 1), ending) == 0;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a,
                  *(char *const *)b); // "a" before "a-b", unlike the files' names
}

char **bundled_names(const struct bundled *catalogue, size_t *n, struct error *err)
{
    char *data = data_folder(err);
    *n = 0;
    if (!data)
        return NULL;
    char *path = memory_format("%s/%s", data, catalogue->folder);
    char **names = xml_folder_names(path, n);
    for (size_t i = 0; i < *n; i++)
        names[i][strlen(names[i]) - (sizeof ending - 1)] = '\0';
    if (names)
        qsort(names, *n, sizeof *names, compare);
    free(path);
    free(data);
    return names ? names : memory_zeroed(1, sizeof *names);
}

static void say_unknown(const struct bundled *catalogue, const char *name, char *const *names,
                        size_t n, struct error *err)
{
    const char *nearest = spelling_nearest(name, (const char *const *)names, n);
    if (nearest) {
        error_set(err, "%s: no such file, and no bundled %s; is it %s?", name, catalogue->thing,
                  nearest);
        return;
    }
    char *all = spelling_list((const char *const *)names, n);
    error_set(err, "%s: no such file, and none of the bundled %s (%s)", name, catalogue->folder,
              all);
    free(all);
}

char *bundled_path(const struct bundled *catalogue, const char *name, struct error *err)
{
    if (access(name, F_OK) == 0 || strchr(name, '/') || has_ending(name))
        return memory_copy_text(name);
    char *data = data_folder(err);
    if (!data)
        return NULL;
    char *path = memory_format("%s/%s/%s%s", data, catalogue->folder, name, ending);
    free(data);
    if (access(path, F_OK) == 0)
        return path;
    free(path);
    size_t n;
    char **names = bundled_names(catalogue, &n, err);
    if (!names)
        return NULL;
    say_unknown(catalogue, name, names, n, err);
    xml_folder_free(names, n);
    return NULL;
}
