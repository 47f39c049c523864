// SPDX-License-Identifier: BSD-3-Clause
// struct pag_result at the end of a replay.
#ifndef PAGODA_PAG_OUTCOME_H
#define PAGODA_PAG_OUTCOME_H

struct engine;
struct pag_location;

void outcome_fill(struct engine *engine);

/// Makes inclusive times of the exclusive ones: those of a path and of all below it.
void outcome_sum_inclusive(struct pag_location *location);

#endif
