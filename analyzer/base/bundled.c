// SPDX-License-Identifier: BSD-3-Clause
// Finding the files that come with the command (see bundled.h).
#include "analyzer/base/bundled.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

static const char ending[] = ".xml";

char **bundled_names(const struct bundled *catalogue, size_t *n, struct error *err)
{
    SCOPED char *data = data_folder(err);
    *n = 0;
    if (!data)
        return NULL;
    SCOPED char *path = memory_format("%s/%s", data, catalogue->folder);
    SCOPED_BY(words_leave) char **files = folder_files(path, ending, err);
    if (!files)
        return NULL;
    *n = words_count(files);
    char **names = memory_zeroed(*n + 1, sizeof *names);
    for (size_t i = 0; i < *n; i++) {
        const char *name = strrchr(files[i], '/') + 1;
        names[i] = memory_format("%.*s", (int)(strlen(name) - (sizeof ending - 1)), name);
    }
    qsort(names, *n, sizeof *names, text_compare); // "a" before "a-b", unlike the files' names
    return names;
}

static void say_unknown(const struct bundled *catalogue, const char *name, char *const *names,
                        size_t n, struct error *err)
{
    const char *nearest = spelling_nearest(name, (const char *const *)names, n);
    if (nearest) {
        error_set(err, "%s: neither a file nor a bundled %s; did you mean %s?", name,
                  catalogue->thing, nearest);
        return;
    }
    SCOPED char *all = spelling_list((const char *const *)names, n);
    error_set(err, "%s: neither a file nor one of the bundled %s (%s)", name, catalogue->folder,
              all);
}

char *bundled_path(const struct bundled *catalogue, const char *name, struct error *err)
{
    if (access(name, F_OK) == 0 || strchr(name, '/') || text_ends_in(name, ending))
        return memory_copy_text(name);
    SCOPED char *data = data_folder(err);
    if (!data)
        return NULL;
    char *path = memory_format("%s/%s/%s%s", data, catalogue->folder, name, ending);
    if (access(path, F_OK) == 0)
        return path;
    free(path);
    size_t n;
    SCOPED_BY(words_leave) char **names = bundled_names(catalogue, &n, err);
    if (!names)
        return NULL;
    say_unknown(catalogue, name, names, n, err);
    return NULL;
}

#ifndef PAGODA_DATADIR
#define PAGODA_DATADIR "/usr/local/share/pagoda"
#endif

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
        SCOPED char *path = memory_format("%s/%s", command, beside[i]);
        char *directory = path_is_folder(path) ? realpath(path, NULL) : NULL;
        if (directory)
            return directory;
    }
    if (path_is_folder(PAGODA_DATADIR "/patterns"))
        return memory_copy_text(PAGODA_DATADIR "/patterns");
    error_set(err,
              "the folder of patterns is neither beside the command (%s/../patterns) nor in %s",
              command, PAGODA_DATADIR);
    return NULL;
}

#ifndef PAGODA_LIBDIR
#define PAGODA_LIBDIR "/usr/local/lib/pagoda"
#endif

char *program_part(const char *name)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *candidates[3] = {NULL, NULL, memory_format("%s/%s", PAGODA_LIBDIR, name)};
    char *found = NULL;
    if (n > 0) {
        self[n] = '\0';
        *strrchr(self, '/') = '\0';
        candidates[0] = memory_format("%s/%s", self, name);
        candidates[1] = memory_format("%s/../lib/pagoda/%s", self, name);
    }
    for (int i = 0; i < 3; i++) {
        if (!found && candidates[i] && access(candidates[i], R_OK) == 0)
            found = candidates[i];
        else
            free(candidates[i]);
    }
    return found;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); // alphasort() depends on the locale
}

char **folder_files(const char *directory, const char *wanted, struct error *err)
{
    struct dirent **entries;
    int n_entries = scandir(directory, &entries, NULL, compare_names);
    if (n_entries < 0) {
        error_set(err, "cannot read the folder %s: %s", directory, strerror(errno));
        return NULL;
    }
    char **paths = memory_zeroed((size_t)n_entries + 1, sizeof *paths);
    for (int i = 0, n = 0; i < n_entries; i++) {
        const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
        if (dot && dot > name && name[0] != '.' && strcmp(dot, wanted) == 0)
            paths[n++] = memory_format("%s/%s", directory, name);
        free(entries[i]);
    }
    free(entries);
    return paths;
}
