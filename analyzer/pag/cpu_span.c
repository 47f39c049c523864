// SPDX-License-Identifier: BSD-3-Clause
// See cpu_span.h.
#include "analyzer/pag/cpu_span.h"

void cpu_span_begin(struct cpu_span *span)
{
    span->had = span->has_seen;
    span->had_ns = span->seen_ns;
    span->has = false;
}

void cpu_span_see(struct cpu_span *span, uint64_t cpu_ns)
{
    span->has_seen = true;
    span->seen_ns = cpu_ns;
}

void cpu_span_sample(struct cpu_span *span, uint64_t at_ns, uint64_t cpu_ns)
{
    span->last_at_ns = at_ns;
    span->last_ns = cpu_ns;
    cpu_span_see(span, cpu_ns);
    if (span->has)
        return;
    span->has = true;
    span->first_at_ns = at_ns;
    span->first_ns = cpu_ns;
}

uint64_t cpu_span_used_ns(const struct cpu_span *span, uint64_t begin_ns, uint64_t end_ns)
{
    uint64_t wall_ns = end_ns - begin_ns;
    if (!span->has || span->last_ns < span->first_ns)
        return wall_ns;
    uint64_t seen_ns = span->last_at_ns - span->first_at_ns;
    uint64_t cpu_ns = span->last_ns - span->first_ns;
    uint64_t used_ns = cpu_ns < seen_ns ? wall_ns - seen_ns + cpu_ns : wall_ns;
    if (!span->had || span->last_ns < span->had_ns)
        return used_ns;
    uint64_t most_ns = span->last_ns - span->had_ns + (end_ns - span->last_at_ns);
    return most_ns < used_ns ? most_ns : used_ns;
}
