// SPDX-License-Identifier: BSD-3-Clause
// Who lacked a core in the recording. Ranks of a node with more ranks than cores share them, or
// those of them that are bound to the same cores (trace/definitions.h). All cores are taken while
// as many of these ranks as there are cores compute (are outside MPI). The own time of an MPI call
// is the part of it after the last time before its leave at which all cores were taken; until then
// its core belonged to others. So on one core all time belongs to somebody, and none to two: to who
// computes, or, while none does, to the call that is left first. Changes are kept for as long as
// they are likely to be asked for: memory does not depend on the length of the run.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/trace/definitions.h"

struct core_wait;

/// For a run on the nodes and cores of DEFINITIONS, which must outlive it. The caller frees.
struct core_wait *core_wait_new(const struct definitions *definitions);
void core_wait_free(struct core_wait *wait);

/// Whether RANK shared cores with others, more than there are cores.
bool core_wait_is_shared(const struct core_wait *wait, uint32_t rank);

/// From TIME_NS on RANK computes (outside MPI), or no longer does. Called in the order of time; a
/// time before that of an earlier call counts as that one.
void core_wait_tell(struct core_wait *wait, uint32_t rank, uint64_t time_ns, bool computes);

/// When RANK, which shares cores, stopped computing; UINT64_MAX: it computes.
uint64_t core_wait_entered_ns(const struct core_wait *wait, uint32_t rank);

/// Whether RANK, which shares cores, was in MPI, or had not begun or had ended, right before
/// TIME_NS. The calls for what it did before that have been made.
bool core_wait_was_inside(const struct core_wait *wait, uint32_t rank, uint64_t time_ns);

/// Since when RANK, which shares cores and computed right before TIME_NS, had computed.
uint64_t core_wait_outside_since_ns(const struct core_wait *wait, uint32_t rank, uint64_t time_ns);

/// Whether all cores that RANK may use were taken right before TIME_NS and right after it (moments
/// without length do not count); the calls up to there, and since, have been made. False where
/// that is too long ago.
bool core_wait_was_taken(const struct core_wait *wait, uint32_t rank, uint64_t time_ns);

/// The rank, of the others that share cores with RANK, that computed right before TIME_NS, into
/// *OTHER: the one that began last, of several the highest. All calls up to then have been made.
/// False: none did, or it began too long ago.
bool core_wait_computing_rank(struct core_wait *wait, uint32_t rank, uint64_t time_ns,
                              uint32_t *other);

/// How long, since RANK began to compute and up to TIME_NS, more of the ranks that share its cores
/// computed than there are cores: only then it can have computed without one.
uint64_t core_wait_oversubscribed_ns(const struct core_wait *wait, uint32_t rank, uint64_t time_ns);

/// How much of FROM_NS..TO_NS is after the last time before TO_NS at which all cores that RANK may
/// use were taken (moments without length do not count). All calls before TO_NS have been made.
/// All of it where that is too long ago.
uint64_t core_wait_own_ns(const struct core_wait *wait, uint32_t rank, uint64_t from_ns,
                          uint64_t to_ns);
