// SPDX-License-Identifier: BSD-3-Clause
// A replay of order only: how long computing takes says the machine file, by how often regions are
// entered and how much work they say they do; no time of the recording counts. (The Trace Model
// Evaluator of Kerbyson, Hoisie, Pautz: their traces hold work counts and messages, no times.)
//
// Each enter of a region outside MPI costs what the first <compute> says whose pattern fits its
// name, or, if that has a /, its call path (region_pattern.h); markers are regions, too. Regions
// without a <compute> cost nothing. Formulas may use
//   w      the work count of this visit: the attribute "work" of its enter, in whole units; 0
//          without one
//   e      elements the process has: the attribute "elements"; 0 without one
//   p      ranks of the run
//   rank   its own
//   visit  how many visits this rank has made of regions of this <compute>, this one included
// Costs are rounded to ps and add up without further rounding.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/trace/definitions.h"

/// What a replay of order met.
struct timeless_use {
    uint64_t n_visits;       // of regions outside MPI
    uint64_t n_without_rule; // that cost nothing for want of a <compute>
    uint64_t n_without_work; // whose formula uses w, and which have none
    // What each <compute> made of it, summed over the ranks, in the order of the file; lives as
    // long as the replay.
    struct timeless_rule_use {
        uint64_t n_visits, work_units;
        double time_ps;
    } * rules;
};

struct timeless;

/// For a run with DEFINITIONS under SCENARIO, which has a machine; both must outlive it. The caller
/// frees.
struct timeless *timeless_new(const struct definitions *definitions,
                              const struct scenario *scenario);
void timeless_free(struct timeless *timeless);

/// What a visit by LOCATION costs that begins with ENTER at a path with MARK (region_pattern.h), in
/// ps.
uint64_t timeless_visit_ps(struct timeless *timeless, uint32_t location, uint64_t mark,
                           const struct event *enter);

/// Whether an operation that handles no data synchronises its members; no recorded time tells.
/// Those that create handles do, those that destroy them and MPI_Finalize do not.
bool timeless_synchronises(uint8_t operation, bool is_finalize);

/// After the run: 0, or -1 and ERR with the place of a formula whose value is negative or no
/// number.
int timeless_check(const struct timeless *timeless, struct error *err);
struct timeless_use timeless_use(const struct timeless *timeless);

/// The <compute> elements that no region of the run fits, in words with the nearest name, NULL when
/// there are none. The caller frees.
char *timeless_unused(const struct timeless *timeless);
