// SPDX-License-Identifier: BSD-3-Clause
// Definitions from files (kinds of findings, properties, hierarchies, ...): arrays of structs that
// begin with their name, a char *. Names are unique; a later definition replaces an earlier one.
#pragma once

#include <stddef.h>

#include "analyzer/base/memory.h"

/// Where NAME is among the N structs of SIZE_BYTES in ITEMS; N: nowhere.
size_t named_find(const void *items, size_t n, size_t size_bytes, const char *name);
#define NAMED_FIND(items, n, name) named_find((items), (n), sizeof *(items), (name))

/// Puts ITEM over the one of its name, which RELEASE frees the content of, or at the end. ITEMS and
/// N are variables.
#define NAMED_PUT(items, n, item, release)                                                         \
    do {                                                                                           \
        size_t named_at = NAMED_FIND((items), (n), *(char *const *)(const void *)&(item));         \
        if (named_at < (n))                                                                        \
            release(&(items)[named_at]);                                                           \
        else                                                                                       \
            (void)ARRAY_EXTEND((items), (n));                                                      \
        (items)[named_at] = (item);                                                                \
    } while (0)

/// The names, for spelling_hint() and spelling_list(); the caller frees the array only.
const char **named_names(const void *items, size_t n, size_t size_bytes);
#define NAMED_NAMES(items, n) named_names((items), (n), sizeof *(items))
