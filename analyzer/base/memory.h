// SPDX-License-Identifier: BSD-3-Clause
// Allocation that cannot fail: the analyzer has nothing useful to do without memory, so it says so
// and ends. Arrays grow by doubling through ARRAY_NEXT().
#pragma once

#include <dirent.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// malloc, zeroed calloc, realloc and strdup that end the process with a message when memory is
/// out. The caller frees with free().
void *memory_new(size_t size_bytes) __attribute__((malloc));
void *memory_zeroed(size_t count, size_t size_bytes) __attribute__((malloc));
/// malloc at the beginning of a cache line.
enum { CACHE_LINE_BYTES = 64 };
void *memory_new_line(size_t size_bytes) __attribute__((malloc));
void *memory_resize(void *block, size_t count, size_t size_bytes);
char *memory_copy_text(const char *text) __attribute__((malloc));

/// Has the cache fetch N_BYTES of MEMORY to be written, which may be NULL, or shorter.
static inline void memory_fetch(const void *memory, size_t n_bytes)
{
    for (size_t at = 0; at < n_bytes; at += CACHE_LINE_BYTES)
        __builtin_prefetch((const void *)((uintptr_t)memory + at), 1);
}

/// Frees several blocks, each of which may be NULL: FREE_ALL(rank->name, rank->host).
#define FREE_ALL(...)                                                                              \
    memory_free_all((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void memory_free_all(void *const *blocks, size_t n);

/// Frees the N blocks of the array ITEMS, of pointers, and the array; ITEMS may be NULL.
void memory_free_each(void *items, size_t n);
/// Frees what one to four members of each of N structs point to; ITEMS may be NULL:
/// FREE_MEMBERS(ranks, n_ranks, name, host).
#define FREE_MEMBERS(items, n, ...)                                                                \
    FREE_MEMBERS_OF(__VA_ARGS__, 4, 3, 2, 1)((items), (n), __VA_ARGS__)
#define FREE_MEMBERS_OF(a, b, c, d, n_fields, ...) FREE_MEMBERS_##n_fields
#define FREE_MEMBERS_1(items, n, a)                                                                \
    memory_free_members((items) ? &(items)->a : NULL, (n), sizeof *(items))
#define FREE_MEMBERS_2(items, n, a, ...)                                                           \
    (FREE_MEMBERS_1(items, n, a), FREE_MEMBERS_1(items, n, __VA_ARGS__))
#define FREE_MEMBERS_3(items, n, a, ...)                                                           \
    (FREE_MEMBERS_1(items, n, a), FREE_MEMBERS_2(items, n, __VA_ARGS__))
#define FREE_MEMBERS_4(items, n, a, ...)                                                           \
    (FREE_MEMBERS_1(items, n, a), FREE_MEMBERS_3(items, n, __VA_ARGS__))
void memory_free_members(void *first, size_t n, size_t struct_bytes);

/// Before the declaration of a pointer with its first value: its scope alone has the block, which
/// is freed where that ends, also by return, break or continue. NULL is fine.
#define SCOPED __attribute__((cleanup(memory_free_scoped)))
static inline void memory_free_scoped(void *pointer)
{
    void *block;
    memcpy(&block, pointer, sizeof block);
    free(block);
}

/// The same for a struct with its first value, which RELEASE gets the address of.
#define SCOPED_BY(release) __attribute__((cleanup(release)))
/// The same for a file that is read only, and for a folder.
#define SCOPED_FILE   SCOPED_BY(memory_close_file)
#define SCOPED_FOLDER SCOPED_BY(memory_close_folder)
static inline void memory_close_file(FILE **file)
{
    if (*file)
        fclose(*file);
}
static inline void memory_close_folder(DIR **folder)
{
    if (*folder)
        closedir(*folder);
}

/// printf into fresh memory; the caller frees.
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2), malloc));

char *memory_format_list(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0), malloc));

/// array_reserve() for more elements than there is room for.
void *array_grow(void *array, size_t *capacity, size_t count, size_t size_bytes);

/// Makes room for COUNT elements of SIZE_BYTES in an array whose capacity is *CAPACITY elements;
/// returns the array (moved perhaps) and updates *CAPACITY. New elements are not initialised.
static inline void *array_reserve(void *array, size_t *capacity, size_t count, size_t size_bytes)
{
    return count <= *capacity ? array : array_grow(array, capacity, count, size_bytes);
}

/// A new last element, not initialised, of ARRAY, which has N of them and room for CAPACITY, all
/// three variables: `*ARRAY_NEXT(list->items, list->n, list->capacity) = item`.
#define ARRAY_NEXT(array, n, capacity)                                                             \
    ((array) = array_reserve((array), &(capacity), (n) + 1, sizeof *(array)), &(array)[(n)++])
/// The same where few are added, without room for more than N.
#define ARRAY_EXTEND(array, n)                                                                     \
    ((array) = memory_resize((array), (n) + 1, sizeof *(array)), &(array)[(n)++])

/// A stream that writes to *TEXT, of *SIZE bytes after fclose(); the caller frees *TEXT then.
FILE *memory_stream(char **text, size_t *size);

// --- structs and texts that are looked for by a text

/// Where TEXT is among N texts, or the member FIELD of N structs is TEXT; N: nowhere. ITEMS may be
/// NULL without any.
#define FIND_TEXT(texts, n, text)                                                                  \
    text_find((texts), (n), sizeof *(texts), OFFSET_OF_POINTER(*(texts), 0), (text))
#define FIND_BY(items, n, field, text) text_find(TEXTS_IN(items, n, field), (text))
/// Whether it is among them.
#define HAS_TEXT(texts, n, text)      (FIND_TEXT(texts, n, text) < (n))
#define HAS_BY(items, n, field, text) (FIND_BY(items, n, field, text) < (n))
/// The first of these structs, or NULL.
#define ITEM_BY(items, n, field, text) text_find_item(TEXTS_IN(items, n, field), (text))

#define TEXTS_IN(items, n, field)                                                                  \
    (items), (n), sizeof *(items),                                                                 \
        OFFSET_OF_POINTER((items)->field, offsetof(__typeof__(*(items)), field))
/// OFFSET; a POINTER is meant, no array of letters, to whose type nothing can be cast.
#define OFFSET_OF_POINTER(pointer, offset) ((offset) + 0 * sizeof((__typeof__(pointer))0))
size_t text_find(const void *items, size_t n, size_t item_bytes, size_t offset, const char *text);
void *text_find_item(const void *items, size_t n, size_t item_bytes, size_t offset,
                     const char *text);

// --- definitions from files (kinds of findings, properties, hierarchies, ...): arrays of structs
// that begin with their name, a char *. Names are unique; a later definition replaces an earlier
// one.

/// Where NAME is among the N structs in ITEMS; N: nowhere.
#define NAMED_FIND(items, n, name) text_find((items), (n), sizeof *(items), 0, (name))

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
