// SPDX-License-Identifier: BSD-3-Clause
// Advice on a run: which changes of the program or its machine would save how much.
#ifndef PAGODA_ADVISE_ADVISE_H
#define PAGODA_ADVISE_ADVISE_H

#include "analyzer/base/error.h"
#include "analyzer/result/advice.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/whatif/jobs.h"

enum { ADVISE_MAX_PAIRED = 3 };

struct advise_setting {
    struct whatif_batch batch; // its words are those of the target
    // The target once more.
    const struct machine *machine; // NULL: costs as recorded
    uint32_t n_nodes;              // 0: as recorded
    unsigned kinds;                // bits of enum advice_kind: what is looked for
    bool replays_all;              // also changes that cannot come to the top
    size_t n_shown;                // how many of a group count as the top
    // Set by advise_run():
    size_t max_passes;     // through the trace for candidates, unless all are to be replayed
    size_t max_placements; // predictions
    size_t n_paired;       // so many of the best are tried in pairs, at most ADVISE_MAX_PAIRED
};

/// Fills ADVICE except for trace and target. 0, or -1 and ERR.
int advise_run(const struct advise_setting *setting, struct advice *advice, struct error *err);

#endif
