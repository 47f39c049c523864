// SPDX-License-Identifier: BSD-3-Clause
// Regions whose work is set: to a fixed duration of each visit (--duration), or equally for all
// ranks (--balance). The work of visits is counted in a simulated run with nothing changed
// (visits_gather()), then set in a prediction. What a visit is, and its work, says visit.h.
//
//   duration   every visit has work T: of a visit that goes over several computations each one has
//              as much of T as it had of the visit's work in the recording; the last one the rest.
//   balance    by visit, where all locations that take part visit the region equally often: the
//              n-th visit of each has the mean of their n-th visits. Else by total: each has its
//              work times (mean of the totals / its own total), in millionths.
//
// The works of so many visits are kept one by one; beyond that balancing is by total, and a
// duration is spread by the mean of a location's visits.
#ifndef PAGODA_SIMULATION_CHANGE_SET_WORK_H
#define PAGODA_SIMULATION_CHANGE_SET_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/definitions.h"

struct region_works;
struct scenario;

/// Reads the works of SCENARIO's settings. 0, or -1 and ERR; the caller releases SCENARIO.works in
/// either case.
int region_works_init(struct scenario *scenario, const struct definitions *definitions,
                      struct error *err);
void region_works_release(struct region_works *works);

/// The kind of visit that the path of MARK is part of at LOCATION, 0: none.
int32_t region_works_kind(const struct scenario *scenario, uint32_t location, uint64_t mark);

/// Once the paths of the run have been entered: 0, or -1 and ERR when one is inside of two regions
/// whose work is set.
int region_works_check(const struct scenario *scenario, struct error *err);

enum { VISITS_MAX_KEPT = 1 << 20 };

/// A part of a visit, as long as it can be told what that is: the part up to an
/// MPI call, the rest of it, or all.
struct visit_part {
    bool is_first, is_last;
    pag_work recorded; // work of this part in the recording; not known of the last one
};

/// What was counted: by kind of visit and location.
struct visits;

struct visits *visits_new(size_t n_kinds, size_t n_locations);
void visits_free(struct visits *visits);
void visits_add(struct visits *visits, uint32_t location, int32_t kind, uint64_t n_visits,
                pag_work work, bool has_calls);
/// Nothing will be added: computes what balancing needs.
void visits_conclude(struct visits *visits);

/// What was found for a kind, for the report.
struct visits_summary {
    uint64_t n_visits, n_locations; // that have visits
    bool is_by_visit;
    bool has_calls; // some visit has work before and after an MPI call
};
struct visits_summary visits_summary(const struct visits *visits, int32_t kind);

/// The visits of one simulated run whose works are set.
struct visit_run;

/// VISITS and SCENARIO must outlive it. The caller frees.
struct visit_run *visit_run_new(const struct visits *visits, const struct scenario *scenario);
void visit_run_free(struct visit_run *run);
/// The kind of visit that begins where LOCATION, in none, comes to a path with MARK, 0: none. What
/// is visited inside a visit is part of it.
int32_t visit_run_kind(const struct visit_run *run, uint32_t location, uint64_t mark);
/// The work of a part of the visit LOCATION is in; *IS_SCALED: times the scale of its paths.
pag_work visit_run_work(struct visit_run *run, uint32_t location, int32_t kind,
                        const struct visit_part *part, bool *is_scaled);
/// The factor in millionths by which the visit that begins changes; *IS_SCALED as above.
uint64_t visit_run_factor(const struct visit_run *run, uint32_t location, int32_t kind,
                          bool *is_scaled);
/// The factor in millionths of a path, for what is balanced by total.
uint64_t visit_run_scale(const struct visit_run *run, uint32_t location, uint64_t mark);

#endif
