// SPDX-License-Identifier: BSD-3-Clause
// Parts of the run, each the same time of all locations or of each location another one: for every
// part the profile counts what lies in it, to the nanosecond. One replay serves all of them. It
// replays everything, for what matches, or waits, may have begun before a part.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"

struct cpu_segment;
struct location_state;
struct profile;

/// The marks for location LOCATION of PARTS (pag_options).
struct excerpt *excerpt_new(const struct pag_part *const *parts, size_t n_parts, size_t location);
void excerpt_free(struct excerpt *excerpt);

/// The next event of LOCATION is at NEXT_NS: keeps its profile at the marks before that.
void excerpt_reach(struct location_state *location, uint64_t next_ns);

/// The time of a location up to now is accounted in PROFILE: puts that up to marks where it
/// belongs.
void excerpt_settle(struct profile *profile);

/// What SEGMENT lost has been moved from its path to TO: does the same where a mark had counted it.
void excerpt_move(const struct profile *profile, const struct cpu_segment *segment, uint32_t to);

/// Whether nothing read later can change what counts up to UNTIL_NS, except time without CPU time.
bool excerpt_is_settled(const struct excerpt *excerpt, uint64_t until_ns);

/// The location is at its end: sets the exclusive times and visits of its PATHS to those of PART.
void excerpt_count(const struct excerpt *excerpt, size_t part, struct call_path *paths,
                   size_t n_paths);
