// SPDX-License-Identifier: BSD-3-Clause
// All of the advice on a run: baselines, candidates, their predictions.
#ifndef PAGODA_CMD_ADVISE_RUN_H
#define PAGODA_CMD_ADVISE_RUN_H

#include "analyzer/base/error.h"
#include "analyzer/cmd/advise/candidates.h"
#include "analyzer/cmd/advise/replay.h"

/// Fills ADVICE but for trace and target. 0, or -1 and ERR.
int advise_run(const struct advise_setting *setting, const struct advise_target *target,
               struct advice *advice, struct error *err);

#endif
