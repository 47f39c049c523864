// SPDX-License-Identifier: BSD-3-Clause
// A part of the run's time: the profile counts what lies in it, to the nanosecond. Everything is
// replayed all the same, for what matches, or waits, may have begun before it.
#ifndef PAGODA_PAG_EXCERPT_H
#define PAGODA_PAG_EXCERPT_H

#include <stddef.h>
#include <stdint.h>

struct engine;
struct location_state;

enum { N_EXCERPT_MARKS = 2 }; // where the interval begins and ends

/// The profile of a location at each mark: what its paths had by then.
struct excerpt {
    unsigned n_marks; // that it has come to
    struct excerpt_profile {
        uint64_t *exclusive_ns, *visits; // by path
        size_t n_paths;
    } marks[N_EXCERPT_MARKS];
};

/// The next event of LOCATION is at NEXT_NS: keeps its profile at the marks before that.
void excerpt_reach(struct engine *engine, struct location_state *location, uint64_t next_ns);

/// When the result is filled: its profiles become those of the interval, with inclusive times as
/// sums of exclusive ones, its run time the length of the interval, or of what the run has of it.
void excerpt_apply(struct engine *engine);
void excerpt_release(struct engine *engine);

#endif
