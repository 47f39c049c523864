// SPDX-License-Identifier: BSD-3-Clause
// How far something may grow until a run takes longer than allowed: where a function that grows
// (the run time, with latency or the time of a byte) crosses a level, by few calls of it.
//
// On cores of their own the run time is convex and piecewise linear in what is added, so the chord
// of a bracket finds the crossing fast. On shared cores it need not even grow everywhere; then the
// answer is the first crossing among the values that were tried: everything tried below TOLERATED
// is within the level, EXCEEDED is the smallest tried value that is not.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

#define TOLERANCE_PRECISION 0.01 // width of the bracket in the end, as a share of the answer

/// The run time with ADDED. 0, or -1 and ERR.
typedef int tolerance_run(void *context, uint64_t added, uint64_t *time_ns, struct error *err);

/// The values tried so far, in order; shared by searches for several levels.
struct tolerance_search {
    tolerance_run *run;
    void *context;
    uint64_t most; // nothing larger is tried
    struct tolerance_point {
        uint64_t added, time_ns;
    } * points;
    size_t n_points, capacity;
};

struct tolerance {
    uint64_t tolerated;
    uint64_t exceeded; // at most 1 % larger, or by 1; UINT64_MAX: not even `most` is
};

/// BASE_NS: the run time with nothing added. The caller releases SEARCH.
void tolerance_search_init(struct tolerance_search *search, tolerance_run *run, void *context,
                           uint64_t most, uint64_t base_ns);
void tolerance_search_release(struct tolerance_search *search);

/// How much may be added until the run takes longer than LEVEL_NS; START: what to try first. 0, or
/// -1 and ERR.
int tolerance_find(struct tolerance_search *search, uint64_t level_ns, uint64_t start,
                   struct tolerance *found, struct error *err);
