// SPDX-License-Identifier: BSD-3-Clause
// Values that a location records of metrics which are not summed by call path: states, such as
// power or memory in use, and sums of a device, a node or a process. Each metric is summed up as
// its values are decoded.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/format/numbers.h"
#include "analyzer/base/map.h"

/// What one location recorded of one member of a metric; values as recorded, times in ticks.
struct metric_series {
    uint32_t metric; // place in records.metrics
    uint32_t member; // place in its class
    uint64_t n_values;
    uint64_t first_ticks, last_ticks;
    double first, last, min, max;
    // Sums over the steps from a value to the next: of the value before, or after, times ticks.
    double before_ticks, after_ticks;
    double sum;   // of all values
    double grown; // from the first value on: what later values were more than those before
    bool falls;   // a value is less than the one before, and no new begin near 0
};

struct metric_series_list {
    struct metric_series *items;
    size_t n, capacity;
    size_t next;       // that is likely to get the next value
    struct map places; // (metric, member) -> place in items
};

/// Adds VALUE, which is finite, at TICKS, not before the last one.
void metric_series_add(struct metric_series_list *list, uint32_t metric, uint32_t member,
                       uint64_t ticks, double value);

/// Writes or reads the LIST of a location in an archive of N_METRICS metrics.
void metric_series_pass(struct metric_series_list *list, size_t n_metrics, struct numbers *numbers);

/// Leaves an empty list.
void metric_series_release(struct metric_series_list *list);
