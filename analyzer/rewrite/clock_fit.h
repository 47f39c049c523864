// SPDX-License-Identifier: BSD-3-Clause
// Corrections of the ranks' clocks with which no message or collective comes before its cause:
// constants where these suffice, else pieces of constant drift, which is what OTF2's clock offsets
// can say.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/rewrite/clock_bounds.h"

/// By how much the records of each rank must come later: linear between two knots and beyond them;
/// constant where there is one knot. Element rank * n_knots + knot of both arrays.
struct clock_correction {
    size_t n_ranks, n_knots;
    int64_t *at_ns;    // by the rank's clock; ascending
    int64_t *later_ns; // the least of all is 0
};

/// Nothing comes later: one knot. The caller releases.
struct clock_correction clock_correction_none(size_t n_ranks);
void clock_correction_release(struct clock_correction *correction);

/// The correction with the fewest knots that keeps BOUNDS, exact to RESOLUTION_NS. Of ranks that
/// all send to each other, perhaps by way of others, it is in the middle between the bounds,
/// measured from rank 0; else the least that does. 0, and it takes the place of CORRECTION; or -1
/// and ERR where clocks jump too often. BOUNDS are of no use afterwards.
int clock_fit(struct clock_bounds *bounds, uint64_t resolution_ns,
              struct clock_correction *correction, struct error *err);
