// SPDX-License-Identifier: BSD-3-Clause
// CPU time of a location's process in an interval outside MPI, and the longest segments of that.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// CPU samples of an interval.
struct cpu_span {
    bool has_seen;    // in this interval or before:
    uint64_t seen_ns; // the last sample
    bool had;         // before this interval:
    uint64_t had_ns;
    bool has; // in this interval:
    uint64_t first_at_ns, first_ns, last_at_ns, last_ns;
    // Of these samples: ready to run without a core, or EVENT_NO_CORE_WAIT.
    uint64_t seen_wait_ns, had_wait_ns, first_wait_ns, last_wait_ns;
};

/// Time of one call path, of which lost_ns passed without CPU time, evenly spread.
struct cpu_segment {
    uint64_t begin_ns, end_ns, lost_ns;
    uint32_t path;
    bool is_blocked; // the process is known to have been asleep or waiting for a device
};

enum { CPU_SEGMENTS = 16, CPU_SEGMENT_NS = 100000 };

/// The open interval outside MPI, with its longest segments.
struct without_cpu {
    uint64_t begin_ns;
    uint32_t n_segments;
    struct cpu_span span;
    struct cpu_segment *segments; // room for 2 * CPU_SEGMENTS: once spread, those blocked stand
                                  // apart; NULL: there were none yet
};

// --- CPU time of an interval, from the samples in it and the last one before it, and
// --- its longest segments. Measured and simulated replays both use this.

/// The next interval begins.
static inline void cpu_span_begin(struct cpu_span *span)
{
    if (!span->has_seen) // nor in any interval before
        return;
    span->had = true;
    span->had_ns = span->seen_ns;
    span->had_wait_ns = span->seen_wait_ns;
    span->has = false;
}

/// The process had used CPU_NS at AT_NS, inside the interval, and had been ready to run without a
/// core for WAIT_NS (EVENT_NO_CORE_WAIT: not known).
void cpu_span_sample(struct cpu_span *span, uint64_t at_ns, uint64_t cpu_ns, uint64_t wait_ns);

/// The same where the sample lies before the next interval: in an MPI call.
void cpu_span_see(struct cpu_span *span, uint64_t cpu_ns);

/// CPU time of the whole interval: what the first and last CPU sample say for the time between
/// them (never more than that time: other threads of the process), wall time outside; but up to the
/// last sample at most what the process used since the last one before the interval. Wall time if
/// there is no sample.
uint64_t cpu_span_used_ns(const struct cpu_span *span, uint64_t begin_ns, uint64_t end_ns);

/// Of LOST_NS, by which the interval's CPU time is less than its wall time, what the process was
/// not ready to run either. 0 where the samples do not tell.
uint64_t cpu_span_blocked_ns(const struct cpu_span *span, uint64_t lost_ns);

/// What of SEGMENT was lost before TIME_NS.
uint64_t cpu_segment_lost_before(const struct cpu_segment *segment, uint64_t time_ns);

/// A further segment, not set, for which there must be room.
struct cpu_segment *cpu_segment_add(struct without_cpu *account);

/// A segment of at least CPU_SEGMENT_NS was spent at PATH. Called inside MPI calls as well; what
/// lies there is forgotten when the next interval begins.
void cpu_segment_note(struct without_cpu *account, uint32_t path, uint64_t begin_ns,
                      uint64_t end_ns);

/// Length of SEGMENT.
static inline uint64_t cpu_segment_ns(const struct cpu_segment *segment)
{
    return segment->end_ns - segment->begin_ns;
}
