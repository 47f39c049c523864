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
#ifndef PAGODA_PAG_LOCATION_WITHOUT_CPU_H
#define PAGODA_PAG_LOCATION_WITHOUT_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/location/location.h"

/// An interval outside MPI begins; it ends and is accounted, or never (threads, recording off).
void without_cpu_begin(struct location_state *location, uint64_t time_ns);

/// The open interval ends at TIME_NS and has CPU samples. Whether it lost time: then its segments
/// say how much, and that has been moved in the profile.
bool without_cpu_outside(struct location_state *location, uint64_t time_ns);

/// The open call has been settled and its time accounted, up to its leave. Whether it lost time:
/// LOST then says when, and it has been moved in the profile.
bool without_cpu_in_call(struct location_state *location, struct cpu_segment *lost);

#endif
