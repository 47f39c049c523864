// SPDX-License-Identifier: BSD-3-Clause
// Parts of the run, each the same time of all locations or of each location another one: for every
// part the profile counts what lies in it, to the nanosecond. One replay serves all of them. It
// replays everything, for what matches, or waits, may have begun before a part.
#ifndef PAGODA_PAG_EXCERPT_H
#define PAGODA_PAG_EXCERPT_H

#include <stddef.h>
#include <stdint.h>

struct cpu_segment;
struct engine;
struct location_state;

/// What the paths of a location had when a part began or ended.
struct excerpt_mark {
    uint64_t time_ns;
    uint64_t *exclusive_ns, *visits; // by path
    size_t n_paths;
    // Time from the last event to the mark: of this path, until the next event tells that it
    // belongs to the stretch before a call. 0: settled.
    uint64_t open_ns, open_since_ns;
    uint32_t open_path;
};

/// The marks of a location. An event looks only at the next mark in time.
struct excerpt {
    struct excerpt_mark *marks; // two by part: its begin, its end
    uint32_t *order;            // of marks, by time
    size_t n_kept, n_settled;   // that the location has come to, in that order
};

void excerpt_init(struct engine *engine);

/// The next event of LOCATION is at NEXT_NS: keeps its profile at the marks before that.
void excerpt_reach(struct engine *engine, struct location_state *location, uint64_t next_ns);

/// The time of LOCATION up to now is accounted: puts that up to marks where it belongs.
void excerpt_settle(struct engine *engine, struct location_state *location);
/// What SEGMENT lost has been moved from its path to TO: does the same where a mark had counted it.
void excerpt_move(struct engine *engine, const struct location_state *location,
                  const struct cpu_segment *segment, uint32_t to);

/// When the result is filled, makes it that of each part in turn, and tells listener.part:
/// profiles, with inclusive times as sums of exclusive ones; the ranks' times, which are judged
/// all; the run time, from where the first location's part begins to where the last one's ends, or
/// the run. Results that cannot be split by time are left out: critical
/// path, explanations, traffic.
void excerpt_apply(struct engine *engine);
void excerpt_release(struct engine *engine);

#endif
