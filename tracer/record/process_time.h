// SPDX-License-Identifier: BSD-3-Clause
// CPU time of the process, recorded at both ends of long intervals between MPI calls, and between
// these and teams of one thread.
#pragma once

#include "tracer/record/stream.h"

#include <stdbool.h>
#include <stdint.h>

// Longer intervals get a CPU time at both ends. A preemption costs a time
// slice (a millisecond or more), so shorter intervals can be taken for computing.
#define LONG_INTERVAL_NS 200000U
// How old the last reading of the CPU clock may become, as the base of an estimate.
#define CPU_READING_AGE_NS 500000U

/// A long interval has just ended at `now_ns`: writes CPU records for both of its ends. `is_whole`:
/// no record with a time has been written since it began.
void process_time_long_interval(struct stream *stream, uint64_t now_ns, bool is_whole);

/// Reads the CPU clock at the end of a call, unless it was read just before, and records the time
/// if `write`.
void process_time_read(struct stream *stream, uint64_t now_ns, bool write);

/// A team of threads is forked, begins, ends or is joined at `now_ns`: an interval ends, as it does
/// at an MPI call, and the next one begins. To be called before the record of it.
void process_time_at_team(struct stream *stream, uint64_t now_ns, bool begins);

/// What the calling thread has got of its cores so far.
void process_time_core_use(struct spool_core_use *use);
