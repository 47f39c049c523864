// SPDX-License-Identifier: BSD-3-Clause
// Resource paths as text (see resource_path.h).
#include "analyzer/compare/resource_path.h"

#include <string.h>

#include "analyzer/base/memory.h"
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
