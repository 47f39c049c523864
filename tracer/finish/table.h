// SPDX-License-Identifier: BSD-3-Clause
// A map from byte strings to numbers that counts up: every new key gets the next number.
#ifndef PAGODA_FINISH_TABLE_H
#define PAGODA_FINISH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table {
    struct table_slot {
        void *key; // NULL: empty
        size_t n_bytes;
        uint32_t number;
    } * slots;
    size_t n_slots;
    uint32_t n;
};

// Number of the key; *is_new tells whether it was given just now. The key is copied.
uint32_t table_number(struct table *table, const void *key, size_t n_bytes, bool *is_new);

// Is the key known?
bool table_has(const struct table *table, const void *key, size_t n_bytes);

void table_release(struct table *table);

#endif
