// SPDX-License-Identifier: BSD-3-Clause
// See shown_paths.h.
#include "analyzer/report/text/shown_paths.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/function_names.h"
#include "analyzer/base/memory.h"
#include "analyzer/report/difference.h"

/// The next name of *PATH, which is moved behind it; NULL at the end. The caller frees.
static char *next_name(const char **path)
{
    const char *begin = *path + (**path == '/'), *end = begin;
    if (*begin == '\0')
        return NULL;
    while (*end && *end != '/')
        end += 1 + (end[0] == '\\' && end[1] != '\0');
    char *escaped = memory_format("%.*s", (int)(end - begin), begin);
    char *name = difference_plain(escaped);
    free(escaped);
    *path = end;
    return name;
}

void shown_paths_add(struct shown_paths *paths, const char *path)
{
    for (char *name; (name = next_name(&path)) != NULL;) {
        paths->names =
            array_reserve(paths->names, &paths->capacity, paths->n + 1, sizeof *paths->names);
        paths->names[paths->n++] = name;
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void shown_paths_complete(struct shown_paths *paths)
{
    size_t n = 0;
    if (paths->n > 0)
        qsort(paths->names, paths->n, sizeof *paths->names, by_name);
    for (size_t i = 0; i < paths->n; i++) {
        if (n > 0 && strcmp(paths->names[i], paths->names[n - 1]) == 0)
            free(paths->names[i]);
        else
            paths->names[n++] = paths->names[i];
    }
    paths->n = n;
    paths->shown = function_names_shown((const char *const *)paths->names, n);
}

char *shown_paths_text(const struct shown_paths *paths, const char *path)
{
    char *text = memory_copy_text("");
    for (char *name; (name = next_name(&path)) != NULL;) {
        char **found = paths->n > 0
                           ? bsearch(&name, paths->names, paths->n, sizeof *paths->names, by_name)
                           : NULL;
        char *longer = memory_format("%s%s%s", text, *text ? "/" : "",
                                     found ? paths->shown[found - paths->names] : name);
        free(text);
        free(name);
        text = longer;
    }
    return text;
}

void shown_paths_release(struct shown_paths *paths)
{
    function_names_free(paths->names, paths->n);
    function_names_free(paths->shown, paths->n);
    *paths = (struct shown_paths){0};
}
