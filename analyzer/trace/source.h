// SPDX-License-Identifier: BSD-3-Clause
// What a copy of an open archive needs to know of it (analyzer/rewrite): its records, and how its
// events get their times. All live as long as the trace.
#ifndef PAGODA_TRACE_SOURCE_H
#define PAGODA_TRACE_SOURCE_H

#include "analyzer/trace/clock.h"
#include "analyzer/trace/reader.h"
#include "analyzer/trace/records.h"
#include "analyzer/trace/resolve.h"

struct trace_source {
    const struct records *records;
    const struct resolved *resolved;
    const struct clock *clock;
};
struct trace_source trace_source(const struct trace *trace);

#endif
