// SPDX-License-Identifier: BSD-3-Clause
#include "tracer/finish/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (!memory) {
        fputs("pagoda: out of memory while the archive was written; the records are kept\n",
              stderr);
        exit(1);
    }
    return memory;
}

void *alloc_or_die(size_t n_bytes)
{
    return checked(calloc(1, n_bytes > 0 ? n_bytes : 1));
}

void *realloc_or_die(void *memory, size_t n_bytes)
{
    return checked(realloc(memory, n_bytes));
}

char *strdup_or_die(const char *text)
{
    return checked(strdup(text));
}

char *format_or_die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return checked(text);
}

// Open addressing, at most half full. Most keys are a few words of 8 bytes, and are hashed so.

static uint64_t hash_of(const uint8_t *bytes, size_t n_bytes)
{
    uint64_t hash = n_bytes;
    for (size_t i = 0; i < n_bytes; i += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, n_bytes - i < sizeof word ? n_bytes - i : sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
    }
    return hash;
}

static uint32_t *slot_of(const struct table *table, const void *key, size_t n_bytes)
{
    for (size_t i = hash_of(key, n_bytes) & (table->n_slots - 1);;
         i = (i + 1) & (table->n_slots - 1)) {
        uint32_t *slot = &table->slots[i];
        if (*slot == 0)
            return slot;
        const struct table_key *other = &table->keys[*slot - 1];
        if (other->n_bytes == n_bytes && memcmp(other->bytes, key, n_bytes) == 0)
            return slot;
    }
}

static void grow(struct table *table)
{
    table->n_slots = table->n_slots == 0 ? 16 : 2 * table->n_slots;
    free(table->slots);
    table->slots = alloc_or_die(table->n_slots * sizeof *table->slots);
    table->keys = realloc_or_die(table->keys, table->n_slots / 2 * sizeof *table->keys);
    for (uint32_t i = 0; i < table->n; i++)
        *slot_of(table, table->keys[i].bytes, table->keys[i].n_bytes) = i + 1;
}

static uint32_t add_key(struct table *table, const void *key, size_t n_bytes, size_t n_value_bytes,
                        bool *is_new)
{
    if (2 * ((size_t)table->n + 1) > table->n_slots)
        grow(table);
    uint32_t *slot = slot_of(table, key, n_bytes);
    if (is_new)
        *is_new = *slot == 0;
    if (*slot == 0) {
        struct table_key *copy = &table->keys[table->n++];
        size_t n_value_begin = n_value_bytes > 0 ? (n_bytes + 15) / 16 * 16 : n_bytes;
        *copy = (struct table_key){alloc_or_die(n_value_begin + n_value_bytes), n_bytes};
        memcpy(copy->bytes, key, n_bytes);
        *slot = table->n;
    }
    return *slot - 1;
}

uint32_t table_number(struct table *table, const void *key, size_t n_bytes, bool *is_new)
{
    return add_key(table, key, n_bytes, 0, is_new);
}

void *table_value(struct table *table, const void *key, size_t n_bytes, size_t n_value_bytes,
                  bool *is_new)
{
    return table_value_at(table, add_key(table, key, n_bytes, n_value_bytes, is_new));
}

bool table_has(const struct table *table, const void *key, size_t n_bytes)
{
    return table->n > 0 && *slot_of(table, key, n_bytes) != 0;
}

void table_release(struct table *table)
{
    for (uint32_t i = 0; i < table->n; i++)
        free(table->keys[i].bytes);
    free(table->keys);
    free(table->slots);
    *table = (struct table){0};
}
