// SPDX-License-Identifier: BSD-3-Clause
// The pass that tells serialisation from transfer: the measured run once more, on an ideal network.
#ifndef PAGODA_WHATIF_IDEAL_H
#define PAGODA_WHATIF_IDEAL_H

#include "analyzer/base/error.h"
#include "analyzer/replay/replay_run.h"

/// Replays the trace of MEASURED once more, on an ideal network, and puts what that shows into
/// MEASURED->result. MEASURED is replayed, with its costs gathered. 0, or -1 and ERR.
int ideal_run(struct replay_run *measured, struct error *err);

#endif
