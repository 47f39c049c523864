// SPDX-License-Identifier: BSD-3-Clause
// All of the advice on a run: baselines, candidates, their predictions.
#ifndef PAGODA_ADVISE_RUN_H
#define PAGODA_ADVISE_RUN_H

#include "analyzer/advise/candidates.h"
#include "analyzer/advise/replay.h"
#include "analyzer/base/error.h"

/// Fills ADVICE but for trace and target. 0, or -1 and ERR.
int advise_run(const struct advise_setting *setting, const struct advise_target *target,
               struct advice *advice, struct error *err);

#endif
