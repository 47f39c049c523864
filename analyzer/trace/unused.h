// SPDX-License-Identifier: BSD-3-Clause
// Counters and parameters in an archive that no replay uses.
#ifndef PAGODA_TRACE_UNUSED_H
#define PAGODA_TRACE_UNUSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/reader.h"

/// Something that an archive records and no replay uses: a counter, other than the CPU time of
/// processes, or a parameter.
struct unused {
    const char *name; // valid as long as the trace; may be ""
    bool is_parameter;
    uint64_t n_values;
};

/// Sums what location_report.n_unused counted in TRACE, which has been read: counters in the order
/// of their definitions, then parameters, each with a value at least. The caller frees *LIST.
size_t trace_unused(const struct trace *trace, struct unused **list);

#endif
