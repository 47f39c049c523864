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

/// Adds an item to ITEMS, of which there are N (both are variables).
#define APPEND(items, n, ...)                                                                      \
    ((items) = realloc_or_die((items), ((size_t)(n) + 1) * sizeof *(items)),                       \
     (items)[(n)++] = __VA_ARGS__)

// A map from byte strings to numbers that counts up: every new key gets the next number. A key may
// have a value, of the same size for all keys of a table.

struct table {
    struct table_key {
        uint8_t *bytes; // the value behind them
        size_t n_bytes;
    } * keys; // by number
    uint32_t n;
    uint32_t *slots; // numbers + 1; 0: empty
    size_t n_slots;
};

/// Number of the key, which is copied. *is_new (may be NULL): was it given just now?
uint32_t table_number(struct table *table, const void *key, size_t n_bytes, bool *is_new);

/// The value of the key, of N_VALUE_BYTES, which are zero at first.
void *table_value(struct table *table, const void *key, size_t n_bytes, size_t n_value_bytes,
                  bool *is_new);

/// The copy of a key, and its value, which stay where they are.
static inline const void *table_key(const struct table *table, uint32_t number)
{
    return table->keys[number].bytes;
}
static inline void *table_value_at(const struct table *table, uint32_t number)
{
    return table->keys[number].bytes + (table->keys[number].n_bytes + 15) / 16 * 16;
}

/// Is the key known?
bool table_has(const struct table *table, const void *key, size_t n_bytes);

void table_release(struct table *table);
