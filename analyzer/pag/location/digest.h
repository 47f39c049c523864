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
//   (digest_before()); that at others is told by EVENT_SPENT.
// - EVENT_LEAVE of the same: `context` is the path the location is at, where a region in the call
// was
//   not left; `size_bytes` the time there in ns, `tag` the event's number.
// - EVENT_CPU_TIME: `tag` is the event's number.
#ifndef PAGODA_PAG_LOCATION_DIGEST_H
#define PAGODA_PAG_LOCATION_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/pag/location/location.h"

struct batch;
struct digest;

/// Of location LOCATION of DEFINITIONS; the caller frees.
struct digest *digest_new(const struct definitions *definitions, size_t location);
void digest_free(struct digest *digest);

/// Digests N EVENTS, the last of the location if IS_LAST, and appends what is left to OUT.
void digest_events(struct digest *digest, const struct event *events, size_t n, bool is_last,
                   struct batch *out);

/// When the location ended, which the digest has come to.
uint64_t digest_end_ns(const struct digest *digest);

/// The finished profile, with the times of HEAD; the caller releases it.
struct profile digest_take_profile(struct digest *digest, struct head *head);

/// Time at two call paths before an EVENT_ENTER; path[1] is NONE where there is no other than
/// path[0].
struct digest_before {
    uint32_t path[2];
    uint64_t ns[2];
};

static inline struct digest_before digest_before(const struct event *enter)
{
    return (struct digest_before){{(uint32_t)enter->request, (uint32_t)(enter->request >> 32)},
                                  {enter->received_bytes, enter->size_bytes}};
}

static inline void digest_put_before(struct event *enter, const struct digest_before *before)
{
    enter->request = (uint64_t)before->path[1] << 32 | before->path[0];
    enter->received_bytes = before->ns[0];
    enter->size_bytes = before->ns[1];
}

#endif
