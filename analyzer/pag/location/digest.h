// SPDX-License-Identifier: BSD-3-Clause
// The digest of a location's events: it keeps the profile where the events are decoded, perhaps in
// another thread, and leaves for the engine only what concerns other locations, MPI calls above
// all, and how much time passed at which call paths in between. So the engine's work grows with the
// calls of a run, not with its events.
//
// What is left of the events is events again. Records in MPI calls, bare ones, teams of threads,
// and recording off and on are as they were. The others:
// - EVENT_SPENT: time at a call path up to the next event of another kind; the last one of several
//   is of the path where the location is then.
// - EVENT_LOST: part of an interval outside MPI that passed without CPU time, before the enter that
//   ends the interval.
// - EVENT_ENTER of an MPI call: `tag` is its path. It tells the time at two paths before it
//   (digest_first_before(), digest_second_before()); that at others comes as EVENT_SPENT.
// - EVENT_LEAVE of the same: `context` is the path the location is at, where a region in the call
// was
//   not left; `size_bytes` the time there in ns, `tag` the event's number.
// - EVENT_CPU_TIME: `tag` is the event's number.
// - EVENT_VISIT: a visit of a region that is asked for, right after what it ends with.
// - EVENT_CONSTRUCT_ENTER, EVENT_CONSTRUCT_LEAVE, EVENT_BARRIER_LEAVE: regions of a thread runtime,
//   where a process has several threads.
#pragma once

#include <stddef.h>

#include "analyzer/pag/location/location.h"

struct digest;

/// Of location LOCATION of DEFINITIONS; digest_finish() frees it. VISITED is as in pag_options.
struct digest *digest_new(const struct definitions *definitions, size_t location,
                          const bool *visited);

/// Digests events, what counters grew by and file operations, and appends what is left to OUT.
void digest_events(struct digest *digest, const struct decoded *decoded, struct batch *out);

/// Writes what DIGEST, which has come to the end of its location, knows, or reads it into a new
/// one.
void digest_pass(struct digest *digest, struct numbers *numbers);

/// In a process that does not replay TRACE, a shared one: digests its locations for the one that
/// does (trace_serve()). VISITED is as in pag_options.
void digest_serve(struct trace *trace, const bool *visited);

/// When the location ended, which the digest has come to.
uint64_t digest_end_ns(const struct digest *digest);

/// Frees DIGEST, which has come to the end of its location: the finished profile, with the times of
/// HEAD; the caller releases it.
struct profile digest_finish(struct digest *digest, struct head *head);

/// Time at a call path before an EVENT_ENTER, which tells two of them; the path of the second is
/// NONE where there is no other.
struct digest_time {
    uint32_t path;
    uint64_t ns;
};

static inline void digest_put_before(struct event *enter, struct digest_time first,
                                     struct digest_time second)
{
    enter->request = (uint64_t)second.path << 32 | first.path;
    enter->received_bytes = first.ns;
    enter->size_bytes = second.ns;
}

static inline struct digest_time digest_first_before(const struct event *enter)
{
    return (struct digest_time){(uint32_t)enter->request, enter->received_bytes};
}

static inline struct digest_time digest_second_before(const struct event *enter)
{
    return (struct digest_time){(uint32_t)(enter->request >> 32), enter->size_bytes};
}
