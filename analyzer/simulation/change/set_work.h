// SPDX-License-Identifier: BSD-3-Clause
// Regions whose work is set: to a fixed duration of each visit (--duration), or equally for all
// ranks (--balance). The work of visits is counted in a simulated run with nothing changed
// (visits_gather()), then set in a prediction.
//
//   duration   every visit has work T: of a visit that goes over several computations each one has
//              as much of T as it had of the visit's work in the recording; the last one the rest.
//   balance    by visit, where all locations that take part visit the region equally often: the
//              n-th visit of each has the mean of their n-th visits. Else by total: each has its
//              work times (mean of the totals / its own total), in millionths. Ranks that are named
//              but never visit it share the work, too: in the mean. They are not delayed by it, for
//              in the recording they waited meanwhile. No more of them share it than have cores.
//
// The works of a limited number of visits are kept one by one; beyond that balancing is by total,
// and a duration is spread by the mean of a location's visits.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/trace/definitions.h"

struct computation;
struct engine;
struct location_state;
struct region_works;
struct scenario;
struct visit;

/// Reads the works of SCENARIO's settings. 0, or -1 and ERR; the caller releases SCENARIO.works in
/// either case.
int region_works_init(struct scenario *scenario, const struct definitions *definitions,
                      struct error *err);
void region_works_release(struct region_works *works);

/// Once the paths of the run have been entered: 0, or -1 and ERR when one is inside of two regions
/// whose work is set.
int region_works_check(const struct scenario *scenario, struct error *err);

enum { VISITS_MAX_KEPT = 1 << 20 };

/// What was counted: by kind of visit and location.
struct visits;

struct visits *visits_new(size_t n_kinds, size_t n_locations);
void visits_free(struct visits *visits);
/// Nothing will be added: computes what balancing needs in a prediction of SCENARIO.
void visits_conclude(struct visits *visits, const struct scenario *scenario,
                     const struct definitions *definitions);

/// What was found for a kind, for the report.
struct visits_summary {
    uint64_t n_visits, n_locations; // that have visits
    uint64_t n_sharing;             // locations that share the work: those, or all that are named
    bool is_by_visit;
    bool has_calls; // some visit has work before and after an MPI call
};
struct visits_summary visits_summary(const struct visits *visits, int32_t kind);

/// How much more or less a location works in visits that SCENARIO balances by total: factors in
/// millionths by kind and location, 1 for other kinds. The caller frees.
uint64_t *visits_scales(const struct scenario *scenario, size_t n_locations);

// Visits in simulated time. A visit may be part of a computation between two MPI calls, or go over
// many of them; what is visited inside a visit is part of it.

void visit_release(struct visit *visit);

/// Whether visits are set or counted in this run.
bool visit_has_any(const struct engine *engine);

/// LOCATION is at PATH: a visit may begin. True when one did.
bool visit_begin(const struct engine *engine, const struct location_state *location, uint32_t path);

/// NS of wall time passed in part PART of the computation. True when they belong to a visit whose
/// work is set, so that they are no work of their own.
bool visit_pass(struct computation *computation, uint32_t part, uint64_t ns);

/// How much more or less a part of the computation counts now, in millionths, with SCALE of its
/// path.
uint64_t visit_weight(const struct visit *visit, uint64_t scale);

/// Ends the open visit, if there is one: computation.work is increased by what it has still to do.
void visit_end(const struct engine *engine, struct location_state *location);
/// The same if the call stack is no longer inside it.
void visit_end_if_left(const struct engine *engine, struct location_state *location);

/// All of the computation is read, and its times are known: an open visit gets its part of the
/// work, and those are counted that are over.
void visit_close_computation(const struct engine *engine, struct location_state *location);
