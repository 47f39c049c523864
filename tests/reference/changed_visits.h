// SPDX-License-Identifier: BSD-3-Clause
// Visits of regions whose work is set (--duration, --balance). Internal to tests/reference.
#pragma once

#include "tests/reference/changed_program.h"

enum { NO_VISIT = UINT32_MAX };

/// One visit: from record BEGIN until record END leaves it, but for the time in MPI. Or all that is
/// computed in the region before a call, which is entered at END.
struct visit {
    uint32_t rank, item, path, number; // number: among its rank's of this item
    size_t begin, end;
    bool is_stretch, is_over;
    parts_t recorded;    // work in the recording
    parts_t seen, given; // so far, in the run: of the recorded work, of what is set
};

struct run_visits {
    const struct model *model;
    struct visit *items;
    size_t n, capacity;
    uint32_t open[PROGRAM_MAX_RANKS]; // index of the one each rank is in
    bool is_by_visit[SCENARIO_MAX_WORKS];
    uint32_t n_ranks[SCENARIO_MAX_WORKS];                  // that have visits
    uint64_t ratio[SCENARIO_MAX_WORKS][PROGRAM_MAX_RANKS]; // by total, millionths
};

/// All visits of the run. The caller frees.
struct run_visits *run_visits_new(const struct model *model);
void run_visits_free(struct run_visits *visits);

/// The visit that begins at record I of INTERVAL, or at its end; NO_VISIT.
uint32_t run_visits_begin(const struct run_visits *visits, const struct interval *interval,
                          size_t i);

/// What visit V has still to do where it ends; what it does of it when RECORDED of its work was
/// done. *IS_SCALED: times the scale of its paths.
parts_t run_visits_finish(struct run_visits *visits, uint32_t v, bool *is_scaled);
parts_t run_visits_go_on(struct run_visits *visits, uint32_t v, parts_t recorded, bool *is_scaled);

/// By how much the work of PATH up to record I is multiplied where totals are balanced, in
/// millionths.
uint64_t run_visits_scale(const struct run_visits *visits, uint32_t rank, size_t i, uint32_t path);
