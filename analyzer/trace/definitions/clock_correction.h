// SPDX-License-Identifier: BSD-3-Clause
// By how much records must come later than an archive says: corrections of the ranks' clocks, added
// to the clock offsets of their locations, so that whatever reads events applies both at once.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/definitions/local_definitions.h"

struct clock;

/// By how much the records of each rank must come later: linear between two knots and beyond them;
/// constant where there is one knot. Element rank * n_knots + knot of both arrays.
struct clock_correction {
    size_t n_ranks, n_knots;
    int64_t *at_ns;    // by the rank's clock; ascending
    int64_t *later_ns; // the least of all is 0
};

/// Nothing comes later, at one knot or N_KNOTS. The caller releases.
struct clock_correction clock_correction_none(size_t n_ranks);
struct clock_correction clock_correction_new(size_t n_ranks, size_t n_knots);
void clock_correction_release(struct clock_correction *correction);

/// The most that a record comes later, at a knot.
uint64_t clock_correction_most_ns(const struct clock_correction *correction);

/// What MORE, found after TOTAL had been applied, says at the knots of TOTAL is added to it; if
/// TOTAL has one, it gets those of MORE. For reports: between the knots the sum is not exact.
void clock_correction_sum(struct clock_correction *total, const struct clock_correction *more);

/// Adds it to the clock offsets LOCAL of a location of RANK. CLOCK has counted the times of the
/// knots; it ticks TICKS_PER_SECOND.
void clock_correction_add(const struct clock_correction *correction, uint32_t rank,
                          const struct clock *clock, uint64_t ticks_per_second,
                          struct local_definitions *local);
