// SPDX-License-Identifier: BSD-3-Clause
// A core for each rank as a candidate, where ranks share cores.
#ifndef PAGODA_ADVISE_CORES_H
#define PAGODA_ADVISE_CORES_H

#include "analyzer/advise/replay.h"

/// Adds it to ADVICE where some node of SETTING's target, or without one of the recording, has more
/// ranks than cores: the same nodes with as many cores as ranks on the fullest one. It saves no
/// more than the run time less the process time of the busiest rank of UNCHANGED, the run predicted
/// with nothing changed; of other targets no bound is known.
void advise_add_cores(const struct advise_setting *setting, const struct pag_result *unchanged,
                      struct advice *advice);

#endif
