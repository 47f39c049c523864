// SPDX-License-Identifier: BSD-3-Clause
// Phases of a program: where visits of a region, or what lies between markers, begin and end on
// each rank, as parts that a replay can be cut to (pag_options.parts).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"
#include "analyzer/trace/reader.h"

#define PAG_PHASE_LAST UINT64_MAX

/// Visits count from 1 on each rank by itself; a visit within another one is part of it. A marker
/// is visited from where it is set to where it is set again, or to the end of the rank.
struct pag_phase {
    const bool *begins; // by region: its visits are counted
    const bool *ends;   // by region, NULL for none: the phase lasts until the next leave of such a
                        // region, or to such a marker
    uint64_t first, last; // of these visits; PAG_PHASE_LAST: up to the last one there is
    bool is_each;         // each visit is a phase of its own, from `first` on, n_phases of them
    uint64_t n_phases;    // 1 unless is_each
};

struct pag_phase_report {
    uint64_t n_visits; // on the rank that has most of them
    uint32_t rank;     // that one, the lowest of equals
    bool has_end;      // some rank met a region or marker of `ends` after the begin of its phase
};

/// Reads TRACE, freshly opened, to its end and fills PARTS: n_phases times one part for each
/// location, [phase * n_locations + location]. A rank's threads have the part of its master; a rank
/// without the first visit, and a location of no rank, have an empty one. What is not over when a
/// rank ends, ends with it.
void pag_phase_find(struct trace *trace, const struct pag_phase *phase, struct pag_part *parts,
                    struct pag_phase_report *report);
