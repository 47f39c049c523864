// SPDX-License-Identifier: BSD-3-Clause
// Allocation that ends the process when memory is out (see memory.h).
#include "analyzer/base/memory.h"

static void die_out_of_memory(size_t size_bytes)
{
    fprintf(stderr, "pagoda: out of memory (asked for %zu bytes more)\n", size_bytes);
    exit(1);
}

void *memory_new(size_t size_bytes)
{
    void *block = malloc(size_bytes ? size_bytes : 1);
    if (!block)
        die_out_of_memory(size_bytes);
    return block;
}

void *memory_new_line(size_t size_bytes)
{
    size_t n_lines = size_bytes / CACHE_LINE_BYTES + 1;
    void *block = aligned_alloc(CACHE_LINE_BYTES, n_lines * CACHE_LINE_BYTES);
    if (!block)
        die_out_of_memory(size_bytes);
    return block;
}

void *memory_zeroed(size_t count, size_t size_bytes)
{
    void *block = calloc(count ? count : 1, size_bytes ? size_bytes : 1);
    if (!block)
        die_out_of_memory(count * size_bytes);
    return block;
}

void *memory_resize(void *block, size_t count, size_t size_bytes)
{
    if (size_bytes && count > SIZE_MAX / size_bytes)
        die_out_of_memory(SIZE_MAX);
    size_t total_bytes = count * size_bytes;
    void *moved = realloc(block, total_bytes ? total_bytes : 1);
    if (!moved)
        die_out_of_memory(total_bytes);
    return moved;
}

char *memory_copy_text(const char *text)
{
    size_t size_bytes = strlen(text) + 1;
    return memcpy(memory_new(size_bytes), text, size_bytes);
}

void memory_free_all(void *const *blocks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(blocks[i]);
}

void memory_free_members(void *first, size_t n, size_t struct_bytes)
{
    for (size_t i = 0; first && i < n; i++)
        memory_free_scoped((char *)first + i * struct_bytes);
}

void memory_free_each(void *items, size_t n)
{
    memory_free_members(items, n, sizeof(void *));
    free(items);
}

char *memory_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_format_list(format, arguments);
    va_end(arguments);
    return text;
}

char *memory_format_list(const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        die_out_of_memory(0);
    return text;
}

void *array_grow(void *array, size_t *capacity, size_t count, size_t size_bytes)
{
    size_t wanted = *capacity ? *capacity : 8;
    while (wanted < count)
        wanted *= 2;
    *capacity = wanted;
    return memory_resize(array, wanted, size_bytes);
}

FILE *memory_stream(char **text, size_t *size)
{
    FILE *stream = open_memstream(text, size);
    if (!stream)
        die_out_of_memory(0);
    return stream;
}

// --- structs and texts that are looked for by a text

static const char *text_at(const void *items, size_t item_bytes, size_t offset, size_t i)
{
    return *(const char *const *)(const void *)((const char *)items + i * item_bytes + offset);
}

size_t text_find(const void *items, size_t n, size_t item_bytes, size_t offset, const char *text)
{
    size_t i = 0;
    while (i < n && strcmp(text_at(items, item_bytes, offset, i), text) != 0)
        i++;
    return i;
}

void *text_find_item(const void *items, size_t n, size_t item_bytes, size_t offset,
                     const char *text)
{
    size_t i = text_find(items, n, item_bytes, offset, text);
    return i < n ? (char *)(uintptr_t)items + i * item_bytes : NULL;
}

const char **named_names(const void *items, size_t n, size_t size_bytes)
{
    const char **names = memory_zeroed(n + 1, sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = text_at(items, size_bytes, 0, i);
    return names;
}
