// SPDX-License-Identifier: BSD-3-Clause
// CPU time of an interval of a process, from the samples in it and the last one before it. Measured
// and simulated replays both ask here.
#ifndef PAGODA_PAG_CPU_SPAN_H
#define PAGODA_PAG_CPU_SPAN_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_span {
    bool has_seen;    // in this interval or before:
    uint64_t seen_ns; // the last sample
    bool had;         // before this interval:
    uint64_t had_ns;
    bool has; // in this interval:
    uint64_t first_at_ns, first_ns, last_at_ns, last_ns;
};

/// The next interval begins.
void cpu_span_begin(struct cpu_span *span);

/// The process had used CPU_NS at AT_NS, inside the interval.
void cpu_span_sample(struct cpu_span *span, uint64_t at_ns, uint64_t cpu_ns);

/// The same where the sample lies before the next interval: in an MPI call.
void cpu_span_see(struct cpu_span *span, uint64_t cpu_ns);

/// CPU time of the whole interval: what the first and last CPU sample say for the time between
/// them (never more than that time: other threads of the process), wall time outside; but up to the
/// last sample at most what the process used since the last one before the interval. Wall time if
/// there is no sample.
uint64_t cpu_span_used_ns(const struct cpu_span *span, uint64_t begin_ns, uint64_t end_ns);

#endif
