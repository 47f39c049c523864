// SPDX-License-Identifier: BSD-3-Clause
// The digest of a location's events: it keeps the profile where the events are decoded, perhaps in
// another thread, and leaves for the engine only what concerns other locations, MPI calls above
// all, and how much time passed at which call paths in between. So the engine's work grows with the
// calls of a run, not with its events.
//
// What is left of the events is events again:
//   EVENT_SPENT   time at a call path up to the next event of another kind; the last one of several
//   is
//                 of the path where the location is then
//   EVENT_LOST    part of an interval outside MPI that passed without CPU time, before the enter
//   that
//                 ends the interval
//   EVENT_ENTER   of an MPI call: tag = its path, received_bytes = ns spent before it at
//                 digest_path_before()
//   EVENT_LEAVE   of the same: size_bytes = ns spent at its path; tag = the event's number
//   EVENT_CPU_TIME  tag = the event's number
// Records in MPI calls, bare ones, teams of threads, and recording off and on are as they were.
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

static inline uint32_t digest_path_before(const struct event *enter)
{
    return (uint32_t)enter->request;
}

#endif
