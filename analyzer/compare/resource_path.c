// SPDX-License-Identifier: BSD-3-Clause
// Resource paths as text (see resource_path.h).
#include "analyzer/compare/resource_path.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/function_names.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/focus.h"

/// The slash sorts before every other byte, so that nothing comes between a resource and what is
/// below it: "/a", "/a/b", "/a.c".
static int order_of(char byte)
{
    return byte == '\0' ? 0 : byte == '/' ? 1 : 2 + (unsigned char)byte;
}

int resource_path_compare(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return order_of(*a) - order_of(*b);
}

size_t resource_path_next(const char *path, size_t length)
{
    return path[length] ? length + 1 + focus_level_length(path + length + 1) : length;
}

size_t resource_path_depth(const char *path)
{
    size_t depth = 0;
    for (size_t length = 0; path[length]; length = resource_path_next(path, length))
        depth++;
    return depth;
}

const char *resource_path_last(const char *path)
{
    return path + focus_last_level(path) + 1;
}

bool resource_path_is_within(const char *path, const char *ancestor)
{
    size_t length = strlen(ancestor);
    return !strncmp(path, ancestor, length) && (path[length] == '\0' || path[length] == '/');
}

const char *resource_path_short(const char *path)
{
    const char *slash = path[0] ? strchr(path + 1, '/') : NULL;
    return slash ? slash + 1 : path;
}

char *resource_path_plain(const char *path)
{
    char *plain = memory_copy_text(path), *to = plain;
    for (const char *from = path; *from; from++) {
        bool is_escape = *from == '\\' && from[1] && from[1] != 'x'; // a byte stays \xHH
        from += is_escape;
        if (!is_escape || *from != 'e') // the empty name
            *to++ = *from;
    }
    *to = '\0';
    return plain;
}

// --- shown paths

/// The next name of *PATH, which is moved after it; NULL at the end. The caller frees.
static char *next_name(const char **path)
{
    const char *begin = *path + (**path == '/'), *end = begin;
    if (*begin == '\0')
        return NULL;
    while (*end && *end != '/')
        end += 1 + (end[0] == '\\' && end[1] != '\0');
    SCOPED char *escaped = memory_format("%.*s", (int)(end - begin), begin);
    char *name = resource_path_plain(escaped);
    *path = end;
    return name;
}

void shown_paths_add(struct shown_paths *paths, const char *path)
{
    for (char *name; (name = next_name(&path)) != NULL;)
        *ARRAY_NEXT(paths->names, paths->n, paths->capacity) = name;
}

void shown_paths_complete(struct shown_paths *paths)
{
    size_t n = 0;
    if (paths->n > 0)
        qsort(paths->names, paths->n, sizeof *paths->names, text_compare);
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
        char **found = paths->n > 0 ? bsearch(&name, paths->names, paths->n, sizeof *paths->names,
                                              text_compare)
                                    : NULL;
        text_append(&text, "%s%s", *text ? "/" : "",
                    found ? paths->shown[found - paths->names] : name);
        free(name);
    }
    return text;
}

void shown_paths_release(struct shown_paths *paths)
{
    memory_free_each(paths->names, paths->n);
    memory_free_each(paths->shown, paths->n);
    *paths = (struct shown_paths){0};
}
