// SPDX-License-Identifier: BSD-3-Clause
// An OTF2 archive that is made of another trace: definitions get their numbers as they are met, and
// are written last.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/base/error.h"

struct new_trace;

/// In FOLDER. NULL and ERR if the library cannot. new_trace_close() or _free() follows.
struct new_trace *new_trace_open(const char *folder, struct error *err);
void new_trace_free(struct new_trace *trace);

/// Regions whose names begin with MPI_ are MPI's. The same name is the same region.
uint32_t new_trace_region(struct new_trace *trace, const char *name);
/// A process on NODE; the same key is the same process. They are MPI ranks in this order if one of
/// them uses MPI. NAME, at first KEY, is what is written.
uint32_t new_trace_process(struct new_trace *trace, const char *key, uint32_t node);
void new_trace_name_process(struct new_trace *trace, uint32_t process, const char *name);
/// A thread of PROCESS; the same key is the same thread.
uint32_t new_trace_location(struct new_trace *trace, uint32_t process, const char *key,
                            const char *name);
/// Another one of the same process, named like LOCATION, with this NUMBER.
uint32_t new_trace_further_location(struct new_trace *trace, uint32_t location, uint32_t number);
/// The one, no thread, that has the counters of PROCESS.
uint32_t new_trace_counters_location(struct new_trace *trace, uint32_t process);
void new_trace_name_location(struct new_trace *trace, uint32_t location, const char *name);
uint32_t new_trace_node(struct new_trace *trace, const char *name);
/// Of a counter whose values, of TYPE, grow, until one of them fell: then they are states, each of
/// which lasts until the next one.
uint32_t new_trace_counter(struct new_trace *trace, const char *name, OTF2_Type type);
void new_trace_counter_falls(struct new_trace *trace, uint32_t counter);
/// A communicator of the processes MEMBERS; 0 is that of all, which has none.
uint32_t new_trace_communicator(struct new_trace *trace, const uint64_t *members, size_t n);
/// What communicators and groups are needed for: messages, collective operations, MPI calls.
void new_trace_uses_mpi(struct new_trace *trace);

/// Where a location's events are written, in the order of time, in ns; new_trace_wrote() takes what
/// the library says of each.
OTF2_EvtWriter *new_trace_events(struct new_trace *trace, uint32_t location);
void new_trace_wrote(struct new_trace *trace, OTF2_ErrorCode code);

/// Writes the definitions, of a run from 0 to END_NS. 0, or -1 and ERR, for any write before, too.
int new_trace_close(struct new_trace *trace, const char *creator, uint64_t end_ns,
                    struct error *err);
