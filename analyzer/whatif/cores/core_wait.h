// SPDX-License-Identifier: BSD-3-Clause
// Who lacked a core in the recording. Ranks of a node with more ranks than cores share them, or
// those of them that are bound to the same cores (trace/definitions.h); while as many others as
// there are cores compute (are outside MPI), a rank that has what it waits for in MPI has no core
// to notice it. The time with all cores taken in this way, as a function of recorded time, is kept
// for as long as it is likely to be asked for: memory does not depend on the length of the run.
#ifndef PAGODA_WHATIF_CORES_CORE_WAIT_H
#define PAGODA_WHATIF_CORES_CORE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/trace/definitions.h"

struct core_wait;

/// For a run on the nodes and cores of DEFINITIONS, which must outlive it. The caller frees.
struct core_wait *core_wait_new(const struct definitions *definitions);
void core_wait_free(struct core_wait *wait);

/// Whether RANK shared cores with others, more than there are cores.
bool core_wait_is_shared(const struct core_wait *wait, uint32_t rank);

/// From TIME_NS on RANK computes (outside MPI), or no longer does. Told in the order of time; a
/// time before one told earlier counts as that one.
void core_wait_tell(struct core_wait *wait, uint32_t rank, uint64_t time_ns, bool computes);

/// How much of FROM_NS..TO_NS (not after what was told) all cores that RANK may use were taken;
/// false: that is too long ago.
bool core_wait_between(const struct core_wait *wait, uint32_t rank, uint64_t from_ns,
                       uint64_t to_ns, uint64_t *taken_ns);

#endif
