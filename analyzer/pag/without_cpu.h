// SPDX-License-Identifier: BSD-3-Clause
// Time of ranks without CPU time, in measured time: the process was descheduled or blocked.
//
// Outside MPI it is the wall time of an interval between two MPI calls less its CPU time
// (cpu_span.h). A process without a core records nothing, so this time lies between two records
// far apart: it is spread over the longest such segments, in proportion to their lengths, and
// never exceeds them.
//
// Inside MPI it is the part of a call after its last wait, less the CPU time of the whole call:
// a lower bound, for the wait may have taken CPU time as well. It counts where such a part takes
// CPU time only: where all ranks are on one node, or share cores that are fewer. Calls whose
// records do not say what they wait for (probes, one-sided calls), MPI_Init, MPI_Finalize and
// calls for files are left out.
//
// In the profile this time is a child of the call path it was taken from, so that critical path
// and origins of waits name it.
#ifndef PAGODA_PAG_WITHOUT_CPU_H
#define PAGODA_PAG_WITHOUT_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/cpu_span.h"

struct engine;
struct location_state;

/// Time of one call path, of which lost_ns passed without CPU time, evenly spread.
struct cpu_segment {
    uint64_t begin_ns, end_ns, lost_ns;
    uint32_t path;
};

/// What of it was lost before TIME_NS.
uint64_t cpu_segment_lost_before(const struct cpu_segment *segment, uint64_t time_ns);

enum { CPU_SEGMENTS = 16, CPU_SEGMENT_NS = 100000 };

/// The open interval of a location.
struct without_cpu {
    struct cpu_span span;
    uint64_t begin_ns;
    uint32_t n_segments;
    struct cpu_segment segments[CPU_SEGMENTS];
};

/// LOCATION spent a segment of at least CPU_SEGMENT_NS at PATH. Called inside of calls as well;
/// what lies there is forgotten when the next interval begins.
void without_cpu_segment(struct without_cpu *account, uint32_t path, uint64_t begin_ns,
                         uint64_t end_ns);

/// An interval outside MPI begins; it ends and is accounted, or never (threads, recording off).
void without_cpu_begin(struct location_state *location, uint64_t time_ns);
void without_cpu_outside(struct engine *engine, struct location_state *location, uint64_t time_ns);

/// The open call has been settled and its time accounted, up to its leave.
void without_cpu_in_call(struct engine *engine, struct location_state *location);

#endif
