// SPDX-License-Identifier: BSD-3-Clause
// Allocation for a program that cannot go on without memory: it says so and exits.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *alloc_or_die(size_t n_bytes); // zeroed
void *realloc_or_die(void *memory, size_t n_bytes);
char *strdup_or_die(const char *text);
char *format_or_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A map from byte strings to numbers that counts up: every new key gets the next number.

struct table {
    struct table_key {
        void *bytes;
        size_t n_bytes;
    } * keys; // by number
    uint32_t n;
    uint32_t *slots; // numbers + 1; 0: empty
    size_t n_slots;
};

/// Number of the key, which is copied. *is_new (may be NULL): was it given just now?
uint32_t table_number(struct table *table, const void *key, size_t n_bytes, bool *is_new);

/// The copy of a key, which stays where it is.
static inline const void *table_key(const struct table *table, uint32_t number)
{
    return table->keys[number].bytes;
}

/// Is the key known?
bool table_has(const struct table *table, const void *key, size_t n_bytes);

void table_release(struct table *table);
