// SPDX-License-Identifier: BSD-3-Clause
// Times by size, in memory that does not depend on how many there are. The class of a size is the
// size with all but its highest two binary digits set to zero, a time counts with all but its
// highest five set to zero. Of each size class one sample is kept as the usual one, the lower
// median: element (n-1)/2 of n in order. A size whose class was seen costs what is usual in its
// class; one between two classes a value on the straight line between (class, usual) of both,
// rounded towards the lower class's; one beyond, that of the nearest class.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { COST_TABLE_SIZE_CLASSES = 130, COST_TABLE_NO_CLASS = UINT16_MAX };

/// All zero: empty.
struct cost_table {
    uint64_t *counts[COST_TABLE_SIZE_CLASSES]; // by class of time; NULL: none, or concluded
    uint64_t n[COST_TABLE_SIZE_CLASSES];
    // once concluded:
    uint64_t usual_ns[COST_TABLE_SIZE_CLASSES];
    // nearest classes with samples, the class itself among them; COST_TABLE_NO_CLASS: none
    uint16_t below[COST_TABLE_SIZE_CLASSES], above[COST_TABLE_SIZE_CLASSES];
};

/// Number of a size's class; classes are in the order of their sizes.
uint32_t cost_table_class(uint64_t size_bytes);

void cost_table_count(struct cost_table *table, uint64_t size_bytes, uint64_t time_ns);
/// No more counting: from here on costs can be asked for.
void cost_table_conclude(struct cost_table *table);
void cost_table_release(struct cost_table *table);

/// The cost of a size; false when the table is empty.
bool cost_table_find(const struct cost_table *table, uint64_t size_bytes, uint64_t *time_ns);
bool cost_table_is_empty(const struct cost_table *table);
