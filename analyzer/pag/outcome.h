// SPDX-License-Identifier: BSD-3-Clause
// struct pag_result at the end of a replay.
#ifndef PAGODA_PAG_OUTCOME_H
#define PAGODA_PAG_OUTCOME_H

struct engine;

void outcome_fill(struct engine *engine);

#endif
