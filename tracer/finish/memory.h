// SPDX-License-Identifier: BSD-3-Clause
// Allocation for a program that cannot go on without memory: it says so and exits.
#ifndef PAGODA_FINISH_MEMORY_H
#define PAGODA_FINISH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *alloc_or_die(size_t n_bytes); // zeroed
void *realloc_or_die(void *memory, size_t n_bytes);
char *strdup_or_die(const char *text);
char *format_or_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A map from byte strings to numbers that counts up: every new key gets the next number.

struct table {
    struct table_slot {
        void *key; // NULL: empty
        size_t n_bytes;
        uint32_t number;
    } * slots;
    size_t n_slots;
    uint32_t n;
};

/// Number of the key; *is_new tells whether it was given just now. The key is copied.
uint32_t table_number(struct table *table, const void *key, size_t n_bytes, bool *is_new);

/// Is the key known?
bool table_has(const struct table *table, const void *key, size_t n_bytes);

void table_release(struct table *table);

#endif
