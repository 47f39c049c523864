// SPDX-License-Identifier: BSD-3-Clause
// Histograms by class of size and class of time (see recorded.h).
#include "analyzer/simulation/cost/recorded.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

__extension__ typedef __int128 wide;

enum {
    SIZE_DIGITS = 2,
    TIME_DIGITS = 5,
    TIME_CLASSES = 65 << (TIME_DIGITS - 1),
};
_Static_assert(COST_TABLE_SIZE_CLASSES == 65 << (SIZE_DIGITS - 1), "classes of all sizes");

/// Number of VALUE's class when all but the highest DIGITS binary digits are dropped; classes are
/// in the order of their values.
static uint32_t class_of(uint64_t value, uint32_t digits)
{
    if (value >> digits == 0)
        return (uint32_t)value;
    uint32_t n_bits = 64 - (uint32_t)__builtin_clzll(value);
    uint32_t shift = n_bits - digits;
    return (shift << (digits - 1)) + (uint32_t)(value >> shift);
}

/// The smallest value of a class.
static uint64_t value_of(uint32_t class, uint32_t digits)
{
    if (class >> digits == 0)
        return class;
    uint32_t shift = (class >> (digits - 1)) - 1;
    return (uint64_t)(class - (shift << (digits - 1))) << shift;
}

uint32_t cost_table_class(uint64_t size_bytes)
{
    return class_of(size_bytes, SIZE_DIGITS);
}

void cost_table_count(struct cost_table *table, uint64_t size_bytes, uint64_t time_ns)
{
    uint32_t class = class_of(size_bytes, SIZE_DIGITS);
    if (!table->counts[class])
        table->counts[class] = memory_zeroed(TIME_CLASSES, sizeof(uint64_t));
    table->counts[class][class_of(time_ns, TIME_DIGITS)]++;
    table->n[class]++;
}

void cost_table_conclude(struct cost_table *table)
{
    for (int class = 0; class < COST_TABLE_SIZE_CLASSES; class ++) {
        if (table->n[class] == 0)
            continue;
        uint64_t before = (table->n[class] - 1) / 2;
        uint32_t time = 0;
        for (; before >= table->counts[class][time]; time++)
            before -= table->counts[class][time];
        table->usual_ns[class] = value_of(time, TIME_DIGITS);
    }
    uint16_t nearest = COST_TABLE_NO_CLASS;
    for (int class = 0; class < COST_TABLE_SIZE_CLASSES; class ++)
        table->below[class] = nearest = table->n[class] > 0 ? (uint16_t) class : nearest;
    nearest = COST_TABLE_NO_CLASS;
    for (int class = COST_TABLE_SIZE_CLASSES; class -- > 0;)
        table->above[class] = nearest = table->n[class] > 0 ? (uint16_t) class : nearest;
    cost_table_release(table);
}

void cost_table_release(struct cost_table *table)
{
    for (int class = 0; class < COST_TABLE_SIZE_CLASSES; class ++) {
        free(table->counts[class]);
        table->counts[class] = NULL;
    }
}

bool cost_table_find(const struct cost_table *table, uint64_t size_bytes, uint64_t *time_ns)
{
    uint32_t class = class_of(size_bytes, SIZE_DIGITS);
    uint32_t below = table->below[class], above = table->above[class];
    bool has_below = below != COST_TABLE_NO_CLASS, has_above = above != COST_TABLE_NO_CLASS;
    if (!has_below && !has_above)
        return false;
    if (!has_above || below == class) {
        *time_ns = table->usual_ns[below];
    } else if (!has_below) {
        *time_ns = table->usual_ns[above];
    } else {
        int64_t from_ns = (int64_t)table->usual_ns[below];
        int64_t rise_ns = (int64_t)table->usual_ns[above] - from_ns;
        uint64_t first = value_of(below, SIZE_DIGITS), last = value_of(above, SIZE_DIGITS);
        wide gain = (wide)rise_ns * (wide)(size_bytes - first) / (wide)(last - first);
        *time_ns = (uint64_t)(from_ns + (int64_t)gain);
    }
    return true;
}

bool cost_table_is_empty(const struct cost_table *table)
{
    uint64_t time_ns;
    return !cost_table_find(table, 0, &time_ns);
}
