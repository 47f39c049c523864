// SPDX-License-Identifier: BSD-3-Clause
// A part of the run, the same time of all locations or of each another one: the profile counts what
// lies in it, to the nanosecond. Everything is replayed all the same, for what matches, or waits,
// may have begun before it.
#ifndef PAGODA_PAG_EXCERPT_H
#define PAGODA_PAG_EXCERPT_H

#include <stddef.h>
#include <stdint.h>

struct cpu_segment;
struct engine;
struct location_state;

enum { N_EXCERPT_MARKS = 2 }; // where the part begins and ends

/// The profile of a location at each mark: what its paths had by then.
struct excerpt {
    unsigned n_marks; // that it has come to
    struct excerpt_profile {
        uint64_t *exclusive_ns, *visits; // by path
        size_t n_paths;
        // Time from the last event to the mark: of this path, until the next event tells that it
        // belongs to the stretch before a call. 0: settled.
        uint64_t open_ns, open_since_ns;
        uint32_t open_path;
    } marks[N_EXCERPT_MARKS];
};

/// The next event of LOCATION is at NEXT_NS: keeps its profile at the marks before that.
void excerpt_reach(struct engine *engine, struct location_state *location, uint64_t next_ns);

/// The time of LOCATION up to now is accounted: puts that up to marks where it belongs.
void excerpt_settle(struct engine *engine, struct location_state *location);
/// What SEGMENT lost has been moved from its path to TO: does the same where a mark had counted it.
void excerpt_move(struct engine *engine, const struct location_state *location,
                  const struct cpu_segment *segment, uint32_t to);

/// When the result is filled, makes it one of the part: profiles, with inclusive times as sums of
/// exclusive ones; the ranks' times, which are judged all; the run time, from where the first
/// location's part begins to where the last one's ends, or the run. What is not told apart by time
/// is taken out: critical path, explanations, traffic.
void excerpt_apply(struct engine *engine);
void excerpt_release(struct engine *engine);

#endif
