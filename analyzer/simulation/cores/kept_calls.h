// SPDX-License-Identifier: BSD-3-Clause
// Which calls of ranks that shared their cores lost their core, as far as CPU times tell, and what
// those took that kept it. Where waiting ranks poll, a call that lost its core has most likely
// polled until its partner had had that core, and nobody can tell its polling from its work; one
// that kept its core ended by itself.
//
// A call lost its core if it took at least 100 us (no shorter one has a CPU time of its own), and
// between the last CPU sample before its leave and the first one from then on at least 100 us (no
// slice of time is shorter) more of time went by than of CPU time. Of several such calls between
// two samples the last one counts. Other calls kept theirs, also where nobody knows.
#ifndef PAGODA_SIMULATION_CORES_KEPT_CALLS_H
#define PAGODA_SIMULATION_CORES_KEPT_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/simulation/cores/rank_notes.h"
#include "analyzer/simulation/cost/cost_table.h"

struct kept_calls;

/// Nothing seen yet. The caller frees.
struct kept_calls *kept_calls_new(size_t n_ranks, size_t n_regions);
void kept_calls_free(struct kept_calls *calls);

/// A call of a rank with a core of its own received a message of SIZE_BYTES that had been sent, and
/// nothing else, in TIME_NS; IS_REMOTE: from another node.
void kept_calls_received_alone(struct kept_calls *calls, bool is_remote, uint64_t size_bytes,
                               uint64_t time_ns);
/// So does the call that RANK, which shares its cores, is about to leave; OWN_NS of it are its own.
void kept_calls_received(struct kept_calls *calls, uint32_t rank, bool is_remote,
                         uint64_t size_bytes, uint64_t own_ns);
/// RANK leaves a call of REGION (EVENT_NO_INDEX: nobody knows).
void kept_calls_left(struct kept_calls *calls, uint32_t rank, uint32_t region, uint64_t enter_ns,
                     uint64_t leave_ns, uint64_t own_ns);
/// RANK, outside of calls, had used CPU_NS at TIME_NS.
void kept_calls_cpu_time(struct kept_calls *calls, uint32_t rank, uint64_t time_ns,
                         uint64_t cpu_ns);

/// No more is told: from here on the following can be asked.
void kept_calls_conclude(struct kept_calls *calls);

/// Own times of calls that kept their core and received what was told, on one node or between two.
const struct cost_table *kept_calls_receives(const struct kept_calls *calls, bool is_remote);
/// What calls of REGION that kept their core took of their own, the median; UINT64_MAX: none is
/// known.
uint64_t kept_calls_usual_ns(const struct kept_calls *calls, uint32_t region);
/// By the leave of each call of RANK that lost its core: some number. The caller frees.
struct rank_notes_reader *kept_calls_lost(const struct kept_calls *calls, uint32_t rank);

#endif
