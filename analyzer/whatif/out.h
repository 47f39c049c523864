// SPDX-License-Identifier: BSD-3-Clause
// The predicted run as an archive (replay --out).
#ifndef PAGODA_WHATIF_OUT_H
#define PAGODA_WHATIF_OUT_H

#include "analyzer/base/error.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/simulation/scenario.h"

/// RUN, opened, is to be written to DIRECTORY when it has been simulated. 0, or -1 and ERR.
int whatif_out_prepare(const char *directory, struct replay_run *run, struct error *err);

/// Writes RUN, simulated under SCENARIO; CHANGE says in words what that changes. 0, or -1 and ERR.
int whatif_out_write(const char *directory, const struct replay_run *run,
                     const struct scenario *scenario, const char *change, struct error *err);

#endif
