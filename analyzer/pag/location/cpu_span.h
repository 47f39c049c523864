// SPDX-License-Identifier: BSD-3-Clause
// CPU time of an interval of a process, from the samples in it and the last one before it, and the
// longest segments of the interval. Measured and simulated replays both use this.
#ifndef PAGODA_PAG_LOCATION_CPU_SPAN_H
#define PAGODA_PAG_LOCATION_CPU_SPAN_H

#include <stdint.h>

#include "analyzer/pag/location/location.h"

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

/// What of SEGMENT was lost before TIME_NS.
uint64_t cpu_segment_lost_before(const struct cpu_segment *segment, uint64_t time_ns);

/// A segment of at least CPU_SEGMENT_NS was spent at PATH. Called inside MPI calls as well; what
/// lies there is forgotten when the next interval begins.
void cpu_segment_note(struct without_cpu *account, uint32_t path, uint64_t begin_ns,
                      uint64_t end_ns);

/// Length of SEGMENT.
static inline uint64_t cpu_segment_ns(const struct cpu_segment *segment)
{
    return segment->end_ns - segment->begin_ns;
}

#endif
