// SPDX-License-Identifier: BSD-3-Clause
// struct pag_result at the end of a replay.
#pragma once

#include "analyzer/pag/state.h"

void outcome_fill(struct engine *engine);

/// Makes the filled result that of each part of the run in turn, and tells listener.part: profiles,
/// with inclusive times as sums of exclusive ones; the ranks' times, all of them within the window;
/// the run time, from where the first location's part begins to where the last one's ends. Results
/// that cannot be split by time are left out: critical path, explanations, traffic.
void outcome_tell_parts(struct engine *engine);

/// Makes inclusive times of the exclusive ones: those of a path and of all below it.
void outcome_sum_inclusive(struct pag_location *location);
