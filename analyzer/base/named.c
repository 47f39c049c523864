// SPDX-License-Identifier: BSD-3-Clause
// Structs by the name they begin with (see named.h).
#include "analyzer/base/named.h"

#include <string.h>

static const char *name_at(const void *items, size_t size_bytes, size_t i)
{
    return *(const char *const *)(const void *)((const char *)items + i * size_bytes);
}

size_t named_find(const void *items, size_t n, size_t size_bytes, const char *name)
{
    size_t i = 0;
    while (i < n && strcmp(name_at(items, size_bytes, i), name) != 0)
        i++;
    return i;
}

const char **named_names(const void *items, size_t n, size_t size_bytes)
{
    const char **names = memory_zeroed(n + 1, sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = name_at(items, size_bytes, i);
    return names;
}
