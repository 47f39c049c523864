// SPDX-License-Identifier: BSD-3-Clause
// Waits summed while the replay runs, by pattern, location and call path; memory grows with the
// number of such combinations that occur, not with the number of waits.
#ifndef PAGODA_REPORT_WAIT_SUMS_H
#define PAGODA_REPORT_WAIT_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/map.h"
#include "analyzer/report/call_tree.h"
#include "analyzer/report/result.h"

/// One instance of a pattern.
struct wait {
    uint32_t pattern;
    uint32_t location, call_path; // of that location
    uint32_t rank;                // world rank of the location
    uint32_t cause_rank;          // whom it waited for, RESULT_NONE when unknown
    uint64_t begin_ns, wait_ns;   // wait_ns > 0
    double confidence;            // 0..1
    bool is_in_window;
};

struct wait_cell;  // one (pattern, location, call path)
struct wait_total; // one pattern

struct wait_sums {
    struct wait_total *totals;
    size_t n_patterns;
    struct wait_cell *cells;
    size_t n_cells, cells_capacity;
    struct map first_cell; // (location, call path) -> first of its cells
    struct result_amount *causes;
    uint32_t *cause_patterns; // by cause
    size_t n_causes, causes_capacity, cause_patterns_capacity;
    struct map cause_of;   // (pattern, rank) -> index into causes
    uint32_t window_epoch; // sums of an older one count as outside the window
};

void wait_sums_init(struct wait_sums *sums, size_t n_patterns);
void wait_sums_release(struct wait_sums *sums);

void wait_sums_add(struct wait_sums *sums, const struct wait *wait);

/// The window begins anew: what was added so far is outside it.
void wait_sums_forget_window(struct wait_sums *sums);

/// Fills count, totals, confidence, by_rank, by_path, by_cause, sums and worst of the patterns of
/// RESULT (n_patterns of them, in the same order) and adds the waits of patterns with is_top to
/// wait_ns of its ranks.
void wait_sums_put(const struct wait_sums *sums, const struct call_tree *tree,
                   struct result *result);

#endif
